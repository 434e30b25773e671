/**
 * A model for tests: answers by a list per participant, one answer for each turn, and keeps every request. Unlike the scripted backend it can
 * fail, break off, take its time, and it is asked by the attempt, so that a retry can go better.
 */
import type { Backend, Request } from "../backend/backend.ts";
import type { Clock } from "../lib/world.ts";
import type { Stop } from "../schema/turn.ts";

export interface Answer {
  say?: string;
  calls?: { id?: string; tool: string; input?: unknown }[];
  /** What the call costs; `worst` promises the same. */
  usd?: number;
  /** How long it takes; ends at once when the call is aborted. */
  seconds?: number;
  /** Tokens that the provider says the call used. */
  tokens?: number;
  stop?: Stop;
  /** Thrown instead of an end. */
  error?: Error;
  /** The stream stops without saying that it ended. */
  cut?: boolean;
}

/** What the nth attempt at this turn gets; `usd` is what `worst` promises. */
export type Step = Answer | (((request: Request, attempt: number) => Answer) & { usd?: number });
/** By participant; `MODEL PARTICIPANT` where several agents have one of that name. */
export type Play = Record<string, Step[]>;

/** A request as it was made, and what became of it. */
export interface Asked extends Request {
  /** Virtual time. */
  at: number;
  outcome: "open" | "answered" | "failed" | "aborted";
}

export function createModel(play: Play, asked: Asked[], clock: Clock, window?: number): Backend {
  const stepOf = ({ model, participant }: Request, turn: number): Step =>
    (play[`${model} ${participant}`] ?? play[participant])?.[turn - 1] ?? {};
  return {
    ...(window ? { window } : {}),
    worst(request) {
      return { usd: stepOf(request, request.turns + 1).usd ?? 0, tokens: 0 };
    },
    async *call(request, signal) {
      const mine: Asked = { ...structuredClone({ ...request }), at: clock.now(), outcome: "open" };
      const earlier = asked.filter(
        (one) => one.participant === request.participant && one.turns === request.turns && one.model === request.model,
      );
      asked.push(mine);
      const step = stepOf(request, request.turns);
      const answer = typeof step === "function" ? step(request, earlier.length + 1) : step;
      try {
        if (answer.seconds) await wait(clock, answer.seconds * 1000, signal);
        if (answer.say) yield { type: "text", text: answer.say };
        for (const [index, { id = `c${index + 1}`, tool, input = {} }] of (answer.calls ?? []).entries())
          yield { type: "call", id, tool, input };
        if (answer.error) throw answer.error;
        if (answer.cut) return;
        mine.outcome = "answered";
        const used = { model: request.model, input: answer.tokens ?? 0, output: 0, cache_read: 0, cache_write: 0 };
        yield {
          type: "end",
          cost: { usd: answer.usd ?? 0, tokens: 0 },
          ...(answer.stop ? { stop: answer.stop } : {}),
          ...(answer.tokens === undefined ? {} : { usage: { ...used, priced: true } }),
        };
      } finally {
        if (mine.outcome === "open") mine.outcome = signal.aborted ? "aborted" : "failed";
      }
    },
  };
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    clock.after(ms, resolve);
  });
}

/** The texts of the mail that this request shows as new or showed before, in order. */
export const mail = ({ lines }: Request): string[] =>
  lines.flatMap((line) => (line.role === "inbox" ? line.entries.map((entry) => entry.text) : []));

/** The results of tool calls that this request shows. */
export const results = ({ lines }: Request): { call: string; outcome: string; result: string }[] =>
  lines.flatMap((line) =>
    line.role === "tool" ? [{ call: line.call, outcome: line.outcome, result: unmarked(line.result) }] : [],
  );

/** Without the marks around what files and commands say (toolkit/data.ts). */
export const unmarked = (result: string): string =>
  result.replace(/^<outside_data id="(\w+)" from="[^"]*">\n([\s\S]*)\n<\/outside_data id="\1">/, "$2");

/** Shorthand for one tool call. */
export const use = (tool: string, input: unknown = {}): Answer => ({ calls: [{ tool, input }] });
