/**
 * Plays a recording instead of calling a model: the n-th call of a participant that is answered is given its n-th recorded answer. Deterministic: the same request
 * gives the same answer, so a call that was lost in a crash and retried changes nothing.
 *
 * A call that does not fit the recording (other tool results than recorded, more calls) fails, and says where the two courses part.
 */
import { z } from "zod";
import { parseJson } from "../lib/json/json.ts";
import { Problem } from "../schema/problem.ts";
import { RecordedAnswer, type Recording, RecordingHead } from "../schema/recording.ts";
import type { Call } from "../schema/turn.ts";
import type { Line } from "../schema/worker.ts";
import { type Backend, BackendError, type Request } from "./backend.ts";

export function parseRecording(text: string, name: string): Recording {
  const lines = text.split("\n").filter((line) => line.trim());
  const read = <T>(shape: z.ZodType<T>, line: string | undefined, index: number): T => {
    try {
      return shape.parse(parseJson(line ?? ""));
    } catch (error) {
      const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
      throw new Problem("invalid", `the recording ${name} is invalid at line ${index + 1}: ${why}`);
    }
  };
  const head = read(RecordingHead, lines[0], 0);
  return { head, answers: lines.slice(1).map((line, index) => read(RecordedAnswer, line, index + 1)) };
}

export function createRecorded({ answers }: Recording, name: string): Backend {
  const byParticipant = Map.groupBy(answers, ({ participant }) => participant);
  const answersOf = ({ participant }: Request) => byParticipant.get(participant) ?? [];

  /** Throws if the call does not fit. */
  function answerTo(request: Request): RecordedAnswer {
    const { participant, turns, lines } = request;
    const all = answersOf(request);
    const last = lines.findLast((line) => line.role === "assistant");
    const given = resultsIn(request);
    // Turns that failed have a number and no answer, and compaction removes answers: which one comes next is known by the one before.
    const least = lines.filter(({ role }) => role === "assistant").length;
    const places = Array.from({ length: Math.max(1, turns - least) }, (_, index) => least + index);
    const next = places.filter((place) => isAnswer(all[place - 1], last));
    const fitting = next.find((place) => all[place] && difference(given, all[place].results) === undefined);
    if (fitting !== undefined) return all[fitting]!;
    const place = next[0] ?? least;
    throw new BackendError(
      "permanent",
      `${name} does not fit call ${place + 1} of ${participant}: ${why(place)}. ${advice}`,
    );

    function why(at: number): string {
      if (!all.length) return `it has no answer of ${participant}, only of ${[...byParticipant.keys()].join(", ")}`;
      if (!all[at]) return `its last answer of ${participant} is number ${all.length}`;
      return difference(given, all[at].results) ?? `the answer before is not the one that was recorded`;
    }
  }

  return {
    name,
    worst(request) {
      const costs = answersOf(request).map(({ cost }) => cost);
      return {
        usd: Math.max(0, ...costs.map(({ usd }) => usd)),
        tokens: Math.max(0, ...costs.map(({ tokens }) => tokens)),
      };
    },
    async *call(request, signal) {
      signal.throwIfAborted();
      const { thoughts, text, calls, cost, usage, stop } = answerTo(request);
      for (const thought of thoughts) yield { type: "thought", text: `${thought}\n` };
      if (text) yield { type: "text", text };
      for (const call of calls) yield { type: "call", ...call };
      yield { type: "end", cost, ...(usage && { usage }), ...(stop && { stop }) };
    },
  };
}

type Result = Omit<RecordedAnswer["results"][number], "outcome"> & { outcome: string };
type Said = Extract<Line, { role: "assistant" }>;

const isAnswer = (recorded: RecordedAnswer | undefined, said: Said | undefined): boolean =>
  recorded?.text === said?.text && ids(recorded?.calls) === ids(said?.calls);

const ids = (calls: readonly Call[] = []): string => calls.map(({ id, tool }) => `${id} ${tool}`).join();

function resultsIn({ lines }: Request): Result[] {
  const from = lines.findLastIndex(({ role }) => role === "assistant") + 1;
  return lines.slice(from).flatMap((line) => (line.role === "tool" ? [line] : []));
}

/** In words; nothing if they are the same. */
function difference(given: readonly Result[], recorded: readonly Result[]): string | undefined {
  for (let at = 0; at < Math.max(given.length, recorded.length); at++) {
    const [now, then] = [textOf(given[at]), textOf(recorded[at])];
    if (now !== then)
      return `it was given ${now.slice(0, longest)}; recorded was ${then.slice(0, longest)}`.toWellFormed();
  }
  return undefined;
}

/** What differs from run to run although nothing else does: the place of a message in the log, how far a node that was just made has come, times. */
const passing = [/(?<=<message )id="\d+"/g, /"status":"(pending|assigned|running)"/g, /\d{4}-\d\d-\d\dT[\d:.]+Z/g];

function textOf(given: Result | undefined): string {
  if (!given) return "no further tool result";
  return `${given.tool} (${given.outcome}) ${passing.reduce((text, each) => text.replaceAll(each, "…"), given.result)}`;
}

/** Characters of a result that the error shows. */
const longest = 500;

const advice = "A recording can be played only where everything else happens as it did then";
