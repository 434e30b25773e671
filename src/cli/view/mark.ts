/** How a node's status is drawn: a glyph and a word always, so that colour never speaks alone. */
import type { createColors } from "picocolors";
import type { Node } from "../../schema/node.ts";

export type Colors = ReturnType<typeof createColors>;

export interface Mark {
  glyph: string;
  word: string;
  paint(text: string): string;
}

const marks: Record<Node["status"], [glyph: string, word: string]> = {
  pending: ["◌", "pending"],
  assigned: ["◌", "assigned"],
  running: ["◐", "running"],
  waiting: ["◇", "waiting"],
  completed: ["●", "completed"],
  failed: ["✕", "failed"],
  cancelled: ["–", "cancelled"],
};

export function mark(node: Pick<Node, "status"> & { partial?: boolean | undefined }, colors: Colors): Mark {
  const { status, partial } = node;
  const [glyph, word] = status === "completed" && partial ? ["◑", "partial"] : marks[status];
  const paint = { completed: colors.green, failed: colors.red, running: colors.cyan, waiting: colors.cyan }[
    status as string
  ];
  return { glyph: glyph!, word: word!, paint: paint ?? colors.dim };
}
