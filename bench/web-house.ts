/** A real daemon for the bench of the page, a stream beside it, and words as people and models write them. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../src/client/index.ts";
import { repository } from "./place.ts";

export interface Daemon {
  url: string;
  /** What a window comes in with. */
  code(): Promise<string>;
  say(agent: string, message: string): Promise<unknown>;
  /** Says so much to it, as fast as the daemon takes it and no longer than this. Returns how much it said. */
  fill(agent: string, messages: number, mostMs: number): Promise<number>;
  /** A stream beside the page: when it heard of `ping 0`, `ping 1` and so on. */
  hear(agent: string): { stop(): Promise<Record<string, number>> };
  stop(): Promise<void>;
}

export async function up(home: string): Promise<Daemon> {
  writeFileSync(join(home, "config.yaml"), "embeddings: off\n");
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
    async fill(agent, messages, mostMs) {
      const end = performance.now() + mostMs;
      let said = 0;
      const speak = async () => {
        while (said < messages && performance.now() < end) await say(agent, words(said++));
      };
      await Promise.all(Array.from({ length: 64 }, speak));
      return said;
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
    },
  };
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
