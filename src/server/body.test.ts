import { expect, test } from "vitest";
import { readBody } from "./body.ts";
import { bodyLimits } from "./limits.ts";

const headers = { "content-type": "application/json; charset=utf-8" };
const request = (body: ReadableStream | string) =>
  new Request("http://x", { method: "POST", headers, body, duplex: "half" } as RequestInit);

test("T10 a body that does not come is not waited for", async () => {
  let ring: () => void = () => undefined;
  let patience = 0;
  const clock = {
    now: () => 0,
    mono: () => 0,
    after(ms: number, call: () => void) {
      patience = ms;
      ring = call;
      return () => undefined;
    },
  };
  let left = false;
  const drip = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    cancel: () => {
      left = true;
    },
  });
  const reading = readBody(request(drip), clock);
  await new Promise(setImmediate);
  expect(patience).toBe(bodyLimits.patienceMs);
  ring();
  await expect(reading).rejects.toMatchObject({ code: "invalid", message: expect.stringContaining("10 seconds") });
  expect(left).toBe(true);
});

test("T10 a body without end is left as soon as it is too large", async () => {
  const clock = { now: () => 0, mono: () => 0, after: () => () => undefined };
  let given = 0;
  const flood = new ReadableStream({
    pull(controller) {
      given += 1_000_000;
      controller.enqueue(new Uint8Array(1_000_000));
    },
  });
  await expect(readBody(request(flood), clock)).rejects.toMatchObject({ code: "too_large" });
  expect(given).toBeLessThan(bodyLimits.mostBytes + 3_000_000);
});

test("a depth that is allowed and brackets in texts are read", async () => {
  const clock = { now: () => 0, mono: () => 0, after: () => () => undefined };
  const deep = "[".repeat(bodyLimits.mostDepth) + "]".repeat(bodyLimits.mostDepth);
  expect(JSON.stringify(await readBody(request(deep), clock))).toBe(deep);
  const text = { a: `${"[{".repeat(100)}\\"` };
  expect(await readBody(request(JSON.stringify(text)), clock)).toEqual(text);
});

test("a stranger says how long the body is, and what is too long is not read", async () => {
  const clock = { now: () => 0, mono: () => 0, after: () => () => undefined };
  const given = (more: Record<string, string>) => {
    const one = new Request("http://x", { method: "POST", headers: { ...headers, ...more }, body: "{}" });
    Object.defineProperty(one, "body", { get: () => expect.unreachable("it was read") });
    return readBody(one, clock, 4_096);
  };
  await expect(given({ "transfer-encoding": "chunked" })).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("content-length"),
  });
  await expect(given({ "content-length": "4097" })).rejects.toMatchObject({ code: "too_large" });
});
