/** Which events a trigger fires on. Events of triggers, turns and the like fire none, so that no trigger feeds itself. */
import { aliasesOf, type Event } from "../../schema/event.ts";
import type { State } from "../state.ts";
import { type Active, wakeTarget } from "./rate.ts";

/** Nouns whose events match no pattern. */
const silent = new Set(["trigger", "cycle", "turn", "tool", "context", "inbox", "delivery", "log"]);
/** Before the first there is no trigger, and after the second none fires. */
const beyond = new Set(["agent.created", "agent.archived"]);

const nounOf = (type: string): string => type.slice(0, type.indexOf("."));
export const canFireTriggers = (type: string): boolean => !silent.has(nounOf(type));
export const isTriggerEvent = (type: string): boolean => nounOf(type) === "trigger";

/** Whether this event fires the trigger. Nobody is woken by their own events. */
export function firesOn(state: State, trigger: Active, event: Event): boolean {
  const { schedule } = trigger;
  if (schedule.type !== "on_event") return false;
  const from = "from" in event.data ? event.data.from : undefined;
  if (!matchesPattern(schedule.pattern, event.type, (wanted) => wanted === from)) return false;
  if (event.actor === wakeTarget(state, trigger)) return false;
  /* A field that is undefined here is absent in the log: both must mean the same. */
  const data = Object.entries(event.data).filter(([, value]) => value !== undefined);
  return Object.entries(schedule.filter ?? {}).every(([key, wanted]) =>
    data.some(([name, value]) => name === key && [value].flat().some((one) => String(one) === wanted)),
  );
}

/** `isFrom`: whether it is of the participant that an alias means; without it, whether it could be. */
export function matchesPattern(pattern: string, type: string, isFrom: (who: string) => boolean = () => true): boolean {
  const noun = nounOf(type);
  if (!canFireTriggers(type) || beyond.has(type)) return false;
  if (pattern === type || pattern === `${noun}.*`) return true;
  return aliasesOf(pattern).some(
    ({ types, from }) => types.some((one) => one === type) && (from === undefined || isFrom(from)),
  );
}
