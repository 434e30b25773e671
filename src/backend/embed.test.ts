import { expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { Config } from "../schema/config.ts";
import { createEmbedder } from "./embed.ts";
import { serve } from "./server.test-help.ts";

const server = await serve();
const embedder = (model: string) =>
  createEmbedder(model, {
    config: Config.parse({ providers: { lab: { base_url: server.url } } }),
    env: {
      OPENAI_API_KEY: "k",
      GEMINI_API_KEY: "g",
      OPENAI_BASE_URL: server.url,
      GOOGLE_GEMINI_BASE_URL: server.url,
      OLLAMA_HOST: server.url,
      ANTHROPIC_API_KEY: "a",
    },
    clock: machine.clock,
    fetch: globalThis.fetch,
  });
const signal = new AbortController().signal;

test.each(["openai/some-model", "ollama/some-model", "lab/some-model", "google/some-model"])(
  "%s makes a vector of each text, in order, in as many requests as it takes",
  async (model) => {
    const before = server.asked.length;
    server.answer(({ body }, response) => {
      const texts = (body.input ??
        (body.requests as { content: { parts: { text: string }[] } }[]).map(
          ({ content }) => content.parts[0]!.text,
        )) as string[];
      const vectors = texts.map((text) => [text.length, 0.5, -1]);
      const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
      const answer = body.input
        ? { object: "list", data, usage: { prompt_tokens: 1, total_tokens: 1 } }
        : { embeddings: vectors.map((values) => ({ values })) };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    const made = embedder(model);
    expect(made.size).toBeUndefined();
    const texts = Array.from({ length: 100 }, (_, n) => "x".repeat(n + 1));
    const vectors = await made.embed(texts, signal);
    expect(vectors.map(([first]) => first)).toEqual(texts.map((text) => text.length));
    expect(vectors[0]).toEqual(Float32Array.from([1, 0.5, -1]));
    expect(made).toMatchObject({ id: model, size: 3 });
    expect(server.asked.length - before).toBe(2);
    expect(await made.embed([], signal)).toEqual([]);
  },
);

test("what goes wrong has a class, as with any call", async () => {
  server.fail(429, { error: { message: "slow down", type: "requests", code: null } }, { "retry-after": "3" });
  await expect(embedder("openai/x").embed(["a"], signal)).rejects.toMatchObject({
    kind: "transient",
    retryAfterMs: 3_000,
  });
  await expect(embedder("anthropic/x").embed(["a"], signal)).rejects.toMatchObject({ kind: "permanent" });
  expect(() => embedder("x")).toThrow("x is not an embedding model");
  expect(embedder("openai/text-embedding-3-small").size).toBe(1536);
  await expect(embedder("openai/x").embed(["a"], AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
});
