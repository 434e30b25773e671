/** A real daemon for the bench of the page with a model that answers at once, a stream beside it, and words as people and models write them. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createClient } from "../src/client/index.ts";
import { repository } from "./place.ts";

export interface Daemon {
  url: string;
  /** What a window comes in with. */
  code(): Promise<string>;
  say(agent: string, message: string): Promise<unknown>;
  /** Makes an agent that answers whatever it is told. */
  create(agent: string): Promise<unknown>;
  /** Talks with it until its log has so many events more, no longer than this. Returns how many it has. */
  fill(agent: string, events: number, mostMs: number): Promise<number>;
  /** A stream beside the page: when it heard of `ping 0`, `ping 1` and so on. */
  hear(agent: string): { stop(): Promise<Record<string, number>> };
  stop(): Promise<void>;
}

export async function up(home: string): Promise<Daemon> {
  const model = await createModel();
  writeFileSync(
    join(home, "config.yaml"),
    `embeddings: off\nmodel: lab/quick\nproviders:\n  lab:\n    base_url: ${model.url}\nmodels:\n  lab/quick: { window: 200000, max_output: 100, price: { input: 0, output: 0 } }\n`,
  );
  const args = [join(repository, "bin/agiraph.mjs"), "--home", home, "up", "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await ready(child);
  const { port, token } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as {
    port: number;
    token: string;
  };
  const url = `http://127.0.0.1:${port}`;
  const client = createClient({ url, token });
  const say = (agent: string, message: string) => client.send({ params: { agent }, body: { message } });
  return {
    url,
    code: async () => (await client.createCode({ body: {} })).code,
    say,
    create: (name) => client.createAgent({ body: { goal: "Answer what you are told", name } }),
    async fill(agent, events, mostMs) {
      const seq = async () => (await client.getAgent({ params: { agent } })).seq;
      const [first, end] = [await seq(), performance.now() + mostMs];
      let [said, last] = [0, first];
      const speak = async () => {
        while (last - first < events && performance.now() < end) {
          await say(agent, words(said++));
          last = await seq();
        }
      };
      await Promise.all(Array.from({ length: 4 }, speak));
      return last - first;
    },
    hear(agent) {
      const ending = new AbortController();
      const heard: Record<string, number> = {};
      const over = (async () => {
        for await (const { event } of client.events({ agent, after: "now", signal: ending.signal }))
          if (event.type === "message.posted") heard[event.data.text.replace("ping ", "")] ??= Date.now();
      })();
      return {
        async stop() {
          ending.abort();
          await over;
          return heard;
        },
      };
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await ended;
      model.close();
    },
  };
}

/** Answers at once, each time with other words. */
async function createModel() {
  let asked = 0;
  const server = createServer((request, response) => {
    const chunk = (rest: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "quick", ...rest })}\n\n`;
    const delta = { role: "assistant", content: words(asked++) };
    request
      .resume()
      .on("end", () =>
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(
            [
              chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
              chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
              chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
              "data: [DONE]\n\n",
            ].join(""),
          ),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => void server.close() };
}

async function ready(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on("data", (bytes) => String(bytes).includes("ready in") && resolve());
    child.once("close", () => reject(new Error("the daemon ended before it was ready")));
  });
}

/** As people and models write: a line, some paragraphs with a list, now and then a table or code. */
export function words(nth: number): string {
  const line = `Message ${nth} says in **some** words what \`was found\` in [a place](https://example.org/${nth}).`;
  if (nth % 4 === 0) return line;
  const more = `${line}\n\n${"The second candidate meets all five needs, if someone else runs it. ".repeat(1 + (nth % 5))}`;
  if (nth % 10 === 3) return `${more}\n\n\`\`\`python\ndef price(hour):\n    return hour * ${nth}\n\`\`\``;
  if (nth % 10 === 7) return `${more}\n\n| what | how much |\n|---|---|\n| one | ${nth} |\n| two | 2 |`;
  return `${more}\n\n- one\n- two, *emphasised*\n- three`;
}
