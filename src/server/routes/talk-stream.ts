/**
 * The reply as it is said: one `sent`, the words (`delta`) of those who were addressed, one `reply`, the end. Words are dropped for a caller
 * who does not take them; the reply never is.
 */
import { awaitReply, type Waiting } from "./talk.ts";

const most = 1_048_576;
const beatMs = 15_000;

export function streamReply(waiting: Waiting, signal: AbortSignal): Response {
  const { runtime, clock, agent, sent } = waiting;
  const gone = new AbortController();
  signal.addEventListener("abort", () => gone.abort(), { once: true });
  const encoder = new TextEncoder();

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const say = (text: string) => {
          if (!gone.signal.aborted) controller.enqueue(encoder.encode(text));
        };
        say(frame("sent", sent));
        const silence = runtime.listen(agent, (delta) => {
          if (sent.to.includes(delta.participant) && (controller.desiredSize ?? 0) > 0) say(frame("delta", delta));
        });
        let quiet: () => void = () => undefined;
        const beat = () => {
          if ((controller.desiredSize ?? 0) > 0) say(": still here\n\n");
          quiet = clock.after(beatMs, beat);
        };
        quiet = clock.after(beatMs, beat);
        void awaitReply(waiting, gone.signal)
          .then(
            (outcome) => say(frame("reply", { ...sent, ...outcome })),
            () => say(frame("reply", { ...sent, reply: null, why: "the agent cannot be followed; ask again" })),
          )
          .finally(() => {
            silence();
            quiet();
            if (!gone.signal.aborted) controller.close();
          });
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: most, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
  return new Response(body, { status: 200, headers });
}

/** JSON has no bare line break, so whatever the text is, it is one event. */
const frame = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
