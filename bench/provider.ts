/**
 * A provider on loopback that answers at once: one tool call per request as long as it is told to, then a word. It speaks as Anthropic and as
 * OpenAI do, and says when each request came and when its answer was out.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Backends, createBackends } from "../src/backend/backends.ts";
import { machine } from "../src/lib/machine/index.ts";
import { Config } from "../src/schema/config.ts";

export interface Provider {
  url: string;
  /** The bodies of all requests. */
  asked: string[];
  /** Answers so many requests with a call, then one with a word. Resolves, when that is out, with the milliseconds between answer and request. */
  play(calls: number): Promise<number[]>;
  /** What the nth request is answered with instead of the usual call, if it is answered with one. */
  instead: Map<number, { name: string; input: unknown }>;
  close(): void;
}

export const tool = "look_up";

export async function createProvider(): Promise<Provider> {
  const asked: string[] = [];
  const instead: Provider["instead"] = new Map();
  let gaps: number[] = [];
  let left = 0;
  let number = 0;
  let answered: number | undefined;
  let played: ((gaps: number[]) => void) | undefined;
  const server = createServer((request, response) => {
    const came = performance.now();
    if (answered !== undefined) gaps.push(came - answered);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(Buffer.concat(chunks).toString());
      const call = left-- > 0;
      const speak = request.url?.endsWith("/responses") ? openai : anthropic;
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(speak(++number, call, instead.get(number)), () => {
          answered = call ? performance.now() : undefined;
          if (!call) played?.(gaps);
        });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    instead,
    play(calls) {
      gaps = [];
      left = calls;
      return new Promise((resolve) => {
        played = resolve;
      });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The real backends, with this provider in the place of theirs. */
export const backendsAt = (url: string): Backends =>
  createBackends({
    config: Config.parse({}),
    env: {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${url}/v1`,
    },
    clock: machine.clock,
    fetch: globalThis.fetch,
  });

const events = (all: { type: string; [field: string]: unknown }[]): string =>
  all.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");

const word = "I look up the next one.";
const input = (number: number): string => JSON.stringify({ what: `entry ${number}` });

type Other = { name: string; input: unknown } | undefined;

function anthropic(number: number, call: boolean, other: Other): string {
  const block = (index: number, content_block: unknown, delta: unknown) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, cache_creation_input_tokens: 50, cache_read_input_tokens: 1000, output_tokens: 1 },
  };
  return events([
    { type: "message_start", message },
    ...block(0, { type: "text", text: "" }, { type: "text_delta", text: word }),
    ...(call
      ? block(
          1,
          { type: "tool_use", id: `toolu_${number}`, name: other?.name ?? tool, input: {} },
          { type: "input_json_delta", partial_json: other ? JSON.stringify(other.input) : input(number) },
        )
      : []),
    {
      type: "message_delta",
      delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 40 },
    },
    { type: "message_stop" },
  ]);
}

function openai(number: number, call: boolean, other: Other): string {
  const response = { id: `resp_${number}`, object: "response", created_at: 1_790_000_000, model: "gpt-6.1-sol" };
  const said = { type: "message", id: `msg_${number}`, role: "assistant" };
  const content = [{ type: "output_text", text: word, annotations: [] }];
  const asks = {
    type: "function_call",
    id: `fc_${number}`,
    call_id: `call_${number}`,
    name: other?.name ?? tool,
    arguments: other ? JSON.stringify(other.input) : input(number),
    status: "completed",
  };
  const usage = {
    input_tokens: 1200,
    input_tokens_details: { cached_tokens: 1024 },
    output_tokens: 40,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1240,
  };
  return events([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...said, status: "in_progress", content: [] } },
    { type: "response.output_text.delta", item_id: said.id, output_index: 0, content_index: 0, delta: word },
    { type: "response.output_item.done", output_index: 0, item: { ...said, status: "completed", content } },
    ...(call
      ? [
          {
            type: "response.output_item.added",
            output_index: 1,
            item: { ...asks, arguments: "", status: "in_progress" },
          },
          {
            type: "response.function_call_arguments.delta",
            item_id: asks.id,
            output_index: 1,
            delta: asks.arguments,
          },
          { type: "response.output_item.done", output_index: 1, item: asks },
        ]
      : []),
    { type: "response.completed", response: { ...response, status: "completed", output: [], error: null, usage } },
  ]);
}
