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
  const call = print(`${tool} ${canonicalJson(input)}`);
  const said = print(`${outcome} ${result}`);
  const before = repeats.find((one) => one.call === call);
  const again = before !== undefined && (effect === "state" || before.said === said);
  const times = again ? before.times + 1 : 1;
  const kept = !before && lasting ? [] : repeats.filter((one) => one !== before);
  return { repeats: [...kept, { call, said, times }].slice(-remembered), times, fruitful: lasting && !again };
}

/** The call that was made most often. */
export const most = ({ repeats = [] }: Pick<Thinker, "repeats">): number =>
  Math.max(0, ...repeats.map((one) => one.times));

function canonicalJson(value: unknown): string {
  if (isFlat(value)) {
    let text = "";
    for (const key of Object.keys(value).sort()) text += `${key}=${JSON.stringify(value[key])};`;
    return text;
  }
  return (
    JSON.stringify(value, (_key, inner) =>
      inner && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}

/** Nearly every input is: worth a way of its own, because this is done for every call of every log that is folded. */
function isFlat(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const key in value) if (typeof (value as Record<string, unknown>)[key] === "object") return false;
  return true;
}

/** 32 bits of a text and its length; for telling a few texts apart, not for secrets. The core runs in browsers, where no hash is synchronous. */
function print(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `${(hash >>> 0).toString(36)}.${text.length}`;
}
