/** The reply as a stream: one `sent`, the text (`delta`) of those who were addressed, one `reply`, the end. */
import { inPieces } from "../pieces.ts";
import { awaitReply, type Waiting } from "./talk.ts";

export function streamReply(waiting: Waiting, signal: AbortSignal): Response {
  const { runtime, clock, agent, sent } = waiting;
  return inPieces({
    clock,
    signal,
    async work(say, gone) {
      say("sent", sent);
      const silence = runtime.watch({
        delta: (from, delta) => from === agent && sent.to.includes(delta.participant) && say("delta", delta),
      });
      const lost = { reply: null, why: "the agent's events cannot be read; try again" };
      const outcome = await awaitReply(waiting, gone).catch(() => lost);
      silence();
      return { event: "reply", data: { ...sent, ...outcome } };
    },
  });
}
