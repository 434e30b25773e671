import { expect, test } from "vitest";
import type { Line } from "../schema/worker.ts";
import { malformed } from "./answer.ts";
import {
  backendsAt,
  callsIn,
  endOf,
  heard,
  inbox,
  models,
  request,
  serve,
  textIn,
  webSearch,
  writeFile,
} from "./server.test-help.ts";
import {
  anthropicSearch,
  anthropicStream,
  chatStream,
  geminiSearch,
  geminiStream,
  openaiSearch,
  openaiStream,
} from "./streams.test-help.ts";

const server = await serve();
const backends = backendsAt(server.url);

const a = { path: "a.md", content: "A" };
const b = { path: "b.md", content: "B" };

test.each([
  [
    "Anthropic",
    models.anthropic,
    anthropicStream({ second: [JSON.stringify(b)] }),
    [1150, 80, 1000, 50, true],
    0.001325,
  ],
  ["OpenAI", models.openai, openaiStream(), [1200, 90, 1024, 0, true], 0.0013544],
  ["Gemini", models.google, geminiStream(), [900, 65, 512, 0, true], 0.0011463],
  ["OpenRouter", models.openrouter, chatStream(), [700, 60, 512, 0, true], 0.0010784],
  ["a compatible server", models.compatible, chatStream(), [700, 60, 512, 0, false], 0],
])(
  "an answer of %s is heard whole: words, thoughts, calls, what it used and cost",
  async (_name, model, stream, used, usd) => {
    server.stream(stream);
    const parts = await heard(backends.backend(model));
    expect(textIn(parts)).toBe("I write both – now.");
    const thoughts = parts.map((part) => (part.type === "thought" ? part.text : "")).join("");
    expect(thoughts).toBe(stream.includes("I should write") ? "I should write two files." : "");
    expect(callsIn(parts)).toMatchObject([
      { tool: "write_file", input: a },
      { tool: "write_file", input: b },
    ]);
    const { cost, usage, stop } = endOf(parts);
    const [input, output, cache_read, cache_write, priced] = used;
    expect(usage).toEqual({ model, input, output, cache_read, cache_write, priced });
    expect(cost).toEqual({ usd: expect.closeTo(usd, 9), tokens: Number(input) + Number(output) });
    expect(stop).toBe("done");
    expect(parts.filter((part) => part.type === "end")).toHaveLength(1);
  },
);

test("what OpenRouter says it took is what the call cost", async () => {
  server.stream(chatStream().replace('"total_tokens":760', '"total_tokens":760,"cost":0.25'));
  const parts = await heard(backends.backend("openrouter/some/model"));
  expect(endOf(parts)).toMatchObject({ cost: { usd: 0.25, tokens: 760 }, usage: { priced: true } });
});

test("a provider that does not count is taken to have used the most", async () => {
  server.stream(chatStream({ usage: false }));
  const backend = backendsAt(server.url, {
    config: { models: { "lab/local": { price: { input: 1, output: 2 }, max_output: 500 } } },
  }).backend(models.compatible);
  const { cost, usage } = endOf(await heard(backend));
  expect(cost).toEqual(backend.worst(request()));
  expect(cost.usd).toBeGreaterThan(500 * 2e-6);
  expect(usage).toBeUndefined();
});

test.each([
  ["Anthropic", models.anthropic, anthropicStream({ second: ['{"path":"b.md",'] })],
  ["OpenAI", models.openai, openaiStream({ second: '{"path":"b.md",' })],
  ["a compatible server", models.compatible, chatStream({ second: '{"path":"b.md",' })],
])("arguments of %s that are no JSON spoil only their own call, which no tool takes", async (_name, model, stream) => {
  server.stream(stream);
  const parts = await heard(backends.backend(model));
  expect(callsIn(parts)).toMatchObject([{ input: a }, { tool: "write_file", input: `${malformed}{"path":"b.md",` }]);
  expect(endOf(parts).stop).toBe("done");
});

