/** What somebody sends to the daemon's port who has no token, and what is sent with one. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { clearLater, daemonFile, upAndReady } from "../daemon.ts";
import { newHome, removeHome } from "../desk.ts";
import { attack } from "./attack.ts";
import { longestWait } from "./stall.ts";

/** Of the whole process, in MB. */
const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_000;

attack(
  "http",
  "B21 large bodies on many connections before any token",
  async ({ held, stalled, tries }) => {
    const home = clearLater(newHome());
    await upAndReady(home);
    const { port, pid } = daemonFile(home)!;
    const before = memoryOf(pid);
    const sockets: Socket[] = [];
    const body = Buffer.alloc(256 * 1024, "a");
    const ms = await longestWait({ port, pid }, async () => {
      for (let n = 0; n < tries(300, 1_500); n++) {
        const socket = connect(port, "127.0.0.1").on("error", () => undefined);
        sockets.push(socket);
        socket.write(
          `POST /session HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
        );
        for (let part = 0; part < 15; part++) {
          socket.write(`${body.length.toString(16)}\r\n`);
          socket.write(body);
          socket.write("\r\n");
        }
        if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    const more = memoryOf(pid) - before;
    for (const socket of sockets) socket.destroy();
    expect(more, "MB").toBeLessThan(150);
    stalled(ms);
    held(sockets.length);
    await removeHome(home);
  },
  60_000,
);
