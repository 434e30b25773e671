import { expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { Config } from "../schema/config.ts";
import { createBackends } from "./backends.ts";
import { backendsAt, heard, request, secret, serve } from "./server.test-help.ts";
import { chatStream } from "./streams.test-help.ts";

const make = (
  config: object = {},
  env: Record<string, string> = {},
  fetch: typeof globalThis.fetch = globalThis.fetch,
) => createBackends({ config: Config.parse(config), env, clock: machine.clock, fetch });

const problem = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    return error as Error & { kind: string };
  }
  throw new Error("it was taken");
};

test("aliases are followed to the end, with text: anywhere on the way; a circle is refused", () => {
  const aliases = { smart: "best", best: "text:lab/large", cheap: "lab/small", a: "b", b: "text:c", c: "a" };
  const { resolve } = make({ aliases, providers: { lab: { base_url: "http://h" } } });
  expect(resolve("smart")).toMatchObject({ name: "lab/large", provider: "lab", model: "large", text: true });
  expect(resolve("text:cheap")).toMatchObject({ name: "lab/small", text: true });
  expect(resolve("cheap").text).toBe(false);
  expect(problem(() => resolve("a"))).toMatchObject({
    kind: "permanent",
    message: "the aliases in config.yaml are circular: a → b → c → a",
  });
});

test("what means nothing is refused, and what there is is named; asked all the same, it fails as a call does", async () => {
  const { resolve, backend } = make({
    aliases: { smart: "anthropic/x" },
    providers: { lab: { base_url: "http://h" }, nowhere: {} },
  });
  expect(problem(() => resolve("opus")).message).toMatch(
    /^opus is not a model name: use provider\/model, such as anthropic\/claude.*aliases smart$/,
  );
  expect(problem(() => resolve("nobody/x"))).toMatchObject({
    kind: "permanent",
    message:
      "there is no provider nobody. Providers: anthropic, openai, google, openrouter, ollama, lab, nowhere; add another as providers.nobody.base_url in config.yaml",
  });
  expect(problem(() => resolve("nowhere/x")).message).toMatch(/providers\.nowhere\.base_url is missing/);
  expect(backend("nobody/x").worst(request())).toEqual({ usd: 0, tokens: 0 });
  await expect(heard(backend("nobody/x"))).rejects.toMatchObject({ name: "BackendError", kind: "permanent" });
});

test.each([
  [
    "anthropic/x",
    {},
    "anthropic needs a key: set ANTHROPIC_API_KEY in the environment, or name another variable as providers.anthropic.api_key_env in config.yaml",
  ],
  [
    "google/x",
    {},
    "google needs a key: set GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY in the environment, or name another variable as providers.google.api_key_env in config.yaml",
  ],
  [
    "lab/x",
    { providers: { lab: { base_url: "http://h", api_key_env: "LAB_KEY" } } },
    "lab needs a key: set LAB_KEY in the environment, or name another variable as providers.lab.api_key_env in config.yaml",
  ],
])("a key that is missing for %s is asked for by name", async (model, config, message) => {
  await expect(heard(make(config).backend(model))).rejects.toMatchObject({
    name: "BackendError",
    kind: "provider",
    message,
  });
});

