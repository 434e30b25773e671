/** Snoozed items and their times, kept in this browser and shared by its windows. Expired ones are dropped. */
import { now } from "../platform.ts";
import { createKept, json, useKept } from "../store/persisted-state.ts";

type Snoozed = Readonly<Record<string, number>>;

const later = (entries: object): Snoozed =>
  Object.fromEntries(Object.entries(entries).filter(([, until]) => typeof until === "number" && until > now()));

const snoozed = createKept(
  "agiraph.snoozed",
  json((found): Snoozed => (typeof found === "object" && found !== null ? later(found) : {})),
);

/** `until` 0: at once again. */
export function snooze(key: string, until: number): void {
  snoozed.write(later({ ...snoozed.read(), [key]: until }));
}

/** By key: until when. Those whose time is over are in it still; ask the clock. */
export const useSnoozed = (): Snoozed => useKept(snoozed)[0];
