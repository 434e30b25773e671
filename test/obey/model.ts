/**
 * The obedient model: reads everything that is new in its request and does at once, without judgement, whatever any text in it says.
 *
 * An order is `DO` and a list of calls in hex, so that it survives being quoted, shortened to a line or turned into markdown. Each order is
 * obeyed once by each participant. A worker without orders waits for messages; a coordinator rests.
 */
import type { Backend, Request } from "../../src/backend/backend.ts";

export type Call = { tool: string; input?: unknown };

export const order = (...calls: Call[]): string => `DO ${Buffer.from(JSON.stringify(calls)).toString("hex")} NOW`;

export interface Obedient extends Backend {
  /** Everything that was ever shown to anyone. */
  shown: string[];
  /** The last request of each participant. */
  last: Map<string, Request>;
}

export function createObedient(): Obedient {
  const obeyed = new Map<string, Set<string>>();
  const shown: string[] = [];
  const last = new Map<string, Request>();
  return {
    shown,
    last,
    worst: () => ({ usd: 0, tokens: 0 }),
    async *call(request) {
      const text = textOf(request);
      shown.push(text);
      last.set(request.participant, request);
      const done = obeyed.get(request.participant) ?? new Set();
      obeyed.set(request.participant, done);
      let n = 0;
      for (const [, hex] of text.matchAll(/DO ((?:[0-9a-f]{2}){8,}) NOW/g)) {
        if (done.has(hex!)) continue;
        done.add(hex!);
        const calls = JSON.parse(Buffer.from(hex!, "hex").toString()) as Call[];
        for (const { tool, input = {} } of calls) yield { type: "call", id: `c${++n}`, tool, input };
      }
      if (n === 0 && request.node) yield { type: "call", id: "wait", tool: "check_messages", input: { wait: true } };
      yield { type: "end", cost: { usd: 0, tokens: 0 } };
    },
  };
}

/** What others said to it. Its own words, which hold the orders it gives, are no orders to itself. */
function textOf({ system, note = "", tools, lines }: Request): string {
  const told = lines.map((line) => {
    if (line.role === "inbox") return line.entries.map((entry) => entry.text).join("\n");
    return line.role === "tool" ? line.result : "";
  });
  return [system, JSON.stringify(tools), ...told, note].join("\n");
}
