/**
 * An outlet as server-sent events. The connection pulls from the outlet when the socket has room (backpressure): what a reader does not read stays
 * in the outlet, where it is bounded.
 */
import type { Outlet } from "./outlet.ts";

export const wantsSse = (request: Request): boolean => /text\/event-stream/i.test(request.headers.get("accept") ?? "");

export function sse(outlet: Outlet, cut: () => void): Response {
  let wanting: ReadableStreamDefaultController<Uint8Array> | undefined;
  let asked: (() => void) | undefined;
  let finished = false;

  function flow(): void {
    if (!wanting) return;
    const bytes = outlet.next();
    if (bytes) wanting.enqueue(bytes);
    else if (finished) wanting.close();
    else return;
    wanting = undefined;
    asked?.();
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      // Resolves when something was sent; until then it is not called again.
      pull(controller) {
        wanting = controller;
        return new Promise<void>((resolve) => {
          asked = resolve;
          flow();
        });
      },
      cancel() {
        wanting = undefined;
        outlet.end();
      },
    },
    { highWaterMark: 0 },
  );
  outlet.attach({
    wake: flow,
    finish() {
      finished = true;
      flow();
    },
    cut,
  });
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