test.each([
  ["Anthropic", models.anthropic, anthropicStream({ stop: "max_tokens", second: ['{"pa'] })],
  ["OpenAI", models.openai, openaiStream({ last: "incomplete", reason: "max_output_tokens" })],
  ["a compatible server", models.compatible, chatStream({ finish: "length", second: '{"pa' })],
  ["Gemini", models.google, geminiStream({ finish: "MAX_TOKENS" })],
])("an answer of %s that was cut at its longest says so and asks for nothing", async (_name, model, stream) => {
  server.stream(stream);
  const parts = await heard(backends.backend(model));
  expect(callsIn(parts)).toEqual([]);
  expect(endOf(parts).stop).toBe("length");
  expect(endOf(parts)).not.toHaveProperty("kept");
  expect(textIn(parts)).toBe("I write both – now.");
});

test.each([
  ["Anthropic", models.anthropic, anthropicStream({ stop: "refusal" })],
  ["OpenAI", models.openai, openaiStream({ last: "incomplete", reason: "content_filter" })],
  ["a compatible server", models.compatible, chatStream({ finish: "content_filter" })],
  ["Gemini", models.google, geminiStream({ finish: "SAFETY" })],
  [
    "Gemini, of the question,",
    models.google,
    'data: {"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9}}\n\n',
  ],
])("a refusal of %s is no answer to act on", async (_name, model, stream) => {
  server.stream(stream);
  const parts = await heard(backends.backend(model));
  expect(callsIn(parts)).toEqual([]);
  expect(endOf(parts).stop).toBe("refused");
});

test.each([
  ["OpenAI", models.openai, openaiStream().replaceAll("response.output_text.delta", "response.refusal.delta")],
  ["a compatible server", models.compatible, chatStream().replaceAll('"delta":{"content":', '"delta":{"refusal":')],
])("what %s says instead of an answer is heard, and is a refusal", async (_name, model, stream) => {
  server.stream(stream);
  const parts = await heard(backends.backend(model));
  expect(textIn(parts)).toBe("I write both – now.");
  expect(callsIn(parts)).toEqual([]);
  expect(endOf(parts).stop).toBe("refused");
});

test("a call that Gemini itself could not read may be asked again", async () => {
  server.stream(geminiStream({ finish: "MALFORMED_FUNCTION_CALL", calls: false }));
  await expect(heard(backends.backend(models.google))).rejects.toMatchObject({ kind: "transient" });
});

test("calls that have one id, or none, get their own", async () => {
  server.stream(chatStream().replaceAll('"id":"call_1"', '"id":"call_0"'));
  const ids = callsIn(await heard(backends.backend(models.compatible))).map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  server.stream(anthropicStream().replaceAll(/toolu_01[AB]/g, ""));
  const named = callsIn(await heard(backends.backend(models.anthropic))).map(({ id }) => id);
  expect(new Set(named).size).toBe(2);
  expect(named.every((id) => id.length > 0)).toBe(true);
});

test.each([
  ["Anthropic", models.anthropic, anthropicStream({ stop: "end_turn", blocks: [] })],
  ["a compatible server", models.compatible, chatStream({ finish: "stop", text: [], calls: false })],
])("an empty answer of %s is an answer", async (_name, model, stream) => {
  server.stream(stream);
  expect(await heard(backends.backend(model))).toMatchObject([{ type: "end", stop: "done" }]);
});

const results = (turn: string, calls: { id: string }[]): Line[] =>
  calls.map(({ id }) => ({ role: "tool", turn, call: id, tool: "write_file", outcome: "ok", result: `wrote ${id}` }));

/** The conversation after this answer and its results. */
async function continued(model: string, stream: string, lines: Line[], turn = "t1", tools = [writeFile]) {
  server.stream(stream);
  const parts = await heard(backends.backend(model), { lines, tools, note: `note of ${turn}` });
  const calls = callsIn(parts).map(({ id, tool, input }) => ({ id, tool, input }));
  const { kept } = endOf(parts);
  const said: Line = { role: "assistant", turn, text: textIn(parts), calls, ...(kept ? { kept } : {}) };
  return [...lines, JSON.parse(JSON.stringify(said)) as Line, ...results(turn, calls)];
}

test.each([
  ["Anthropic", models.anthropic, anthropicStream(), "c2lnbmF0dXJl"],
  ["OpenAI", models.openai, openaiStream(), "c2VhbGVk"],
  ["Gemini", models.google, geminiStream(), "dGhvdWdodA=="],
])("what %s must be given back is given back to it, and to nobody else", async (_name, model, stream, seal) => {
  const lines = await continued(model, stream, [inbox("go")]);
  server.stream(stream);
  await heard(backends.backend(model), { lines });
  expect(server.last().text).toContain(seal);
  for (const other of Object.values(models).filter((one) => one !== model)) {
    await heard(backends.backend(other), { lines }).catch(() => undefined);
    expect(server.last().text).not.toContain(seal);
    expect(server.last().text).toContain("I write both");
  }
});

