/**
 * The daemon's surface, over real HTTP with its clients in another process: from a post to another client's stream, to a thousand streams,
 * what a client costs that does not read, and how fast a GET is beside a bare route of the same framework.
 */
import { type ChildProcess, fork } from "node:child_process";
import { Agent, createServer as createHttp, request, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Backend } from "../src/backend/backend.ts";
import { machine } from "../src/lib/machine/index.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import { createGate } from "../src/server/auth/gate.ts";
import { createServer } from "../src/server/index.ts";
import { createKeep } from "../src/server/stream/cursor-files.ts";
import { createFeed } from "../src/server/stream/feed.ts";
import { createSummaries } from "../src/server/summaries.ts";
import type { Bench, Figure } from "./figure.ts";
import { createHouse } from "./house.ts";
import { inTurns, median, pause, quantile, ratioOf } from "./rounds.ts";

const token = "bench";

export const api: Bench = {
  name: "api",
  about:
    "The daemon over HTTP: a message posted until it is on another client's stream (100 a second), on a thousand streams at once, the memory of a client that does not read, and GET of an agent beside a bare Hono route.",
  async run(place) {
    const home = place.folder("api");
    const house = createHouse({ home, backend: () => silent });
    const runtime = createRuntime(house);
    await runtime.start();
    let port = 0;
    const feed = createFeed({
      runtime,
      keep: createKeep(machine.files, join(home, "streams")),
      random: machine.random,
    });
    const app = createServer({
      runtime,
      summaries: createSummaries(runtime),
      feed,
      clock: machine.clock,
      version: "bench",
      budget: {},
      folder: async (path) => path,
      model: async () => "bench/silent",
      ready: () => true,
      policy: [],
      self: {
        pid: process.pid,
        home,
        started_at: new Date().toISOString(),
        prove: () => "",
        memory: () => 0,
        stopping: new AbortController().signal,
      },
      gate: createGate({ token, hosts: () => [`127.0.0.1:${port}`], clock: machine.clock }),
      fault(error) {
        throw error;
      },
    });
    const server = createHttp(getRequestListener(app.fetch));
    port = await listen(server);
    const agent = await runtime.create({ goal: "be read", name: "api", model: "bench/silent" });
    let posted = 0;
    /** As the route does it; the coordinator is woken by it and has nothing to say. */
    const post = (text = "", to = agent) => {
      const mark = String(++posted);
      const at = performance.timeOrigin + performance.now();
      const done = runtime.send(
        to,
        { type: "message.post", from: "human", text: `${text}mark-${mark};` },
        { actor: "human" },
      );
      return { mark, at, done };
    };
    /** Nobody works and nothing is written: what is held then is held for readers. */
    async function rest(of: string): Promise<void> {
      const { running, projector, live } = runtime.opened(of)!;
      while (running().size > 0) await new Promise(setImmediate);
      await projector.idle();
      await live.durable();
    }
    try {
      const one = await measure(port, agent, 1, Math.ceil(500 * place.size), 10, post);
      const many = await measure(port, agent, 1000, Math.ceil(50 * place.size), 100, post);
      const stalled = await stall(
        port,
        (name) => runtime.create({ goal: "be read", name, model: "bench/silent" }),
        post,
        rest,
      );
      const fresh = await runtime.create({ goal: "be got", name: "got", model: "bench/silent" });
      const get = await throughput(port, fresh, place.size);
      return [
        latency(
          "api.post-to-sse.p99",
          one,
          20,
          "One reader in another process, 100 messages a second; durable on the way.",
        ),
        latency("api.fanout.p99", many, 100, "1,000 readers in one other process, over all readers and messages."),
        stalled,
        get,
      ];
    } finally {
      feed.close();
      server.close();
      server.closeAllConnections();
      await runtime.stop();
      await house.store.close();
    }
  },
};

type Post = (text?: string, to?: string) => { mark: string; at: number; done: Promise<unknown> };

/** Milliseconds from the post, of every reader and every message. */
async function measure(port: number, agent: string, readers: number, messages: number, everyMs: number, post: Post) {
  const path = `/agents/${agent}/events?after=now`;
  const clients = fork(fileURLToPath(new URL("api-clients.ts", import.meta.url)), [
    String(port),
    path,
    token,
    String(readers),
  ]);
  const began = new Map<string, number>();
  const found: number[] = [];
  try {
    await heard(clients, ({ ready }) => ready === readers);
    const warm = Math.ceil(messages / 5);
    const all = new Promise<void>((resolve, reject) => {
      let left = messages + warm;
      clients.on("message", ({ mark, times, failed }: Heard) => {
        if (failed) reject(new Error(failed));
        if (mark === undefined) return;
        if (left <= messages) for (const at of times!) found.push(at - began.get(mark)!);
        if (--left === 0) resolve();
      });
    });
    for (let n = 0; n < messages + warm; n++) {
      const { mark, at, done } = post();
      began.set(mark, at);
      await Promise.all([done, pause(everyMs)]);
    }
    await all;
  } finally {
    clients.kill();
  }
  return found;
}

