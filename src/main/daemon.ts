/**
 * The daemon: one process that holds the home and answers on loopback. It listens first and takes the agents back after; until then `health`
 * says `starting`. `daemon.json` (0600) tells the clients of this user where it is and the token it wants.
 */
import type { Server } from "node:http";
import { createServer as createHttp } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createA2a } from "../a2a/server.ts";
import { machine } from "../lib/machine/index.ts";
import { createMcpServer } from "../mcp/server.ts";
import { Problem } from "../schema/problem.ts";
import { createGate } from "../server/gate.ts";
import type { Served } from "../server/house.ts";
import { createServer } from "../server/index.ts";
import { createSecrets } from "../server/secrets.ts";
import type { House } from "./house.ts";

export interface Daemon {
  url: string;
  token: string;
  close(): Promise<void>;
}

export interface DaemonOptions {
  house: House;
  version: string;
  port: number;
  fault(error: unknown, request: Request): void;
}

export async function startDaemon({ house, version, port, fault }: DaemonOptions): Promise<Daemon> {
  const token = machine.random.hex(32);
  let hosts: string[] = [];
  let ready = false;
  const { runtime, backends, settings } = house;
  const secrets = createSecrets(machine.random.hex(32));
  const gate = createGate({ token, hosts: () => hosts, clock: machine.clock, secrets });
  const served: Served = {
    runtime,
    version,
    clock: machine.clock,
    budget: settings.config.budget ?? {},
    ready: () => ready,
    async model(wanted) {
      const choice = wanted === undefined ? await backends.choose() : { model: wanted, why: "" };
      if (!choice.model) throw new Problem("not_offered", `no model to ask: ${choice.why}`);
      return choice.model;
    },
  };
  const told = { ...served, fault: (error: unknown) => fault(error, new Request("http://daemon/mcp")) };
  const mcp = createMcpServer(told);
  const app = createServer({ ...served, gate, fault, mounts: { "/mcp": mcp.serve, ...createA2a(told) } });
  const server = createHttp(getRequestListener(app.fetch));
  const bound = await listen(server, port);
  hosts = [`127.0.0.1:${bound}`, `localhost:${bound}`];
  const url = `http://127.0.0.1:${bound}`;
  const about = {
    pid: process.pid,
    started_at: new Date(machine.clock.now()).toISOString(),
    host: "127.0.0.1",
    port: bound,
    token,
  };
  const path = join(house.path, "daemon.json");
  await machine.files.write(path, `${JSON.stringify(about)}\n`);
  void runtime.start().then(() => {
    ready = true;
  });
  return {
    url,
    token,
    async close() {
      await mcp.close();
      server.close();
      server.closeAllConnections();
      await machine.files.remove(path);
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}