test("what was kept is left out once the provider does not take it back", async () => {
  const lines = await continued(models.anthropic, anthropicStream(), [inbox("go")]);
  const before = server.asked.length;
  server.answer((asked, response) => {
    if (!asked.text.includes("c2lnbmF0dXJl"))
      return response.writeHead(200, { "content-type": "text/event-stream" }).end(anthropicStream());
    const error = {
      type: "invalid_request_error",
      message: "messages.1.content.0: Invalid `signature` in `thinking` block",
    };
    return response
      .writeHead(400, { "content-type": "application/json" })
      .end(JSON.stringify({ type: "error", error }));
  });
  expect(endOf(await heard(backends.backend(models.anthropic), { lines })).stop).toBe("done");
  expect(server.asked.length - before).toBe(2);
  await heard(backends.backend(models.anthropic), { lines });
  expect(server.asked.length - before).toBe(3);
});

test("an account that may not see OpenAI's thinking is answered without it", async () => {
  const own = backendsAt(server.url).backend(models.openai);
  server.answer((asked, response) => {
    const summary = (asked.body.reasoning as { summary?: string }).summary;
    if (!summary) return response.writeHead(200, { "content-type": "text/event-stream" }).end(openaiStream());
    const error = {
      message: "Your organization must be verified to generate reasoning summaries.",
      type: "invalid_request_error",
    };
    return response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  expect(endOf(await heard(own)).stop).toBe("done");
});

/** Without what moves on purpose: the marks of the cache. A text that carries a mark is a list of one for OpenRouter. */
const bare = (body: unknown, model: string): string =>
  JSON.stringify(body, (key, value) => {
    if (key === "cache_control") return undefined;
    const listed =
      model === models.openrouter &&
      key === "content" &&
      Array.isArray(value) &&
      value.length === 1 &&
      value[0].type === "text";
    return listed ? value[0].text : value;
  });

test.each([
  ["Anthropic", models.anthropic, anthropicStream(), "messages"],
  ["OpenAI", models.openai, openaiStream(), "input"],
  ["Gemini", models.google, geminiStream(), "contents"],
  ["OpenRouter", models.openrouter, chatStream(), "messages"],
  ["a compatible server", models.compatible, chatStream(), "messages"],
])(
  "what %s was sent is the beginning of what it is sent next, so that its cache hits",
  async (_name, model, stream, list) => {
    const from = server.asked.length;
    let lines: Line[] = [inbox("go")];
    for (const turn of ["t1", "t2", "t3"]) {
      lines = await continued(model, stream, lines, turn);
      if (turn === "t2") lines.push(inbox("and now?", "alice", 9));
    }
    const bodies = server.asked.slice(from).map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    for (const [at, body] of bodies.entries()) {
      const next = bodies[at + 1];
      if (!next) continue;
      const { [list]: mine, ...rest } = body;
      const { [list]: theirs, ...others } = next;
      expect(bare(others, model)).toBe(bare(rest, model));
      const said = bare(mine, model);
      const theirsSaid = bare(theirs, model);
      let same = 0;
      while (said[same] === theirsSaid[same]) same++;
      // What differs is the note and the brackets around it.
      expect(said.indexOf("<note>") - same).toBeLessThan(60);
    }
  },
);

test.each([
  ["Anthropic", models.anthropic, anthropicStream()],
  ["OpenAI", models.openai, openaiStream()],
  ["Gemini", models.google, geminiStream()],
  ["a compatible server", models.compatible, chatStream()],
])(
  "what others published is said to %s in the user's role, before the conversation, and never by the system",
  async (_name, model, stream) => {
    server.stream(stream);
    await heard(backends.backend(model), { data: "PUBLISHED", lines: [inbox("go on")] });
    const { system, instructions, systemInstruction, messages, input, contents } = server.last().body;
    const said = (messages ?? input ?? contents) as { role: string }[];
    const ours = JSON.stringify([system, instructions, systemInstruction, said.filter(({ role }) => role !== "user")]);
    expect(ours).not.toContain("PUBLISHED");
    expect(JSON.stringify(said.filter(({ role }) => role === "user"))).toMatch(/^((?!go on).)*PUBLISHED.*go on/);
  },
);

type Block = { cache_control?: unknown; text?: string; type?: string };

test("Anthropic is told what to cache: tools and system, the last stable message and the one before, never the note", async () => {
  let lines: Line[] = [inbox("go")];
  for (const turn of ["t1", "t2", "t3"]) lines = await continued(models.anthropic, anthropicStream(), lines, turn);
  const { system, messages } = server.last().body as {
    system: Block[];
    messages: { role: string; content: Block[] }[];
  };
  expect(system.at(-1)?.cache_control).toEqual({ type: "ephemeral" });
  const marked = messages.map(({ content }) =>
    content.map((block) => (block.cache_control ? block.type : "-")).join(" "),
  );
  expect(marked).toEqual(["-", "- - - -", "- tool_result", "- - - -", "- tool_result -"]);
  expect(messages.at(-1)?.content.at(-1)?.text).toBe("<note>\nnote of t3\n</note>");
});

test("the provider's own search stands in for ours, and is never there twice", async () => {
  const tools = [writeFile, webSearch];
  const offered = async (model: string, stream: string, given = backends) => {
    server.stream(stream);
    await heard(given.backend(model), { tools });
    return JSON.stringify(server.last().body.tools);
  };
  expect(await offered(models.anthropic, anthropicStream())).toMatch(
    /"type":"web_search_20250305","name":"web_search"/,
  );
  expect((await offered(models.anthropic, anthropicStream())).match(/"web_search"/g)).toHaveLength(1);
  expect(await offered(models.openai, openaiStream())).toMatch(/\{"type":"web_search"\}/);
  expect(await offered(models.google, geminiStream())).toMatch(/\{"googleSearch":\{\}\}.*functionDeclarations/);
  expect(await offered(models.compatible, chatStream())).toContain('"name":"web_search"');
  const ours = backendsAt(server.url, { config: { models: { [models.anthropic]: { search: false } } } });
  expect(await offered(models.anthropic, anthropicStream(), ours)).toContain(
    '"input_schema":{"type":"object","properties":{"query"',
  );
});

test("what a provider's search found is shown with its sources, and survives for it", async () => {
  const tools = [writeFile, webSearch];
  server.stream(anthropicSearch());
  const parts = await heard(backends.backend(models.anthropic), { tools });
  expect(callsIn(parts)).toEqual([]);
  expect(textIn(parts)).toBe("I look it up. A happened.\n\nSources:\n- News of A: https://example.com/a");
  expect(endOf(parts).cost.usd).toBeCloseTo(0.001325 + 0.01, 9);
  const lines = await continued(models.anthropic, anthropicSearch(), [inbox("news?")], "t1", tools);
  server.stream(anthropicStream());
  await heard(backends.backend(models.anthropic), { lines: [...lines, inbox("thanks")], tools });
  const { messages } = server.last().body as { messages: { content: { type: string }[] }[] };
  expect(messages[1]!.content.map(({ type }) => type)).toEqual([
    "text",
    "server_tool_use",
    "web_search_tool_result",
    "text",
  ]);
  expect(server.last().text).toContain('"encrypted_content":"RW5j"');
  expect(server.last().text).toContain('"encrypted_index":"SW5kZXg"');
});

test.each([
  ["Gemini", models.google, geminiSearch(), ["c2VhcmNo"], []],
  ["OpenAI", models.openai, openaiSearch(), ["YWZ0ZXI="], ["YmVmb3Jl", "ws_1"]],
])(
  "a search of %s has its sources in the text; of the rest comes back what it takes back",
  async (_name, model, stream, back, gone) => {
    const tools = [writeFile, webSearch];
    server.stream(stream);
    const parts = await heard(backends.backend(model), { tools });
    expect(textIn(parts)).toBe("A happened.\n\nSources:\n- News of A: https://example.com/a");
    expect(callsIn(parts)).toEqual([]);
    const lines = await continued(model, stream, [inbox("news?")], "t1", tools);
    server.stream(stream);
    await heard(backends.backend(model), { lines: [...lines, inbox("thanks")], tools });
    for (const kept of back) expect(server.last().text).toContain(kept);
    for (const left of gone) expect(server.last().text).not.toContain(left);
  },
);

test("a paused answer is the last word of the next request, without a note", async () => {
  const lines = await continued(models.anthropic, anthropicSearch("pause_turn"), [inbox("news?")], "t1", [webSearch]);
  server.stream(anthropicStream());
  await heard(backends.backend(models.anthropic), { lines, tools: [webSearch], note: "a note" });
  const { messages } = server.last().body as { messages: { role: string; content: { type: string }[] }[] };
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages[1]!.content.map(({ type }) => type)).toEqual(["text", "server_tool_use"]);
  server.stream(anthropicSearch("pause_turn"));
  expect(endOf(await heard(backends.backend(models.anthropic), { tools: [webSearch] })).stop).toBe("paused");
  // Once something was said after it, nobody can go on with it.
  server.stream(anthropicStream());
  await heard(backends.backend(models.anthropic), { lines: [...lines, inbox("stop")], tools: [webSearch] });
  expect(server.last().text).not.toContain("server_tool_use");
});

test("each provider is told the longest answer, how to think, and nothing it refuses", async () => {
  const body = async (model: string, stream: string) => {
    server.stream(stream);
    await heard(backends.backend(model));
    return server.last().body;
  };
  const openai = await body(models.openai, openaiStream());
  expect(openai).toMatchObject({
    max_output_tokens: 32_000,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "medium" },
    prompt_cache_key: expect.stringMatching(/^coordinator-/),
    tools: [{ strict: false }],
  });
  for (const refused of ["temperature", "top_p", "previous_response_id"]) expect(openai).not.toHaveProperty(refused);
  expect(await body("openai/gpt-4.1", openaiStream())).not.toHaveProperty("reasoning");
  expect(await body(models.anthropic, anthropicStream())).toMatchObject({
    max_tokens: 32_000,
    thinking: { type: "adaptive" },
  });
  expect(await body("anthropic/claude-haiku-4-5", anthropicStream())).not.toHaveProperty("thinking");
  expect(await body(models.google, geminiStream())).toMatchObject({
    generationConfig: { maxOutputTokens: 32_000, thinkingConfig: { includeThoughts: true } },
  });
  expect(await body(models.compatible, chatStream())).toMatchObject({
    max_tokens: 4096,
    stream_options: { include_usage: true },
  });
});

