/** Short names of participants and nodes, and times, as lines show them. */
import type { State } from "../../core/state.ts";
import type { Node } from "../../schema/node.ts";
import { clean } from "../terminal/text.ts";

export const seconds = (ms: number): string => {
  const s = Math.max(0, Math.round(ms / 1000));
  return s < 600 ? `${s} s` : `${Math.round(s / 60)} min`;
};

/** n3-nvidia-research is called n3 where its name stands beside it. */
export const short = (id: string): string => id.split("-")[0]!;
export const label = (node: Node): string => `${short(node.id)} ${clean(node.name)}`;

export function nameOf(state: State, id: string | undefined): string {
  return id === undefined ? "" : clean(state.participants.get(id)?.name ?? id);
}
