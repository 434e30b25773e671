/** Endpoints that fail, in a thread: one item for each, as long as it lasts, whoever meets it and however often. */
import type { Event } from "../../schema/event.ts";
import { base, type Item } from "./thread-item.ts";
import { type Failure, sameTrouble, type Trouble } from "./trouble.ts";

export function createTroubles(items: Item[]) {
  const troubles = new Map<string, Item & { kind: "trouble" }>();
  /** One for each endpoint, as long as it lasts. */
  const trouble = (event: Event, failure: Failure, change: Partial<Trouble>, who?: string) => {
    const key = sameTrouble(failure);
    const had = troubles.get(key);
    const before = had?.trouble ?? {
      ...(failure.endpoint ?? { why: failure.message }),
      who: [],
      times: 0,
      status: "trying" as const,
    };
    const { until: _, ...rest } = before;
    const names = who && !before.who.includes(who) ? [...before.who, who] : before.who;
    const next: Trouble = {
      ...rest,
      who: names,
      times: before.times + (change.status === "paused" ? 0 : 1),
      ...change,
    };
    if (had) {
      had.trouble = next;
      had.rev = event.seq;
      return;
    }
    const item = { ...base(event, `x${event.seq}`), kind: "trouble" as const, trouble: next };
    troubles.set(key, item);
    items.push(item);
  };
  /** It answers again, or nobody waits for it any more. */
  const settled = (event: Event, status: Trouble["status"], who?: string) => {
    for (const [key, item] of troubles) {
      if (who && !item.trouble.who.includes(who)) continue;
      const { until: _, ...rest } = item.trouble;
      item.trouble = { ...rest, status };
      item.rev = event.seq;
      troubles.delete(key);
    }
  };
  const isTroubled = (failure: Failure): boolean => troubles.has(sameTrouble(failure));
  return { trouble, settled, isTroubled };
}
