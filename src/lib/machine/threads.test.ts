import { expect, test } from "vitest";
import { threads } from "./threads.ts";

const run = (
  body: string,
  { input = {}, timeoutMs = 5_000, memoryMb = 64, signal = new AbortController().signal } = {},
) =>
  threads.run({
    module: new URL(`data:text/javascript,${encodeURIComponent(body)}`),
    input,
    timeoutMs,
    memoryMb,
    signal,
  });

test("the work is done elsewhere, with a copy of what it is given and nothing of our environment", async () => {
  const body =
    "export default async ({ a }) => ({ a: a + 1, env: Object.keys(process.env), main: (await import('node:worker_threads')).isMainThread })";
  expect(await run(body, { input: { a: 1 } })).toEqual({ a: 2, env: [], main: false });
});

test.each([
  ["throws", "export default () => { throw new Error('no such page') }", "no such page"],
  ["cannot be loaded", "export default nonsense(", "Unexpected"],
  ["exits", "export default () => process.exit(0)", "it ended without a result"],
  ["never ends", "export default () => { for (;;); }", "it took longer than 0.3 s"],
  ["has nothing left to wait for", "export default () => new Promise(() => undefined)", "it ended without a result"],
])("work that %s fails in words", async (_what, body, told) => {
  await expect(run(body, { timeoutMs: told.includes("longer") ? 300 : 5_000 })).rejects.toThrow(told);
});

test("work that takes too much memory ends, and only it", async () => {
  const body = "export default () => { const all = []; for (;;) all.push(new Array(1e5).fill({})) }";
  await expect(run(body, { memoryMb: 32 })).rejects.toThrow(/memory/);
});

test("whoever stops is answered at once, before and during the work", async () => {
  const stop = new AbortController();
  const work = run("export default () => { for (;;); }", { signal: stop.signal });
  stop.abort();
  await expect(work).rejects.toThrow("it was stopped");
  await expect(run("export default () => 1", { signal: stop.signal })).rejects.toThrow("it was stopped");
});
