/**
 * Calls that are made again and again. Two calls are the same when tool and input are, however the input's fields are ordered.
 *
 * A repetition counts if the call got the same result as before; what changes only the log counts in any case, because its result holds a new
 * id each time. New mail begins a new count, and so does a call that led to something lasting and was not made before: whoever tests, mends
 * and tests again is at work. Calls that park do not count, nor do those of a log that does not say what the tool does.
 */
import type { Event } from "../schema/event.ts";
import type { Repeat, Thinker } from "../schema/worker.ts";

/** How many different calls are remembered. */
const remembered = 16;

type Ended = Pick<
  (Event & { type: "tool.ended" })["data"],
  "tool" | "outcome" | "result" | "wait" | "effect" | "progress"
>;

/** What is known of a participant's calls after this one, how often it was made, and whether something new lasts of it. */
export function counted(
  { repeats = [] }: Pick<Thinker, "repeats">,
  { tool, outcome, result, wait, effect, progress = "work" }: Ended,
  input: unknown,
): { repeats: Repeat[]; times: number; fruitful: boolean } {
  const lasting = outcome === "ok" && progress !== "none";
  if (wait || effect === undefined) return { repeats, times: 0, fruitful: lasting };
  const call = printOf(tool, input);
  const said = print(begin(outcome), result);
  const before = repeats.find((one) => one.call === call);
  const again = before !== undefined && (effect === "state" || before.said === said);
  const times = again ? before.times + 1 : 1;
  const kept = !before && lasting ? [] : repeats.filter((one) => one !== before);
  return { repeats: [...kept, { call, said, times }].slice(-remembered), times, fruitful: lasting && !again };
}

/** The call that was made most often. */
export const most = ({ repeats = [] }: Pick<Thinker, "repeats">): number =>
  Math.max(0, ...repeats.map((one) => one.times));

/** Of a call: fields count, their order does not. Nearly every input is flat: worth a way of its own, because every fold does this for every call. */
function printOf(tool: string, input: unknown): number {
  if (!isFlat(input)) return print(begin(tool), canonicalJson(input));
  let hash = begin(tool);
  for (const key of Object.keys(input).sort()) {
    const value = input[key];
    hash = print(print(hash, key), typeof value === "string" ? value : `${typeof value} ${value}`);
  }
  return hash;
}

function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner) =>
      inner && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}

function isFlat(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const key in value) if (typeof (value as Record<string, unknown>)[key] === "object") return false;
  return true;
}

const begin = (text: string): number => print(0x811c9dc5, text);

/** 32 bits of a text and its length, after what was printed before, in two lanes because it is done so often; for telling a few texts apart, not for secrets. Browsers have no synchronous hash. */
function print(before: number, text: string): number {
  let [one, two] = [before, text.length];
  const pairs = text.length & ~1;
  for (let index = 0; index < pairs; index += 2) {
    one = Math.imul(one ^ text.charCodeAt(index), 0x01000193);
    two = Math.imul(two ^ text.charCodeAt(index + 1), 0x01000193);
  }
  if (pairs < text.length) one = Math.imul(one ^ text.charCodeAt(pairs), 0x01000193);
  return Math.imul(one ^ Math.imul(two, 0x85ebca6b), 0x01000193) >>> 0;
}
