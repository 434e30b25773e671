/**
 * A file upload of any length: it may take as long as it likes, as long as bytes keep coming.
 *
 * An upload is read to its end also when it was refused after the first bytes: most clients read no response before they have sent everything, and
 * to one that is cut off the connection is just broken.
 */
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { uploadLimits } from "./limits.ts";

export interface Upload {
  /** Fails with a Problem when nothing comes for long. Cancelling it discards the rest. */
  stream: ReadableStream<Uint8Array>;
  /** Resolves when everything was sent, or cannot be waited for. Unread bytes are dropped. Never throws. */
  rest(): Promise<void>;
}

export function createUpload(body: ReadableStream<Uint8Array>, clock: Clock): Upload {
  const reader = body.getReader();
  let heard = 0;

  async function next(): Promise<Uint8Array | undefined> {
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(uploadLimits.silentMs, () =>
      late.reject(new Problem("invalid", `the upload stalled for ${uploadLimits.silentMs / 1000} seconds`)),
    );
    try {
      const { value } = await Promise.race([reader.read(), late.promise]);
      heard += value?.length ?? 0;
      return value;
    } finally {
      cancel();
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    async rest() {
      try {
        while (heard <= uploadLimits.mostBytes && (await next()));
      } catch {
        // It has disconnected, or sends nothing more.
      }
    },
  };
}
