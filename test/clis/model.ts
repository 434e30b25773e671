/**
 * A model for agent CLIs, on loopback: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, streamed.
 *
 * It keeps no state. What it does is in the newest prompt that has a script (`script()`); which step is next follows from the tool calls that the
 * conversation shows after that prompt. Tools are looked up by what the CLI offers, so one script serves all of them. Whoever asks without a script
 * (titles, summaries) is told "ok".
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyOf } from "./body.ts";
import { anthropic } from "./wire/anthropic.ts";
import { chat } from "./wire/chat.ts";
import { gemini } from "./wire/gemini.ts";
import { responses } from "./wire/responses.ts";
import type { Answer, Asked, Step, Wire } from "./wire/wire.ts";

const wires: readonly Wire[] = [anthropic, responses, chat, gemini];

export interface FakeModel {
  port: number;
  url: string;
  asked: (Asked & { wire: string; headers: Record<string, unknown>; raw: unknown })[];
  close(): Promise<void>;
}

/** The words that make the model do this when they are in a prompt. */
export const script = (...steps: Step[]): string =>
  `[[script:${Buffer.from(JSON.stringify(steps)).toString("base64")}]]`;

export async function startModel(): Promise<FakeModel> {
  const asked: FakeModel["asked"] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === undefined) return;
    const wire = wires.find(({ path }) => path.test(request.url ?? ""));
    if (!wire || request.method !== "POST") {
      response.writeHead(wire ? 405 : 404, { "content-type": "application/json" });
      return response.end('{"error":{"message":"no such path","type":"not_found_error"}}');
    }
    const raw = JSON.parse(body);
    const question = wire.read(raw, request.url ?? "");
    asked.push({ ...question, wire: wire.name, headers: request.headers, raw });
    const step = stepFor(question);
    if ("status" in step) {
      response.writeHead(step.status, { "content-type": "application/json" });
      return response.end(JSON.stringify(step.body ?? wire.error(step.status)));
    }
    if ("waitMs" in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
    if ("hang" in step) return response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    send(response, wire, question, answerFor(step, question), ++count);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function send(response: ServerResponse, wire: Wire, question: Asked, answer: Answer, count: number): void {
  if (!question.stream) {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify(wire.whole(answer, question, count)));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of wire.stream(answer, question, count))
    response.write(
      `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    );
  response.end();
}

function stepFor({ turns }: Asked): Step {
  const marker = /\[\[script:([A-Za-z0-9+/=]+)\]\]/g;
  let last: Step[] | undefined;
  let calls = 0;
  for (const turn of turns) {
    const found = [...turn.text.matchAll(marker)].at(-1)?.[1];
    if (turn.role === "user" && found) {
      last = JSON.parse(Buffer.from(found, "base64").toString());
      calls = 0;
    }
    calls += turn.calls;
  }
  if (!last) return { say: "ok" };
  return last[calls] ?? { say: "The script is over." };
}

function answerFor(step: Step, { tools }: Asked): Answer {
  if ("run" in step)
    return {
      text: step.say,
      call: callOf(tools, /^(bash|exec_command|shell|run_shell_command|shell_command)$/i, {
        command: step.run,
        cmd: step.run,
      }),
    };
  if ("call" in step)
    return { text: step.say, call: callOf(tools, new RegExp(`(^|_)${step.call}$`), step.input ?? {}) };
  return { text: "say" in step ? step.say : "The script is over.", thought: "think" in step ? step.think : undefined };
}

/** A call of the first tool with such a name, with the fields of the input that it takes; those that it also wants are made up. */
function callOf(tools: Asked["tools"], name: RegExp, input: Record<string, unknown>): Answer["call"] {
  const tool = tools.find((one) => name.test(one.name) && one.namespace !== "collaboration");
  // Tools of MCP servers are not described in code mode: a script finds them.
  if (!tool && tools.some(({ nested }) => nested)) return { name: name.source, input, nested: "found" };
  if (!tool) return { name: `no_tool_like_${name.source.replace(/\W+/g, "_")}`, input };
  const { properties = {}, required = [] } = tool.schema;
  const given: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (!(key in properties)) continue;
    given[key] = properties[key]?.type === "array" && typeof value === "string" ? ["bash", "-c", value] : value;
  }
  for (const key of required) given[key] ??= "made up";
  return { name: tool.name, namespace: tool.namespace, input: given, nested: tool.nested ? "named" : undefined };
}
