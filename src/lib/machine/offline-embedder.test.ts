import { afterAll, expect, onTestFinished, test } from "vitest";
import { createOfflineEmbedder } from "./offline-embedder.ts";

const embedder = createOfflineEmbedder();
afterAll(() => embedder.close());

const { signal } = new AbortController();

const likeness = (a: Float32Array, b: Float32Array) => a.reduce((sum, one, at) => sum + one * b[at]!, 0);

test("what means the same is nearer than what does not, and nobody waits for the thread", async () => {
  let turns = 0;
  const count = setInterval(() => turns++, 5);
  const [money, same, other] = await embedder.embed(
    ["How much does it cost?", "What is the price?", "The cat sleeps."],
    signal,
  );
  clearInterval(count);
  expect(money).toHaveLength(512);
  expect(likeness(money!, same!)).toBeGreaterThan(likeness(money!, other!) + 0.2);
  expect(turns).toBeGreaterThan(3);
});

test("an urgent text does not wait for all the others", async () => {
  const order: string[] = [];
  const many = embedder
    .embed(
      Array.from({ length: 24 }, (_, n) => `note ${n} about something`),
      signal,
    )
    .then(() => order.push("many"));
  const one = embedder.embed(["now"], signal, true).then(() => order.push("one"));
  await Promise.all([many, one]);
  expect(order).toEqual(["one", "many"]);
});

test("no texts, empty ones and endless ones have their vectors", async () => {
  expect(await embedder.embed([], signal)).toEqual([]);
  const vectors = await embedder.embed(["", "\n \t", "x".repeat(100_000), "\ud800 日本語 🎉"], signal);
  expect(vectors.map((one) => one.length)).toEqual([512, 512, 512, 512]);
  for (const one of vectors) expect(likeness(one, one)).toBeCloseTo(1, 3);
});

const program = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

test("a thread that dies takes only what it had under way with it; the next call starts another", async () => {
  const broken = createOfflineEmbedder({
    program: program(
      `import { parentPort as p } from "node:worker_threads";
       p.on("message", (t) => { if (t[0] === "die") throw new Error("boom"); p.postMessage(t.map(() => new Float32Array(2))); });`,
    ),
  });
  onTestFinished(() => broken.close());
  const [first, second] = await Promise.allSettled([broken.embed(["die"], signal), broken.embed(["live"], signal)]);
  expect(first).toMatchObject({ status: "rejected", reason: { message: "the offline embedding model failed: boom" } });
  expect(second).toMatchObject({ status: "fulfilled" });
  expect(await broken.embed(["again"], signal)).toHaveLength(1);
});

test("a model that cannot be loaded rejects, and so does a closed one", async () => {
  const missing = createOfflineEmbedder({ program: program(`throw new Error("no model");`) });
  await expect(missing.embed(["a"], signal)).rejects.toThrow("no model");
  const closing = missing.embed(["b"], signal);
  await Promise.all([expect(closing).rejects.toThrow("closed"), missing.close()]);
  await expect(missing.embed(["c"], signal)).rejects.toThrow("closed");
});

test("who no longer wants a vector waits for none, and the next one gets its own", async () => {
  const stop = new AbortController();
  const gone = [embedder.embed(["under way"], stop.signal), embedder.embed(["in the queue"], stop.signal)];
  const kept = embedder.embed(["kept"], signal);
  stop.abort(new Error("enough"));
  for (const one of gone) await expect(one).rejects.toThrow("enough");
  await expect(embedder.embed(["late"], stop.signal)).rejects.toThrow("enough");
  expect((await kept)[0]).toEqual((await embedder.embed(["kept"], signal))[0]);
});

test("the thread ends when nobody needs it, and comes back", async () => {
  const thread = `import { parentPort as p, threadId } from "node:worker_threads";
    p.on("message", (t) => p.postMessage(t.map(() => Float32Array.of(threadId))));`;
  const lazy = createOfflineEmbedder({ idleMs: 0, program: program(thread) });
  onTestFinished(() => lazy.close());
  const threadOf = async () => (await lazy.embed(["a"], signal))[0]![0];
  const first = await threadOf();
  await expect.poll(threadOf).not.toBe(first);
});
