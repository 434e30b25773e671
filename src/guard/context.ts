/** Builds what a participant is shown for one call, from named parts, most stable first, so that provider caches hit. */
import type { Request } from "../backend/backend.ts";
import { modelOf } from "../core/lookup.ts";
import type { State } from "../core/state.ts";
import type { Thinker } from "../schema/worker.ts";
import { shapeOf, type Tool } from "../tool/tool.ts";

export function assemble(state: State, one: Thinker, tools: readonly Tool[]): Request {
  const role = one.kind === "coordinator" ? "You coordinate this run." : `You are ${one.name}. ${one.role}`;
  const node = one.node ? state.nodes.get(one.node) : undefined;
  const parts = [
    role,
    ...tools.map((tool) => `## ${tool.name}\n${tool.guidance}`),
    `Goal: ${state.run?.goal ?? state.agent?.goal ?? ""}`,
    ...(node ? [`Your node ${node.id}: ${node.task}${node.acceptance ? `\nDone means: ${node.acceptance}` : ""}`] : []),
  ];
  return {
    model: modelOf(state, one) ?? state.agent?.model ?? "",
    participant: one.id,
    turns: one.turns,
    node: one.node,
    system: parts.join("\n\n"),
    lines: one.conversation,
    tools: tools.map(shapeOf),
  };
}
