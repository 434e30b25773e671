/** The proxy itself, asked as a program in a sandbox asks it. Whom it lets through is in test/network.test.ts. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type RequestOptions, request } from "node:http";
import * as net from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Outside, openProxy } from "./proxy.ts";
import { serve } from "./server.test-help.ts";

const fine = ["93.184.216.34"];

/** The dialled connections, in order. */
async function start(outside: Partial<Outside>) {
  const dialled: net.Socket[] = [];
  const dial: Outside["dial"] = (address, port) => {
    const socket = outside.dial?.(address, port) ?? new net.Socket();
    dialled.push(socket);
    return socket;
  };
  const unreached: string[] = [];
  const reach = { hosts: ["*.example.com"], unreached: (...what: string[]) => void unreached.push(what.join(": ")) };
  const proxy = await openProxy(reach, { resolve: async () => fine, connectMs: 30_000, ...outside, dial });
  onTestFinished(() => proxy.close());
  const socketPath = join(proxy.folder, "proxy");
  return { dialled, socketPath, proxy, unreached };
}

async function get(socketPath: string, options: RequestOptions = {}) {
  const asked = request({ socketPath, path: "http://a.example.com/x", ...options }).end();
  const [answer] = await once(asked, "response");
  let text = "";
  const complete = new Promise<boolean>((resolve) => answer.once("close", () => resolve(answer.complete)));
  for await (const part of answer.on("error", () => undefined)) text += part;
  return { status: answer.statusCode, text, complete: await complete };
}

/** What the proxy says to CONNECT, and the connection. */
async function tunnel(socketPath: string, to = "a.example.com:443") {
  const client = net.connect(socketPath).setEncoding("utf8");
  onTestFinished(() => void client.destroy());
  client.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  const [said] = await once(client, "data");
  return { client, said: String(said) };
}

test("of several addresses the first that accepts a connection is taken", async () => {
  const server = await serve((_request, response) => response.end("here"));
  const tried: string[] = [];
  const { socketPath } = await start({
    resolve: async () => ["93.184.216.34", "93.184.216.35"],
    dial(address) {
      tried.push(address);
      return net.connect(address.endsWith("34") ? 9 : server.port, "127.0.0.1");
    },
  });
  expect(await get(socketPath)).toEqual({ status: 200, text: "here", complete: true });
  expect(tried).toEqual(["93.184.216.34", "93.184.216.35"]);
});

test("a host that accepts no connection is given up, and the client is told so in both ways", async () => {
  const { socketPath, dialled } = await start({ connectMs: 5 });
  const why = "a.example.com cannot be reached: no answer within 0.005 s\n";
  expect(await get(socketPath)).toMatchObject({ status: 502, text: why });
  const { said } = await tunnel(socketPath);
  expect(said).toMatch(/^HTTP\/1\.1 502 /);
  expect(said).toContain(why);
  expect(dialled.every(({ destroyed }) => destroyed)).toBe(true);
});

test("a name that does not exist is said to be unknown, not to be forbidden", async () => {
  const { socketPath, unreached } = await start({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
  expect(await get(socketPath)).toMatchObject({
    status: 502,
    text: "a.example.com cannot be reached: its name was not found\n",
  });
  expect(unreached).toEqual(["a.example.com: its name was not found"]);
});

test("once connected a server may be silent for as long as it likes", async () => {
  const server = net.createServer((socket) =>
    socket.on("data", (part) => socket.write(part)).on("error", () => undefined),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { socketPath, dialled } = await start({
    dial: () => net.connect((server.address() as net.AddressInfo).port, "127.0.0.1"),
  });
  const { client, said } = await tunnel(socketPath);
  expect(said).toMatch(/^HTTP\/1\.1 200 /);
  expect(dialled[0]!.timeout).toBeFalsy();
  dialled[0]!.emit("timeout");
  client.write("still there?");
  expect(String(await once(client, "data"))).toBe("still there?");
});

test("a connection that is reset ends that of the client, before an answer and in the middle of one", async () => {
  const server = await serve((request, response) => {
    if (request.url === "/half") {
      response.writeHead(200, { "content-length": "1000" }).write("half");
      setImmediate(() => request.socket.resetAndDestroy());
    } else request.socket.resetAndDestroy();
  });
  const { socketPath } = await start({ dial: () => net.connect(server.port, "127.0.0.1") });
  expect(await get(socketPath)).toMatchObject({
    status: 502,
    text: "a.example.com ended the connection without an answer\n",
  });
  const half = await get(socketPath, { path: "http://a.example.com/half" }).catch((error: Error) => error.message);
  expect(half).not.toMatchObject({ complete: true });
  const { client, said } = await tunnel(socketPath);
  expect(said).toMatch(/^HTTP\/1\.1 200 /);
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(client, "close");
});

test("a client that leaves while an address is tried leaves nothing behind", async () => {
  const { socketPath, dialled } = await start({});
  const client = net.connect(socketPath);
  client.write("GET http://a.example.com/ HTTP/1.1\r\nHost: a.example.com\r\n\r\n");
  await expect.poll(() => dialled.length).toBe(1);
  client.destroy();
  await expect.poll(() => dialled[0]!.destroyed).toBe(true);
});

test("closing it ends every connection and removes its folder", async () => {
  const { socketPath, proxy, dialled } = await start({});
  const client = net.connect(socketPath).on("error", () => undefined);
  client.write("CONNECT a.example.com:443 HTTP/1.1\r\n\r\n");
  await expect.poll(() => dialled.length).toBe(1);
  await proxy.close();
  await expect.poll(() => client.destroyed).toBe(true);
  expect([dialled[0]!.destroyed, existsSync(proxy.folder)]).toEqual([true, false]);
});
