/** The routes over a house: what the handlers need of it, put together. */
import type { Hono } from "hono";
import { machine } from "../lib/machine/index.ts";
import { Problem } from "../schema/problem.ts";
import { createGate } from "../server/gate.ts";
import type { Self } from "../server/house.ts";
import { createServer } from "../server/index.ts";
import type { House } from "./house.ts";

export interface ServeOptions {
  house: House;
  version: string;
  token: string;
  hosts: readonly string[];
  ready(): boolean;
  self: Self;
  fault(error: unknown, request: Request): void;
}

export function serve({ house, version, token, hosts, ready, self, fault }: ServeOptions): Hono {
  const { runtime, backends, settings } = house;
  const { clock } = machine;
  return createServer({
    runtime,
    version,
    fault,
    clock,
    ready,
    self,
    gate: createGate({ token, hosts: () => hosts, clock }),
    budget: settings.config.budget ?? {},
    async model(wanted) {
      const choice = wanted === undefined ? await backends.choose() : { model: wanted, why: "" };
      if (!choice.model) throw new Problem("not_offered", `no model to ask: ${choice.why}`);
      return choice.model;
    },
  });
}
