import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { logOf, post, rest } from "./streams.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.ask("POST /agents", { goal: "Say little", name: "quiet" });
  await rest(server, "quiet");
});
afterAll(() => server.close());

interface Frame {
  type: string;
  event: { seq: number; agent?: string };
  error: { code: string; message: string };
  after: string;
}

function open(path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(server.url.replace("http", "ws") + path, { headers });
  const frames: Frame[] = [];
  const looks = new Set<() => void>();
  socket.on("message", (data) => {
    frames.push(JSON.parse(String(data)));
    for (const look of looks) look();
  });
  return {
    socket,
    frames,
    say: (frame: unknown) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    opened: once(socket, "open"),
    closed: new Promise<number>((resolve) => socket.on("close", resolve)),
    has: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => frames.length >= count && resolve();
        looks.add(look);
        look();
      }),
  };
}

/** The status that an upgrade is refused with. */
async function refused(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(server.url.replace("http", "ws") + path, { headers });
  socket.on("error", () => undefined);
  const [, response] = await once(socket, "unexpected-response");
  return response.statusCode;
}

const auth = () => ({ authorization: `Bearer ${server.token}` });

test("with the token in a header it begins where it is told, and goes on", async () => {
  const { say, opened, frames, has, socket } = open("/agents/quiet/events", auth());
  await opened;
  say({ type: "subscribe", after: "2" });
  await post(server, "quiet");
  await rest(server, "quiet");
  const log = (await logOf(server, "quiet")).slice(2);
  await has(log.length);
  expect(frames).toEqual(log.map((event) => ({ type: "event", event })));
  socket.close();
});

test("with the token in the first frame too; the stream of all says whose an event is and where to go on", async () => {
  const first = open("/events?types=message.*");
  await first.opened;
  first.say({ type: "auth", token: server.token });
  first.say({ type: "subscribe", after: "now" });
  // What is said before it has begun is not for it.
  while (first.frames.length < 2) await post(server, "quiet", 1);
  const { after, event } = first.frames.at(-1)!;
  expect(event.agent).toBe("quiet");
  first.socket.close();
  const second = open(`/events?types=message.*&after=${encodeURIComponent(after)}`, auth());
  await post(server, "quiet", 1);
  await second.has(1);
  expect(second.frames[0]!.event.seq).toBeGreaterThan(event.seq);
  second.socket.close();
});

test("without the right token nothing is said: not by header, not by frame, not by silence, not by subscribing first", async () => {
  expect(await refused("/events", { authorization: "Bearer wrong" })).toBe(401);
  const wrong = open("/events?after=0");
  await wrong.opened;
  wrong.say({ type: "auth", token: "wrong" });
  expect(await wrong.closed).toBe(4401);
  const hasty = open("/events?after=0");
  await hasty.opened;
  hasty.say({ type: "subscribe", after: "0" });
  expect(await hasty.closed).toBe(4401);
  const silent = open("/events?after=0");
  const began = performance.now();
  expect(await silent.closed).toBe(4401);
  expect(performance.now() - began).toBeGreaterThan(1_900);
  for (const { frames } of [wrong, hasty, silent]) {
    expect(frames.map(({ type }) => type)).toEqual(["error"]);
    expect(frames[0]!.error.code).toBe("unauthorized");
  }
});

test("another site, another host, another path and a place that is none are refused", async () => {
  expect(await refused("/events", { ...auth(), origin: "https://evil.example" })).toBe(403);
  expect(await refused("/events", { ...auth(), host: "evil.example" })).toBe(403);
  expect(await refused("/agents", auth())).toBe(404);
  expect(await refused("/events?types=;", auth())).toBe(400);
  const future = open("/agents/quiet/events?after=100000", auth());
  expect(await future.closed).toBe(4400);
  expect(future.frames[0]!.error).toMatchObject({
    code: "invalid",
    message: expect.stringContaining("beyond the last event"),
  });
  const nonsense = open("/events", auth());
  await nonsense.opened;
  nonsense.say("{");
  expect(await nonsense.closed).toBe(4400);
});
