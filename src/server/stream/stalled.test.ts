import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { post, read, rest } from "./streams.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.ask("POST /agents", { goal: "Say little", name: "quiet" });
  await rest(server, "quiet");
});
afterAll(() => server.close());

/** More than a megabyte, and more than the system keeps for a connection. */
const much = async () => {
  for (let n = 0; n < 24; n++) await post(server, "quiet", 1, "x".repeat(500_000));
  await rest(server, "quiet");
};

test("a reader that does not read is let go and costs nothing more, and the others read on", async () => {
  const { port } = new URL(server.url);
  const stalled = connect({ port: Number(port), host: "127.0.0.1" });
  stalled.on("error", () => undefined);
  stalled.write(
    `GET /agents/quiet/events?after=now HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${server.token}\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n`,
  );
  await once(stalled, "readable"); // it has begun, and never reads again
  const good = await read(server, "/agents/quiet/events?after=now&types=message.posted");
  await much();
  await good.until((reading) => reading.ids().length === 24);
  good.close();

  // What had been handed to the system comes, then the word to resync, then the end.
  let text = "";
  stalled.setEncoding("utf8");
  stalled.on("data", (part) => {
    text += part;
  });
  await once(stalled, "close");
  expect(text.length).toBeLessThan(9_000_000);
  const resync = /event: resync\ndata: \{"after":"(\d+)"\}\n\n/.exec(text)?.[1];
  const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1];
  expect(resync).toBe(last);
});

test("a WebSocket that does not read is told to resync and closed", async () => {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/agents/quiet/events?after=now`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  await once(socket, "open");
  socket.pause();
  await much();
  const frames: { type: string; after?: string; event?: { seq: number } }[] = [];
  socket.on("message", (data) => frames.push(JSON.parse(String(data))));
  socket.resume();
  await once(socket, "close");
  expect(frames.at(-1)?.type).toBe("resync");
  expect(frames.at(-1)?.after).toBe(String(frames.findLast(({ type }) => type === "event")?.event?.seq));
});
