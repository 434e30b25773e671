/** A real daemon for the bench of the page, with agents whose logs are already written: one with a long thread, one with many nodes, one to watch. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "../src/client/index.ts";
import { start, t0 } from "../src/core/core.test-help.ts";
import type { Event } from "../src/schema/event.ts";
import { agentRoot } from "../src/store/layout.ts";
import { encode } from "../src/store/line.ts";
import { repository } from "./place.ts";

export interface Daemon {
  url: string;
  /** What a window comes in with. */
  code(): Promise<string>;
  say(agent: string, message: string): Promise<unknown>;
  /** Says so much to it, as fast as the daemon takes it. */
  fill(agent: string, messages: number): Promise<void>;
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
    async fill(agent, messages) {
      for (let at = 0; at < messages; at += 100)
        await Promise.all(
          Array.from({ length: Math.min(100, messages - at) }, (_, index) => say(agent, words(at + index))),
        );
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

/** The log of an agent that the human and the coordinator have talked in for long, paused so that nobody works in it. */
export function writeTalk(home: string, name: string, messages: number): void {
  const world = start();
  for (let made = 0; made < messages; made++) {
    world.now = t0 + made * 60_000;
    const mine = made % 4 === 0;
    const [from, to] = mine ? ["human", "coordinator"] : ["coordinator", "human"];
    const said = { message: `m${made + 1}`, from, to: [to], text: words(made), priority: "normal" as const };
    world.append({ type: "message.posted", data: said }, from);
  }
  world.tell({ type: "agent.pause", reason: { code: "asked", message: "a bench", next_mover: "human" } });
  const path = join(agentRoot(home, name), "events.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, world.log.map((event) => encode(named(event, name))).join(""));
}

/** The small world's agent has a name of its own. */
function named(event: Event, name: string): Event {
  const { seq, cause } = event;
  const data = event.type === "agent.created" ? { ...event.data, agent: name } : event.data;
  return {
    ...event,
    id: `${name}/${seq}`,
    ...(cause === undefined ? {} : { cause: cause.replace(/^\w+/, name) }),
    data,
  } as Event;
}

/** As people and models write: a line, some paragraphs with a list, now and then a table or code. */
function words(nth: number): string {
  const line = `Message ${nth} says in **some** words what \`was found\` in [a place](https://example.org/${nth}).`;
  if (nth % 4 === 0) return line;
  const more = `${line}\n\n${"The second candidate meets all five needs, if someone else runs it. ".repeat(1 + (nth % 5))}`;
  if (nth % 10 === 3) return `${more}\n\n\`\`\`python\ndef price(hour):\n    return hour * ${nth}\n\`\`\``;
  if (nth % 10 === 7) return `${more}\n\n| what | how much |\n|---|---|\n| one | ${nth} |\n| two | 2 |`;
  return `${more}\n\n- one\n- two, *emphasised*\n- three`;
}
