/** The latest turns on a node, summarised, from the log of its run. */

import type { ShortTurn } from "../../api/board.ts";
import { shorten } from "../../lib/text/text.ts";
import type { Event } from "../../schema/event.ts";

const most = 50;
const longest = 300;
const mostTools = 100;

export async function shortTurns(events: AsyncIterable<Event[]>, run: string, node: string): Promise<ShortTurn[]> {
  const turns = new Map<string, ShortTurn>();
  for await (const some of events)
    for (const event of some) {
      if (event.run !== run) continue;
      if (event.type === "turn.started" && event.data.node === node) {
        const { turn, participant } = event.data;
        turns.set(turn, { turn, participant, at: event.ts, said: "", tools: [] });
        if (turns.size > most) turns.delete(turns.keys().next().value!);
      }
      if (!("turn" in event.data)) continue;
      const known = turns.get(event.data.turn);
      if (!known) continue;
      if (event.type === "turn.answered") {
        const { text, calls, cost } = event.data;
        known.said = shorten(text, longest);
        known.tools = [...known.tools, ...calls.map(({ tool }) => ({ tool }))];
        known.cost ??= cost;
      } else if (event.type === "tool.called") {
        known.tools = [...known.tools, { tool: event.data.tool }].slice(-mostTools);
      } else if (event.type === "program.settled") {
        const { usd, tokens } = known.cost ?? { usd: 0, tokens: 0 };
        known.cost = { usd: usd + event.data.cost.usd, tokens: tokens + event.data.cost.tokens };
      } else if (event.type === "tool.ended") {
        const { tool, outcome } = event.data;
        const open = known.tools.find((one) => one.tool === tool && one.outcome === undefined);
        if (open) open.outcome = outcome;
      } else if (event.type === "turn.failed") known.failed = event.data.reason.message;
    }
  return [...turns.values()];
}