test("what a call is allowed is the limit that its provider is given, and what is reserved for it", async () => {
  const allowed = { output: 1_234, searches: 2 };
  const body = async (model: string, stream: string, more = {}) => {
    server.stream(stream);
    await heard(backends.backend(model), { allowed, tools: [webSearch], ...more });
    return server.last().body;
  };
  expect(await body(models.anthropic, anthropicStream())).toMatchObject({
    max_tokens: 1_234,
    tools: [{ max_uses: 2 }],
  });
  expect(await body(models.openai, openaiStream())).toMatchObject({ max_output_tokens: 1_234, max_tool_calls: 2 });
  expect(await body(models.google, geminiStream())).toMatchObject({ generationConfig: { maxOutputTokens: 1_234 } });
  expect(await body(models.compatible, chatStream())).toMatchObject({ max_tokens: 1_234 });
  const none = await body(models.anthropic, anthropicStream(), { allowed: { output: 1_234, searches: 0 } });
  expect(none, "without searches of the provider ours is offered").toMatchObject({ tools: [{ input_schema: {} }] });
  const backend = backends.backend(models.anthropic);
  const price = (of: object) => backend.worst({ ...request({ tools: [webSearch] }), allowed: { ...allowed, ...of } });
  expect(price({ output: 2_234 }).tokens - price({}).tokens).toBe(1_000);
  expect(price({ searches: 5 }).usd - price({}).usd).toBeCloseTo(0.03, 9);
  expect(backend.most!(request({ tools: [webSearch] }))).toEqual({ output: 32_000, searches: 5 });
});

test("tools whose names a provider refuses are offered under others and called by their own", async () => {
  const odd = { ...writeFile, name: "mcp.github.create issue" };
  server.answer((asked, response) => {
    const [tool] = asked.body.tools as { name: string }[];
    expect(tool!.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(anthropicStream().replaceAll('"write_file"', `"${tool!.name}"`));
  });
  const parts = await heard(backends.backend(models.anthropic), { tools: [odd] });
  expect(callsIn(parts).map(({ tool }) => tool)).toEqual([odd.name, odd.name]);
});
