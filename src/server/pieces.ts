/**
 * A long-running response as server-sent events: progress, a comment from time to time so that no proxy times out, and the result as the last
 * event. Progress is dropped for a caller that does not read it; the result never is.
 */
import type { Clock } from "../lib/world.ts";

export const wantsPieces = ({ headers }: Request): boolean =>
  /\btext\/event-stream\b/i.test(headers.get("accept") ?? "");

const most = 1_048_576;
const beatMs = 15_000;

export interface Pieces {
  clock: Clock;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
  /** `say` sends progress; the result is sent last, under its own event name. Must not throw. */
  work(say: (event: string, data: unknown) => void, signal: AbortSignal): Promise<{ event: string; data: unknown }>;
}

export function inPieces({ clock, signal, work }: Pieces): Response {
  const gone = new AbortController();
  if (signal.aborted) gone.abort();
  signal.addEventListener("abort", () => gone.abort(), { once: true });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const put = (text: string) => {
          if (!gone.signal.aborted) controller.enqueue(encoder.encode(text));
        };
        const hasRoom = () => (controller.desiredSize ?? 0) > 0;
        let quiet: () => void = () => undefined;
        const beat = () => {
          if (hasRoom()) put(": still here\n\n");
          quiet = clock.after(beatMs, beat);
        };
        quiet = clock.after(beatMs, beat);
        const say = (event: string, data: unknown) => {
          if (hasRoom()) put(frame(event, data));
        };
        void work(say, gone.signal)
          .then(({ event, data }) => put(frame(event, data)))
          .finally(() => {
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

/** JSON has no bare line break, so any text is one event. */
const frame = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
