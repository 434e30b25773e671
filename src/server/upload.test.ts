import { expect, test } from "vitest";
import { uploadLimits } from "./limits.ts";
import { createUpload } from "./upload.ts";

const silent = { now: () => 0, mono: () => 0, after: () => () => undefined };

function createSender(chunks: number) {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < chunks) controller.enqueue(new Uint8Array(1_000));
      else controller.close();
    },
  });
  return { body, sent: () => sent };
}

test("an upload that nobody reads to its end is heard out, so that its sender can read why", async () => {
  const { body, sent } = createSender(500);
  const upload = createUpload(body, silent);
  const reader = upload.stream.getReader();
  await reader.read();
  await reader.cancel();
  expect(sent()).toBeLessThan(10);
  await upload.rest();
  expect(sent()).toBe(501);
});

test("an upload of which nothing more comes is not waited for, whoever waits", async () => {
  const rings: { ms: number; call(): void }[] = [];
  const clock = {
    ...silent,
    after(ms: number, call: () => void) {
      rings.push({ ms, call });
      return () => undefined;
    },
  };
  const upload = createUpload(new ReadableStream(), clock);
  const reading = upload.stream.getReader().read();
  await new Promise(setImmediate);
  expect(rings.map(({ ms }) => ms)).toEqual([uploadLimits.silentMs]);
  rings[0]!.call();
  await expect(reading).rejects.toMatchObject({ code: "invalid", message: expect.stringContaining("30 seconds") });
  const rest = upload.rest();
  rings[1]!.call();
  await rest;
});