interface Heard {
  ready?: number;
  mark?: string;
  times?: number[];
  failed?: string;
}

const heard = (child: ChildProcess, is: (said: Heard) => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    child.on("message", (said: Heard) => (said.failed ? reject(new Error(said.failed)) : is(said) && resolve()));
    child.on("exit", () => reject(new Error("the clients ended")));
  });

function latency(name: string, times: number[], most: number, note: string): Figure {
  const value = quantile(times, 0.99);
  const [p50, max] = [median(times).toFixed(1), Math.max(...times.slice(-100_000)).toFixed(1)];
  return {
    name,
    value,
    unit: "ms",
    baseline: null,
    ratio: null,
    goal: `< ${most} ms`,
    ok: value < most,
    note: `${note} p50 ${p50}, most ${max} ms.`,
  };
}

/** What a client that never reads adds to the memory of this process while ten megabytes go by; against the same without it. */
async function stall(
  port: number,
  create: (name: string) => Promise<string>,
  post: Post,
  rest: (agent: string) => Promise<void>,
): Promise<Figure> {
  const text = "x".repeat(50_000);
  /** The most that is held in the course of it. */
  const flood = async (agent: string) => {
    let most = 0;
    for (let n = 0; n < 200; n++) {
      await post(text, agent).done;
      if (n % 10 !== 9) continue;
      await rest(agent);
      most = Math.max(most, held());
    }
    return most;
  };
  const stalledSocket = async (agent: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `GET /agents/${agent}/events?after=now HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once("readable", resolve));
    return socket;
  };
  // Each in an agent of its own: what an agent was told grows in its memory and in its files, whose buffers come and go; so several times.
  await flood(await create("warm"));
  const found: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < 7; round++) {
    const without = await flood(await create(`alone-${round}`));
    const agent = await create(`stalled-${round}`);
    const socket = await stalledSocket(agent);
    found.push((await flood(agent)) - without);
    await pause(1_000);
    later.push(held() - without);
    socket.destroy();
  }
  const [value, after] = [found, later].map((bytes) => Math.max(0, median(bytes)) / 2 ** 20) as [number, number];
  return {
    name: "api.stalled",
    value,
    unit: "MiB",
    baseline: null,
    ratio: null,
    goal: "≤ 1 MiB",
    ok: value <= 1,
    note: `Most that was held for one client that never reads while 10 MB went by, in buffers, middle of ${found.length} times; ${after.toFixed(2)} MiB a second later.`,
  };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** In buffers, which is what waits for a socket; the heap grows with the agent, which keeps what was said to it. */
function held(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

async function throughput(port: number, agent: string, size: number): Promise<Figure> {
  const bare = new Hono().get("/agents/:agent", (c) => c.json({ id: c.req.param("agent"), goal: "be read", seq: 1 }));
  const other = createHttp(getRequestListener(bare.fetch));
  const barePort = await listen(other);
  const count = Math.ceil(2_000 * Math.max(size, 0.1));
  const rate = async (at: number) => {
    const began = performance.now();
    await flood(at, `/agents/${agent}`, count);
    return count / ((performance.now() - began) / 1000);
  };
  const found = await inTurns(5, { ours: () => rate(port), bare: () => rate(barePort) });
  other.close();
  other.closeAllConnections();
  const { value, scatter } = ratioOf(found.bare, found.ours);
  return {
    name: "api.get",
    value: median(found.ours),
    unit: "requests/s",
    baseline: median(found.bare),
    ratio: value,
    goal: "ratio ≤ 2",
    ok: value <= 2,
    note: `GET of an agent; the ratio is bare to ours. Client in the same process, 16 connections; ${scatter}.`,
  };
}

async function flood(port: number, path: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const headers = { authorization: `Bearer ${token}` };
  const get = () =>
    new Promise<void>((resolve, reject) => {
      request({ port, path, agent, headers, host: "127.0.0.1" }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  let left = count;
  const worker = async () => {
    while (left-- > 0) await get();
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  agent.destroy();
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () =>
      resolve((server.address() as { port: number }).port),
    );
  });

/** Nobody says anything. */
const silent: Backend = {
  worst: () => ({ usd: 0, tokens: 0 }),
  async *call() {
    yield { type: "end", cost: { usd: 0, tokens: 0 } };
  },
};
