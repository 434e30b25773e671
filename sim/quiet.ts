/** A world in which no kind is on: nothing goes wrong, so nothing may have to be made good. */
import type { events } from "../src/schema/event.ts";
import type { Line } from "./history.ts";
import type { Human } from "./human.ts";
import type { Witness } from "./witness.ts";

/** What is in a log only if something went wrong before. */
const mended = ["turn.resumed", "log.repaired"] as const satisfies readonly (keyof typeof events)[];

export function checkQuiet(agent: string, lines: readonly Line[], human: Human, witness: Witness): void {
  const violated = (what: string) => witness.violated("quiet", `${agent}: ${what}`);
  for (const { seq, type } of lines)
    if ((mended as readonly string[]).includes(type)) violated(`event ${seq} is ${type}, and nothing went wrong`);
  if (human.retries()) violated(`${human.retries()} requests had to be asked again, and nothing went wrong`);
  const notices = Object.keys(witness.injected()).filter((name) => name.startsWith("notice "));
  if (notices.length) violated(`nothing went wrong, and there was a ${notices.join(", ")}`);
}