test.each([
  ["anthropic/x", {}, {}, "https://api.anthropic.com/v1", "the default address"],
  ["anthropic/x", {}, { ANTHROPIC_BASE_URL: "http://proxy:8080/" }, "http://proxy:8080/v1", "ANTHROPIC_BASE_URL"],
  [
    "anthropic/x",
    { providers: { anthropic: { base_url: "http://p/v1" } } },
    { ANTHROPIC_BASE_URL: "http://q" },
    "http://p/v1",
    "providers.anthropic.base_url",
  ],
  ["google/x", {}, { GOOGLE_GEMINI_BASE_URL: "http://g" }, "http://g/v1beta", "GOOGLE_GEMINI_BASE_URL"],
  ["openrouter/a/b", {}, {}, "https://openrouter.ai/api/v1", "the default address"],
  ["lab/x", { providers: { lab: { base_url: "http://h:1234" } } }, {}, "http://h:1234/v1", "providers.lab.base_url"],
  ["lab/x", { providers: { lab: { base_url: "http://h/api/v4/" } } }, {}, "http://h/api/v4", "providers.lab.base_url"],
  [
    "my/x",
    { providers: { my: { base_url: "http://h", kind: "google" } } },
    {},
    "http://h/v1beta",
    "providers.my.base_url",
  ],
  ["ollama/x", {}, {}, "http://127.0.0.1:11434/v1", "the default address"],
  ["ollama/x", {}, { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434/v1", "OLLAMA_HOST"],
  ["ollama/x", {}, { OLLAMA_HOST: "box:8000" }, "http://box:8000/v1", "OLLAMA_HOST"],
  ["ollama/x", {}, { OLLAMA_HOST: "https://box" }, "https://box/v1", "OLLAMA_HOST"],
])("%s with %j and %j is reached at %s", (model, config, env, baseUrl, chosenBy) => {
  expect(make(config, env).resolve(model)).toMatchObject({ baseUrl, chosenBy });
});

test("what the config says of a model wins over what is known; what nobody knows is small and has no price", () => {
  const price = { input: 1, output: 2 };
  const { resolve } = make({
    models: { "anthropic/claude-sonnet-5-5": { window: 5_000, price }, "lab/big": { window: 9_000, max_output: 100 } },
    providers: { lab: { base_url: "http://h" } },
  });
  expect(resolve("anthropic/claude-sonnet-5-5").known).toMatchObject({
    window: 5_000,
    price,
    priced: true,
    search: true,
  });
  expect(resolve("anthropic/claude-haiku-4-5-20251001").known).toMatchObject({
    window: 200_000,
    price: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
  });
  expect(resolve("openai/gpt-5-mini").known.price.input).toBe(0.25);
  expect(resolve("openai/gpt-5.4-pro").known.priced).toBe(false);
  expect(resolve("openai/gpt-5.4-2026-03-05").known.price.input).toBe(2.5);
  expect(resolve("openai/gpt-5.4-mini").known.window).toBe(400_000);
  expect(resolve("openrouter/anthropic/claude-opus-5.5:beta").known).toMatchObject({
    window: 1_000_000,
    price: { input: 4 },
    search: false,
  });
  expect(resolve("openrouter/other/thing").known).toMatchObject({ window: 32_768, priced: false });
  expect(resolve("lab/big").known).toMatchObject({ window: 9_000, maxOutput: 100, priced: false, search: false });
  expect(resolve("ollama/qwen").known).toMatchObject({ priced: true, price: { input: 0, output: 0 } });
});

test("the most a call can cost is its whole input and the longest answer, at the price of long requests if it is one", () => {
  const backend = make({}, { ANTHROPIC_API_KEY: "k" }).backend("anthropic/claude-haiku-5-5");
  const small = backend.worst(request());
  expect(small.usd).toBeGreaterThan((32_000 * 0.5) / 1e6);
  expect(small.usd).toBeLessThan(0.017);
  expect(small.tokens).toBeGreaterThan(32_000);
  const long = backend.worst(request({ system: "word ".repeat(110_000) }));
  expect(long.usd).toBeGreaterThan((32_000 * 2.5 + 110_000 * 0.5) / 1e6);
  expect(backend.window).toBe(1_000_000);
});

test("without a chosen model: the config's, else the first with a key, else a local Ollama, else it is said what is missing", async () => {
  const never: typeof globalThis.fetch = () => Promise.reject(new Error("must not be asked"));
  expect(await make({ model: "smart" }, {}, never).choose()).toMatchObject({
    model: "smart",
    why: "model in config.yaml",
  });
  const keyed = await make({}, { OPENAI_API_KEY: "k", GOOGLE_GENERATIVE_AI_API_KEY: "g" }, never).choose();
  expect(keyed).toMatchObject({ model: "openai/gpt-6.1-sol", why: "OPENAI_API_KEY is set", ollama: undefined });
  expect(keyed.found.filter(({ ready }) => ready).map(({ provider }) => provider)).toEqual([
    "openai",
    "google",
    "ollama",
  ]);
  expect(JSON.stringify(keyed)).not.toContain('"k"');
  const tags: typeof globalThis.fetch = async (url) => {
    expect(url).toBe("http://127.0.0.1:11434/api/tags");
    return Response.json({ models: [{ name: "nomic-embed-text:latest" }, { name: "qwen3:8b" }] });
  };
  expect(await make({}, {}, tags).choose()).toMatchObject({ model: "ollama/qwen3:8b", ollama: ["qwen3:8b"] });
  expect(await make({}, {}, never).choose()).toMatchObject({
    model: undefined,
    why: "no model is chosen, none of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENROUTER_API_KEY is set, and Ollama does not answer",
  });
});

test("where nothing may be sent nobody is asked, whoever is named, and it is said why", async () => {
  const never: typeof globalThis.fetch = () => Promise.reject(new Error("must not be asked"));
  const env = { OPENAI_API_KEY: "k" };
  const config = Config.parse({ model: "ollama/x" });
  const backends = createBackends({ config, env, clock: machine.clock, fetch: never, closed: "it is not trusted" });
  expect(await backends.ollama()).toBeUndefined();
  expect(await backends.choose()).toMatchObject({ model: undefined, why: "it is not trusted" });
  for (const model of ["ollama/x", "openai/gpt-5", "nobody"])
    await expect(heard(backends.backend(model))).rejects.toThrow("it is not trusted");
});

const server = await serve();

test("a server of one's own is asked without a key, or with the one that is named for it and no other", async () => {
  server.stream(chatStream());
  await heard(backendsAt(server.url).backend("lab/local"));
  expect(server.last().headers.authorization).toBeUndefined();
  expect(server.last().path).toBe("/v1/chat/completions");
  const named = { providers: { lab: { base_url: `${server.url}/v1`, api_key_env: "LAB_KEY" } } };
  await heard(backendsAt(server.url, { config: named, env: { LAB_KEY: "lab-key" } }).backend("lab/local"));
  expect(server.last().headers.authorization).toBe("Bearer lab-key");
  expect(JSON.stringify(server.last())).not.toContain(secret);
});

test("a model is made once", () => {
  const backends = make({ aliases: { smart: "ollama/x" } });
  expect(backends.backend("smart")).toBe(backends.backend("ollama/x"));
  expect(backends.backend("text:smart")).not.toBe(backends.backend("ollama/x"));
});
