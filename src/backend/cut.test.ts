import { expect, test } from "vitest";
import type { Part } from "./backend.ts";
import { backendsAt, models, request, serve } from "./server.test-help.ts";
import { anthropicSearch, anthropicStream, chatStream, geminiStream, openaiStream } from "./streams.test-help.ts";

/** What must have come whole before an answer counts. */
const streams: [string, string, string, string][] = [
  ["Anthropic", models.anthropic, anthropicStream(), '{"type":"message_stop"}'],
  ["Anthropic with a search", models.anthropic, anthropicSearch(), '{"type":"message_stop"}'],
  ["OpenAI", models.openai, openaiStream(), '"total_tokens":1290}}}'],
  ["chat", models.compatible, chatStream(), '"finish_reason":"tool_calls"}]}'],
  ["OpenRouter", models.openrouter, chatStream(), '"finish_reason":"tool_calls"}]}'],
  ["Gemini", models.google, geminiStream(), '"totalTokenCount":965}}'],
];

async function outcome(parts: AsyncIterable<Part>): Promise<{ parts: Part[]; error?: unknown }> {
  const heard: Part[] = [];
  try {
    for await (const part of parts) heard.push(part);
    return { parts: heard };
  } catch (error) {
    return { parts: heard, error };
  }
}

/** The others have the same form. OpenAI says everything twice; its repetitions are left out. */
const each = streams
  .filter(([name]) => name !== "OpenRouter" && name !== "Anthropic with a search")
  .map(
    ([name, model, stream, mark]) =>
      [name, model, name === "OpenAI" ? withoutRepetitions(stream) : stream, mark] as const,
  );

function withoutRepetitions(stream: string): string {
  const events = stream.split(/(?<=\n\n)/);
  return events
    .filter((event) => !/^event: response\.(in_progress|content_part|.*_text\.done|.*arguments\.done)/.test(event))
    .join("");
}

/** All around the ends of lines and near the end, and a fifth of the rest; every single one with CUT=every (some 20 s). */
function* cuts(bytes: Uint8Array, whole: number): Generator<number> {
  const newline = 10;
  for (let at = 0; at < whole; at++) {
    const near = bytes.subarray(Math.max(0, at - 2), at + 2).includes(newline) || whole - at < 100;
    if (near || at % 5 === 0 || process.env.CUT === "every") yield at;
  }
}

test.each(each)(
  "an answer of %s that ends early at any byte has no end and no call, and may be asked again",
  async (_name, model, stream, mark) => {
    const bytes = new TextEncoder().encode(stream);
    const whole = new TextEncoder().encode(stream.slice(0, stream.indexOf(mark) + mark.length)).length;
    let length = 0;
    const backend = backendsAt("http://127.0.0.1:9", {
      fetch: async () => new Response(bytes.slice(0, length), { headers: { "content-type": "text/event-stream" } }),
    }).backend(model);
    for (const cut of cuts(bytes, whole)) {
      length = cut;
      const { parts, error } = await outcome(backend.call(request(), new AbortController().signal));
      const kinds = new Set(parts.map((part) => part.type));
      if (kinds.has("end") || kinds.has("call")) expect.fail(`at ${length} of ${whole}: ${JSON.stringify(parts)}`);
      expect(error, `at ${length} of ${whole}`).toMatchObject({ name: "BackendError", kind: "transient" });
    }
    length = bytes.length;
    const { parts } = await outcome(backend.call(request(), new AbortController().signal));
    expect(parts.at(-1)?.type).toBe("end");
  },
);

const server = await serve();

test.each(streams)(
  "an answer of %s whose connection breaks has no end and no call, and may be asked again",
  async (_name, model, stream, mark) => {
    const backend = backendsAt(server.url).backend(model);
    const bytes = Buffer.from(stream);
    const whole = Buffer.byteLength(stream.slice(0, stream.indexOf(mark) + mark.length));
    for (let length = 0; length < whole; length += 97) {
      server.answer((_asked, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(bytes.subarray(0, length), () => response.destroy());
        if (length === 0) response.destroy();
      });
      const { parts, error } = await outcome(backend.call(request(), new AbortController().signal));
      expect(
        parts.filter((part) => part.type === "end" || part.type === "call"),
        `at ${length}`,
      ).toEqual([]);
      expect(error, `at ${length}`).toMatchObject({ name: "BackendError", kind: "transient" });
    }
  },
);
