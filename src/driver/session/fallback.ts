/**
 * A session that changes to another way of driving the same program when the installed version does not support the first one. That shows in the
 * first turn, before anything has happened in it.
 */
import type { Activity, Session } from "../driver.ts";

/** `next` never throws. */
export function withFallback(first: Session, next: () => Promise<Session>): Session {
  let current = first;
  let works = false;
  let interrupted = false;
  /** Sent before it was known whether it would be read. */
  let unsure: string[] = [];

  async function* turn(text: string): AsyncGenerator<Activity> {
    interrupted = false;
    for await (const activity of current.prompt(text)) {
      const isUnsupported = activity.type === "end" && activity.how === "failed" && activity.reason === "version";
      if (works || !isUnsupported) {
        works = true;
        yield activity;
        continue;
      }
      await current.close();
      current = await next();
      works = true;
      if (interrupted) yield { type: "end", how: "aborted" };
      else yield* current.prompt([text, ...unsure].join("\n\n"));
      return;
    }
  }

  return {
    prompt: turn,
    say(text) {
      const isHeard = current.say(text);
      if (isHeard && !works) unsure = [...unsure, text];
      return isHeard;
    },
    permit: (id, verdict) => current.permit(id, verdict),
    interrupt() {
      interrupted = true;
      current.interrupt();
    },
    close: () => current.close(),
  };
}
