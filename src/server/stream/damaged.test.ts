/** The streams of a daemon while the log of one agent is damaged in the middle: the others are followed, and readers are told which one is damaged. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createClient } from "../../client/index.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { logOf, post, type Reading, read, rest } from "./streams.test-help.ts";

const agents = ["a1", "b1", "c1"];

/** Three agents that have been read once; then the second event of b1 rots on the disk. `mend` brings it back. */
async function start() {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  for (const name of agents) await server.ask("POST /agents", { goal: "Say little", name });
  await rest(server, ...agents);
  const lengths = new Map<string, number>();
  for (const agent of agents) lengths.set(agent, (await logOf(server, agent)).length);
  const path = join(server.home, "agents/b1/events.jsonl");
  const whole = readFileSync(path, "utf8");
  const second = whole.indexOf("\n") + 1;
  const rotten = `${whole.slice(0, second + 20)}#${whole.slice(second + 21)}`;
  writeFileSync(path, rotten);
  const mend = () => writeFileSync(path, whole + readFileSync(path, "utf8").slice(whole.length));
  return { server, mend, last: (agent: string) => lengths.get(agent)! };
}

const has =
  (agent: string, seq: number) =>
  ({ events }: Reading): boolean =>
    events().some((event) => event.agent === agent && event.seq === seq);
const damage = ({ sent }: Reading) =>
  sent.flatMap(({ event, data }) => (event === "damage" ? [JSON.parse(data!)] : []));
const seqs = (events: readonly { agent?: string; seq: number }[], agent: string) =>
  events.flatMap((event) => (event.agent === agent ? [event.seq] : []));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const ofB = [{ agent: "b1", code: "log_corrupt", message: expect.stringContaining("events.jsonl") }];

async function speak(server: TestServer, agent: string): Promise<number> {
  await post(server, agent);
  await rest(server, agent);
  return await server.runtime.read(agent, ({ seq }) => seq);
}

test("a reader of all is given the past and the present of the others, and told which agent is damaged", async () => {
  const { server, last } = await start();
  const reading = await read(server, "/events");
  await reading.until((now) => damage(now).length > 0);
  for (const agent of ["a1", "c1"]) expect(seqs(reading.events(), agent)).toEqual(upTo(last(agent)));
  expect(damage(reading)).toEqual(ofB);
  await speak(server, "b1");
  const now = await speak(server, "a1");
  await reading.until(has("a1", now));
  reading.close();
  expect(seqs(reading.events(), "b1")).toEqual([]);
  expect(seqs(reading.events(), "a1")).toEqual(upTo(now));
});

test("what such a reader was not given comes when it resumes after the log was mended", async () => {
  const { server, mend, last } = await start();
  const reading = await read(server, "/events");
  await reading.until((now) => damage(now).length > 0);
  const spoken = await speak(server, "b1");
  await reading.until(has("c1", last("c1")));
  const now = await speak(server, "a1");
  await reading.until(has("a1", now));
  reading.close();
  mend();
  const again = await read(server, `/events?after=${encodeURIComponent(reading.ids().at(-1)!)}`);
  await again.until(has("b1", spoken));
  again.close();
  expect(seqs([...reading.events(), ...again.events()], "b1")).toEqual(upTo(spoken));
  expect(damage(again)).toEqual([]);
});

test("pages of all agents have the events of the others, and name the one that is damaged", async () => {
  const { server, last } = await start();
  const { status, body } = await server.ask("GET /events?limit=1000");
  expect(status).toBe(200);
  for (const agent of ["a1", "c1"]) expect(seqs(body.items, agent)).toEqual(upTo(last(agent)));
  expect(body).toMatchObject({ next: null, damage: ofB });
});

test("a WebSocket of all agents is told, and stays open", async () => {
  const { server } = await start();
  const headers = { authorization: `Bearer ${server.token}` };
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/events?after=0`, { headers });
  onTestFinished(() => socket.terminate());
  const frames: { type: string; event?: { agent: string; seq: number } }[] = [];
  const until = (done: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => done() && resolve();
      socket.on("message", look);
      socket.on("close", () => reject(new Error(`the socket was closed after ${frames.length} frames`)));
      look();
    });
  socket.on("message", (data) => frames.push(JSON.parse(String(data))));
  await until(() => frames.some(({ type }) => type === "damage"));
  expect(frames.find(({ type }) => type === "damage")).toEqual({ type: "damage", ...ofB[0] });
  const now = await speak(server, "c1");
  await until(() => frames.some(({ event }) => event?.agent === "c1" && event.seq === now));
});

test("a client of all agents hears of it; one that follows the damaged agent gets the error instead of trying for ever", async () => {
  const { server, last } = await start();
  const client = createClient({ url: server.url, token: server.token });
  const stop = new AbortController();
  const heard: unknown[] = [];
  const seen: { agent: string; seq: number }[] = [];
  const damaged = (one: unknown) => {
    heard.push(one);
    stop.abort();
  };
  for await (const { agent, event } of client.events({ damaged, signal: stop.signal }))
    seen.push({ agent, seq: event.seq });
  expect(heard).toEqual(ofB);
  expect(seqs(seen, "c1")).toEqual(upTo(last("c1")));
  const alone = async () => {
    for await (const _ of client.events({ agent: "b1" }));
  };
  await expect(alone()).rejects.toMatchObject({ code: "log_corrupt" });
});
