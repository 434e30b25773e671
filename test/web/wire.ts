/** A wire between the window and the daemon that can be cut: what was under way breaks off, what is tried meanwhile fails at once. */
import { createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterThisTest } from "../../src/lib/cleanup.test-help.ts";

export interface Wire {
  port: number;
  cut(): void;
  mend(): void;
}

export async function createWire(to: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let whole = true;
  const theirs = `127.0.0.1:${to}`;
  const server = createServer((asked, answer) => {
    // The daemon knows its own name only.
    const origin = asked.headers.origin ? { origin: `http://${theirs}` } : {};
    const { method = "GET", url: path = "/", headers } = asked;
    const onward = request({
      host: "127.0.0.1",
      port: to,
      method,
      path,
      headers: { ...headers, host: theirs, ...origin },
    });
    onward.on("response", (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  server.on("connection", (socket) => {
    if (!whole) return void socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  };
  afterThisTest(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend() {
      whole = true;
    },
  };
}
