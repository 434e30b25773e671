/** The line below a name in the lanes. */
import type { Who } from "../parts/status/avatar.tsx";
import { duration, plural } from "../parts/text/words.ts";
import type { Lane } from "./timeline.ts";

/** `from` and `now`: what the lane reaches over. */
export function laneWords({ bars }: Lane, kind: Who["kind"], from: number, now: number): string {
  if (kind === "human") {
    const open = bars.filter(({ yours, to }) => yours && to === undefined).length;
    return open ? `${open} open` : "nothing open";
  }
  const nodes = [...new Set(bars.flatMap(({ node }) => (node ? [node.split("-")[0]!] : [])))];
  if (nodes.length) return `${nodes.slice(-4).join(", ")}${nodes.length > 4 ? " …" : ""}`;
  if (kind !== "coordinator") {
    const calls = bars.reduce((sum, { ticks }) => sum + ticks.length, 0);
    return calls ? plural(calls, "call") : "no node yet";
  }
  const parked = bars.filter((bar) => bar.kind === "park").reduce((sum, bar) => sum + (bar.to ?? now) - bar.from, 0);
  return parked > 0 ? `parked ${ofWhole(parked, now - from)}` : "coordinates";
}

/** "25 of 34 min", "40 s of 3 min". */
function ofWhole(part: number, whole: number): string {
  const [one, all] = [duration(part), duration(whole)];
  const unit = all.match(/^\d+ (s|min|days)$/)?.[1];
  return `${unit && one.endsWith(` ${unit}`) && /^\d+ \w+$/.test(one) ? one.split(" ")[0] : one} of ${all}`;
}
