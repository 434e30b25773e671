/**
 * Answers that take long and say from time to time that they are under way: programs and proxies in between give up on a connection on which
 * nothing comes, Node's own client after five minutes.
 */
import type { Clock } from "../lib/world.ts";

/** How often something is said. */
export const beatMs = 20_000;

const encoder = new TextEncoder();

/** JSON that is there later: whoever waits is sent blanks, which JSON allows in front. The answer must not reject. */
export async function laterJson(answer: Promise<unknown>, clock: Clock, everyMs = beatMs): Promise<Response> {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  let beat: () => void = () => undefined;
  const first = await Promise.race([
    answer.then((given) => ({ given })),
    new Promise<undefined>((resolve) => {
      beat = clock.after(everyMs, () => resolve(undefined));
    }),
  ]);
  beat();
  if (first) return new Response(JSON.stringify(first.given), { headers });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const say = () => {
        controller.enqueue(encoder.encode(" "));
        beat = clock.after(everyMs, say);
      };
      say();
      void answer.then((given) => {
        beat();
        try {
          controller.enqueue(encoder.encode(JSON.stringify(given)));
          controller.close();
        } catch {
          // nobody listens any more
        }
      });
    },
    cancel: () => beat(),
  });
  return new Response(body, { headers });
}

/** Server-sent events; a comment, which nobody shows, where there is nothing to tell. Whoever goes away ends `gone`. */
export function eventStream(
  events: AsyncGenerator<unknown, void, void>,
  clock: Clock,
  gone: AbortController,
  everyMs = beatMs,
): Response {
  let beat: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const rest = () => {
        beat();
        beat = clock.after(everyMs, () => {
          controller.enqueue(encoder.encode(": under way\n\n"));
          rest();
        });
      };
      rest();
      void (async () => {
        for await (const event of events) {
          if (gone.signal.aborted) break;
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
          rest();
        }
        beat();
        if (!gone.signal.aborted) controller.close();
      })();
    },
    cancel() {
      beat();
      gone.abort();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
}
