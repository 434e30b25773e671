/**
 * A session with a program that ends after each turn (`Cli.oneTurn`): every prompt starts it again and resumes its conversation, with its usage so
 * far.
 */
import type { Activity, Counted, Session } from "../driver.ts";
import { failedSession } from "./session.ts";

interface Past {
  resume?: string | undefined;
  counted?: Counted | undefined;
}

/** `start` never throws. */
export function createEachTurn(past: Past, start: (past: Past) => Promise<Session>): Session {
  let current: Session | undefined;
  let under = false;
  let interrupted = false;
  let closed = false;

  async function* turn(text: string): AsyncGenerator<Activity> {
    under = true;
    interrupted = false;
    try {
      current = await start(past);
      if (interrupted || closed) {
        await finish();
        yield { type: "end", how: "aborted" };
        return;
      }
      for await (const activity of current.prompt(text)) {
        if (activity.type === "conversation") past = { ...past, resume: activity.id };
        if (activity.type === "usage") past = { ...past, counted: activity.counted };
        if (activity.type === "end") await finish();
        yield activity;
      }
    } finally {
      await finish();
    }
  }

  /** It must have ended before it is started again: both would write the same conversation. */
  async function finish(): Promise<void> {
    await current?.close();
    current = undefined;
    under = false;
  }

  const refuse = (why: string) => failedSession({ reason: "closed", why }).prompt("");

  return {
    prompt(text) {
      if (under) return refuse("another turn is still running");
      return closed ? refuse("the session is closed") : turn(text);
    },
    say: (text) => current?.say(text) ?? false,
    permit: (id, verdict) => current?.permit(id, verdict),
    interrupt() {
      interrupted = true;
      current?.interrupt();
    },
    async close() {
      closed = true;
      await current?.close();
    },
  };
}
