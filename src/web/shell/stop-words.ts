/** What Stop does to each one's work, before it does it. Those whom it does not touch are left out. */
import type { State } from "../../core/state.ts";
import { canRun } from "../../core/worker.ts";

export interface Effect {
  id: string;
  node?: string;
  text: string;
}

export function whatHappens(state: State): Effect[] {
  return [...state.participants.values()].flatMap((one) => {
    if (one.kind === "human" || one.retired) return [];
    const at = { id: one.id, ...(one.node ? { node: one.node } : {}) };
    const asked = [...state.questions.values()].filter(({ by, status }) => by === one.id && status === "open");
    if (asked.length)
      return [
        {
          ...at,
          text: asked.some(({ approves }) => approves) ? "The call it asks for waits." : "The question stays open.",
        },
      ];
    if (one.turn?.status === "calling")
      return [{ ...at, text: "The answer under way is cut off: it is paid for and lost." }];
    if (one.turn) return [{ ...at, text: `The turn under way ends now${runs(one.turn.calls)}.` }];
    if (one.node && state.nodes.get(one.node)?.status === "running")
      return [{ ...at, text: "Rests where it is; its scratch is kept and the node goes on later." }];
    if (canRun(one)) return [{ ...at, text: "Does not begin its next turn." }];
    return [];
  });
}

function runs(calls: readonly { tool: string; status: string }[]): string {
  const going = calls.filter(({ status }) => status === "started").map(({ tool }) => tool);
  return going.length ? `; ${going.join(", ")} is ended` : "";
}
