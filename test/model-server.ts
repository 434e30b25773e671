/** A model over HTTP that says what the test tells it, in the Anthropic wire format. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Step {
  text?: string;
  calls?: { tool: string; input: unknown }[];
  /** Before the answer begins. */
  waitMs?: number;
  status?: number;
  body?: unknown;
}

export interface Asked {
  messages: { role: string; content: unknown }[];
  system: unknown;
  tools?: { name: string }[];
}

export interface ModelServer {
  url: string;
  /** Every request's body, in order. */
  asked: Asked[];
  close(): Promise<void>;
}

/** `steps[n]` is the answer to the nth request, and the last one is repeated; or a function gives the answer to a request. */
export async function startModelServer(
  steps: readonly Step[] | ((request: Asked) => Step | Promise<Step>),
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => {
      body += bytes;
    });
    request.on("end", async () => {
      const given: Asked = JSON.parse(body);
      asked.push(given);
      const step = typeof steps === "function" ? await steps(given) : steps[Math.min(asked.length, steps.length) - 1]!;
      if (step.waitMs) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
      if (step.status) {
        response.writeHead(step.status, { "content-type": "application/json" });
        return response.end(
          JSON.stringify(step.body ?? { type: "error", error: { type: "api_error", message: "no" } }),
        );
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const [type, data] of stream(step, asked.length))
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function* stream({ text, calls = [] }: Step, n: number): Generator<[type: string, data: object]> {
  const usage = { input_tokens: 1000, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  yield [
    "message_start",
    { message: { id: `m${n}`, type: "message", role: "assistant", model: "x", content: [], stop_reason: null, usage } },
  ];
  let index = 0;
  if (text) {
    yield ["content_block_start", { index, content_block: { type: "text", text: "" } }];
    for (const word of text.split(/(?<= )/))
      yield ["content_block_delta", { index, delta: { type: "text_delta", text: word } }];
    yield ["content_block_stop", { index: index++ }];
  }
  for (const { tool: name, input } of calls) {
    yield [
      "content_block_start",
      { index, content_block: { type: "tool_use", id: `toolu_${n}_${index}`, name, input: {} } },
    ];
    yield ["content_block_delta", { index, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } }];
    yield ["content_block_stop", { index: index++ }];
  }
  yield [
    "message_delta",
    { delta: { stop_reason: calls.length ? "tool_use" : "end_turn" }, usage: { output_tokens: 50 } },
  ];
  yield ["message_stop", {}];
}
