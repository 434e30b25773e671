/**
 * Fading: a working note that nobody has written, read or found for a while is left out of the opening. It stays in its file and in every search,
 * and one use brings it back. Core notes never fade; archived ones are never in the opening.
 */
import type { Tier } from "../schema/note.ts";

const dayMs = 86_400_000;
export const fadeDays = 60;
/** The last days before it fades: people can see that it is about to. */
const warnDays = 14;

/** The notes that are fresh at this time were used after this. */
export const freshSince = (now: number): number => now - fadeDays * dayMs;

export type Fading = "stays" | "fresh" | "fading" | "faded";

export function fadingOf(tier: Tier, used: number, now: number): Fading {
  if (tier !== "working") return tier === "core" ? "stays" : "faded";
  const days = (now - used) / dayMs;
  return days > fadeDays ? "faded" : days > fadeDays - warnDays ? "fading" : "fresh";
}

/** When it fades, if nobody uses it. */
export const fadesAt = (used: number): number => used + fadeDays * dayMs;
