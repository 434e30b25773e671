/**
 * Triggers that the config gives to agents. Each has a name, and there is one of it: setting it at every start changes nothing, another one
 * under the same name takes its place, and one that is no longer in the config is cancelled. One that somebody cancelled, or that has fired
 * for the last time, stays so until the config says something else. What is refused is a notice, and the others are set.
 */
import type { ConfigTrigger } from "../schema/config.ts";
import { Problem } from "../schema/problem.ts";
import type { Live } from "./live.ts";

const prefix = "config:";

export function setTriggers(live: Live, given: readonly ConfigTrigger[], refused: (problem: Problem) => void): void {
  const mine = given.filter(({ agent }) => agent === "*" || agent === live.agent);
  const keys = new Set(mine.map(({ name }) => prefix + name));
  const stale = [...live.state().triggers.values()].filter(
    ({ key, status }) => status === "active" && key?.startsWith(prefix) && !keys.has(key),
  );
  const send = (command: Parameters<Live["dispatch"]>[0], what: string) => {
    try {
      live.dispatch(command).catch(() => undefined);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      refused(new Problem(problem.code, `the trigger ${what} of the config: ${problem.message}`));
    }
  };
  for (const { id, key } of stale) send({ type: "trigger.cancel", trigger: id }, key!.slice(prefix.length));
  for (const { name, type, config, action, missed } of mine) {
    const meant = typeof action === "string" ? { type: "wake_agent" as const, text: action } : action;
    const schedule = { ...config, type } as never;
    send({ type: "trigger.create", schedule, action: meant, missed, key: prefix + name }, name);
  }
}
