/** A fake provider on loopback that responds as a test says, and records its requests. Real HTTP; closed with the test file. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterThisFile } from "../lib/cleanup.test-help.ts";
import { machine } from "../lib/machine/index.ts";
import type { Clock } from "../lib/world.ts";
import { Config } from "../schema/config.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Line } from "../schema/worker.ts";
import type { Backend, Part, Request } from "./backend.ts";
import { type BackendsOptions, createBackends } from "./backends.ts";

export interface Asked {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  text: string;
}

export type Answering = (asked: Asked, response: ServerResponse) => unknown;

export async function serve() {
  const asked: Asked[] = [];
  let answering: Answering = (_asked, response) => response.writeHead(500).end("nothing was set");
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    if (text === undefined) return;
    const one = { path: request.url ?? "", headers: request.headers, text, body: text ? JSON.parse(text) : {} };
    asked.push(one);
    await answering(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterThisFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    last: () => asked.at(-1)!,
    answer: (how: Answering) => {
      answering = how;
    },
    stream: (text: string) => {
      answering = (_asked, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
      };
    },
    streams: (...texts: string[]) => {
      answering = (_asked, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).end(texts.shift() ?? "");
      };
    },
    fail: (status: number, body: unknown, headers: Record<string, string> = {}) => {
      answering = (_asked, response) => {
        const text = typeof body === "string" ? body : JSON.stringify(body);
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
      };
    },
  };
}

/** The body of a request; undefined if its sender was killed before it was complete, as a daemon is at the end of a test. */
export async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

export const models = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-6.1-sol",
  google: "google/gemini-3.8-flash",
  openrouter: "openrouter/anthropic/claude-sonnet-5.5",
  compatible: "lab/local",
};

export const secret = "sk-ant-verysecretkey0123456789";

/** All providers at one URL. */
export function backendsAt(url: string, given: Partial<Omit<BackendsOptions, "config">> & { config?: object } = {}) {
  const { config = {}, env = {}, ...rest } = given;
  const keys = {
    ANTHROPIC_API_KEY: secret,
    OPENAI_API_KEY: secret,
    GEMINI_API_KEY: secret,
    OPENROUTER_API_KEY: secret,
  };
  const urls = {
    ANTHROPIC_BASE_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    GOOGLE_GEMINI_BASE_URL: url,
    OPENROUTER_BASE_URL: `${url}/api/v1`,
  };
  return createBackends({
    config: Config.parse({ providers: { lab: { base_url: url } }, ...config }),
    env: { ...keys, ...urls, ...env },
    clock: machine.clock,
    fetch: globalThis.fetch,
    ...rest,
  });
}

export const writeFile: ToolShape = {
  name: "write_file",
  about: "Write a file.",
  input: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
    additionalProperties: false,
  },
};

export const webSearch: ToolShape = {
  name: "web_search",
  about: "Search the web.",
  input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

export const inbox = (text: string, from = "human", seq = 1): Line => ({
  role: "inbox",
  entries: [{ seq, from, kind: "message", text }],
});

export const request = (given: Partial<Request> = {}): Request => ({
  model: "any",
  participant: "coordinator",
  turns: 1,
  system: "You are the coordinator.",
  lines: [inbox("write two files")],
  tools: [writeFile],
  ...given,
});

export async function heard(backend: Backend, given: Partial<Request> = {}, signal = new AbortController().signal) {
  const parts: Part[] = [];
  for await (const part of backend.call(request(given), signal)) parts.push(part);
  return parts;
}

export const textIn = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
export const callsIn = (parts: readonly Part[]) => parts.filter((part) => part.type === "call");
export const endOf = (parts: readonly Part[]) => {
  const last = parts.at(-1);
  if (last?.type !== "end") throw new Error("there is no end");
  return last;
};

/** A manual clock. */
export function createHandClock(start = Date.UTC(2026, 10, 15)) {
  let now = 0;
  const timers = new Set<{ at: number; call: () => void }>();
  const clock: Clock = {
    now: () => start + now,
    mono: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  return {
    clock,
    pending: () => timers.size,
    pass(ms: number): void {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.call();
      }
      now = until;
    },
  };
}
