/**
 * Loop detection: repeated calls. Two calls are the same when tool and input are, regardless of the order of the input's fields.
 *
 * A repetition counts if the call got the same result as before; a call that changes only the log counts in any case, because its result holds a
 * new id each time. New mail resets the count, and so does a new call that made progress: test, fix and test again is work. Calls that park do not
 * count, nor do those of a log that does not say what the tool does.
 */
import type { Event } from "../../schema/event.ts";
import type { Repeat, Stall } from "../../schema/worker.ts";

/** How many different calls are remembered. */
const remembered = 16;

type Ended = Pick<
  (Event & { type: "tool.ended" })["data"],
  "tool" | "outcome" | "result" | "wait" | "effect" | "progress"
>;

/** A participant's remembered calls after this one, how often it was made, and whether it made new progress. */
export function countCall(
  { repeats = [] }: Partial<Pick<Stall, "repeats">>,
  { tool, outcome, result, wait, effect, progress = "work" }: Ended,
  input: unknown,
): { repeats: Repeat[]; times: number; fruitful: boolean } {
  const lasting = outcome === "ok" && progress !== "none";
  if (wait || effect === undefined) return { repeats, times: 0, fruitful: lasting };
  const call = printOf(tool, input);
  const said = effect === "state" ? 0 : print(begin(outcome), result);
  const before = repeats.find((one) => one.call === call);
  const again = before !== undefined && (effect === "state" || before.said === said);
  const times = again ? before.times + 1 : 1;
  const kept = !before && lasting ? [] : repeats.filter((one) => one !== before);
  return { repeats: [...kept, { call, said, times }].slice(-remembered), times, fruitful: lasting && !again };
}

/** The call that was made most often. */
export const mostRepeats = ({ repeats }: Pick<Stall, "repeats">): number =>
  Math.max(0, ...repeats.map((one) => one.times));

/** The fingerprint of a call: fields count, their order does not. */
const printOf = (tool: string, input: unknown): number => printValue(begin(tool), input);

/** Hashes without serialising first: every fold does this for every call. The type and length of a value count as well. */
function printValue(before: number, value: unknown): number {
  if (typeof value === "string") return print(mix(before, 4), value);
  if (typeof value !== "object" || value === null) return print(mix(before, 1), String(value));
  if (Array.isArray(value))
    return value.reduce<number>((hash, item) => printValue(hash, item), mix(mix(before, 2), value.length));
  let sum = 0;
  for (const key in value) sum += mix(printValue(begin(key), (value as Record<string, unknown>)[key]), 5);
  return mix(mix(before, 3), sum);
}

/** Every bit of both affects every bit of the result (the finaliser of MurmurHash3): sums and chains of these do not cancel out. */
function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ Math.imul(value, 0x9e3779b1), 0xcc9e2d51);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const begin = (text: string): number => print(0x811c9dc5, text);

/** A 32-bit hash of a text, chained; for telling a few texts apart, not for secrets. Browsers have no synchronous hash. */
function print(before: number, text: string): number {
  let hash = mix(before, text.length);
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
