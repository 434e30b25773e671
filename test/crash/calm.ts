/** An agent that works by itself, in a few turns: the neighbour that must not suffer from another agent's faults. */
import type { Backend } from "../../src/backend/backend.ts";
import type { State } from "../../src/core/state.ts";

export function createCalm(state: () => State | undefined): Backend {
  return {
    worst: () => ({ usd: 0, tokens: 0 }),
    async *call({ lines }) {
      const notes = lines.filter((line) => line.role === "tool" && line.outcome === "ok").length;
      if (state()?.run?.status === "open") {
        const call = { type: "call", id: "c1" } as const;
        if (notes < 4) yield { ...call, tool: "write_plan", input: { content: `step ${notes}` } };
        else yield { ...call, tool: "finish", input: { summary: "calm to the end" } };
      }
      yield { type: "end", cost: { usd: 0, tokens: 0 } };
    },
  };
}
