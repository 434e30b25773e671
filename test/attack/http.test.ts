/** What somebody sends to the daemon's port who has no token, and what is sent with one. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { daemonFile } from "../daemon.ts";
import { newHome, removeHome } from "../desk.ts";
import { root } from "../program.ts";
import { attack } from "./attack.ts";
import { longestWait } from "./stall.ts";

/** Of the whole process, in MB. */
const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_000;

const body = Buffer.alloc(256 * 1024, "a");
const piece = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]);
const head = (line: string, port: number, ...more: string[]): string =>
  [`${line} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...more, "\r\n"].join("\r\n");
const json = "content-type: application/json";
const wrong = `authorization: Bearer ${"0".repeat(64)}`;
const upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: AAAA"];
const heads = Array.from({ length: 90 }, (_, n) => `x-${n}: ${"y".repeat(150)}`);
const times = (count: number, text: string): Buffer => Buffer.from(text.repeat(count));
const fifteen = Array.from({ length: 15 }, () => piece);

/** What each of many connections sends, without a token. */
// biome-ignore format: a table
const floods: [what: string, connections: [few: number, many: number], sends: (port: number) => (string | Buffer)[]][] = [
  ["B21 large bodies on many connections", [300, 1_500], (port) => [head("POST /session", port, json, "transfer-encoding: chunked"), ...fifteen]],
  ["large bodies that say how large they are", [200, 1_000], (port) => [head("POST /session", port, json, `content-length: ${15 * body.length}`), ...fifteen]],
  ["large bodies where a token is needed", [200, 1_000], (port) => [head("POST /agents", port, json, wrong, "transfer-encoding: chunked"), ...fifteen]],
  ["large uploads where a token is needed", [200, 1_000], (port) => [head("POST /agents/import", port, "content-type: application/gzip", `content-length: ${15 * body.length}`), ...fifteen]],
  ["many requests at once on each connection", [20, 100], (port) => [times(2_000, head("GET /health", port))]],
  ["many wrong tokens at once on each connection", [20, 100], (port) => [times(2_000, head("GET /agents", port, wrong))]],
  ["many requests for what there is not", [20, 100], (port) => [times(2_000, head("GET /no/such/place", port))]],
  ["all headers there may be", [200, 1_000], (port) => [head("GET /health", port, ...heads)]],
  ["sockets that say nothing", [300, 1_500], (port) => [head("GET /events", port, ...upgrade)]],
  ["sockets that say much", [100, 500], (port) => [head("GET /events", port, ...upgrade), times(64, String.fromCharCode(0x81, 0xfe, 0xff, 0xff) + "x".repeat(65_539))]],
  ["bytes that are no request", [300, 1_500], () => [body]],
];

describe("before any token", () => {
  let home = "";
  let daemon: ChildProcess;
  beforeAll(async () => {
    home = newHome();
    const env = { PATH: process.env.PATH ?? "", HOME: "/nonexistent", LANG: "C.UTF-8" };
    daemon = spawn(process.execPath, [join(root, "bin/agiraph.mjs"), "--home", home, "up", "--port", "0"], { env });
    await new Promise<void>((ready) =>
      daemon.stdout!.on("data", (text) => String(text).includes("ready in") && ready()),
    );
  });
  afterAll(async () => {
    daemon.kill("SIGKILL");
    await removeHome(home);
  });

  for (const [what, connections, sends] of floods)
    attack("http", what, async ({ held, stalled, tries }) => {
      const { port, pid } = daemonFile(home)!;
      const before = memoryOf(pid);
      let sockets: Socket[] = [];
      const parts = sends(port);
      const ms = await longestWait({ port, pid }, async () => {
        for (const socket of sockets) socket.destroy();
        sockets = [];
        for (let n = 0; n < tries(...connections); n++) {
          const socket = connect(port, "127.0.0.1").on("error", () => undefined);
          socket.resume();
          sockets.push(socket);
          for (const part of parts) socket.write(part);
          if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
      });
      const more = memoryOf(pid) - before;
      for (const socket of sockets) socket.destroy();
      expect(more, "MB").toBeLessThan(150);
      stalled(ms);
      held(sockets.length);
    });
});
