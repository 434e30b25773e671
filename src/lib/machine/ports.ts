/**
 * Port forwarding into a sandbox: ports of this machine's loopback as socket files that are bound into it. A program inside reaches what the daemon
 * offers it, and no more. Bytes are forwarded unchanged. A sandbox has a bounded number of connections.
 */
import { mkdtemp, rm } from "node:fs/promises";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveToSandbox } from "./sandbox-user.ts";

export interface Ports {
  /** Has a socket file for each, by its number. */
  folder: string;
  close(): Promise<void>;
}

const most = 64;

export async function openPorts(ports: readonly number[]): Promise<Ports> {
  const folder = await mkdtemp(join(tmpdir(), "agiraph-ports-"));
  const open = new Set<net.Socket>();
  const track = (socket: net.Socket) => {
    open.add(socket);
    return socket.on("error", () => socket.destroy()).once("close", () => open.delete(socket));
  };
  const servers = ports.map((port) => {
    const server = net.createServer((inside) => {
      const there = track(net.connect({ port, host: "127.0.0.1", noDelay: true }));
      track(inside).pipe(there).pipe(inside);
      inside.once("close", () => there.destroy());
      there.once("close", () => inside.destroy());
    });
    server.maxConnections = most;
    return { server, port };
  });
  async function close(): Promise<void> {
    for (const socket of open) socket.destroy();
    for (const { server } of servers) await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }
  try {
    for (const { server, port } of servers)
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(join(folder, String(port)), resolve);
      });
    await giveToSandbox(folder);
    return { folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}
