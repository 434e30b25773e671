/**
 * An answer that takes long, as server-sent events: what is said meanwhile, a comment from time to time so that nobody in between gives up,
 * and the answer as the last event. What is said meanwhile is dropped for a caller who does not take it; the answer never is.
 */
import type { Clock } from "../lib/world.ts";

export const wantsPieces = ({ headers }: Request): boolean =>
  /\btext\/event-stream\b/i.test(headers.get("accept") ?? "");

const most = 1_048_576;
const beatMs = 15_000;

export interface Pieces {
  clock: Clock;
  /** The caller is gone. */
  signal: AbortSignal;
  /** Says something on the way; the answer is said last, by the name given with it. Must not throw. */
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

/** JSON has no bare line break, so whatever the text is, it is one event. */
const frame = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
