/** Time that does not count: what was begun is taken as begun later, by as much. */
import { iso } from "../noun.ts";

/** A time, moved by as much as lies between the two others; never back. */
export const later = (at: string, from: string, until: string): string =>
  iso(Date.parse(at) + Math.max(0, Date.parse(until) - Date.parse(from)));
