/** What the route handlers need of a house, put together: the same for the daemon and for a house without a socket. */

import { homedir } from "node:os";
import { join } from "node:path";
import { BackendError } from "../../backend/backend.ts";
import { resolveAlias } from "../../backend/backends.ts";
import { verify } from "../../channel/sign.ts";
import { machine } from "../../lib/machine/index.ts";
import { driverOf, isProgramDriver } from "../../schema/driver.ts";
import { Problem } from "../../schema/problem.ts";
import { markOf } from "../../server/auth/proof.ts";
import type { Self, Served } from "../../server/house.ts";
import { createKeep } from "../../server/stream/cursor-files.ts";
import { createFeed } from "../../server/stream/feed.ts";
import { createSummaries } from "../../server/summaries.ts";
import { checkFolder, fromHome } from "../home/folder.ts";
import { variablesOf } from "../home/known-secrets.ts";
import { lookAtFolder } from "../home/look-at-folder.ts";
import { offer } from "../models/offer.ts";
import { createPrograms } from "../programs/found.ts";
import type { House } from "./house.ts";

export interface ServedOptions {
  house: House;
  version: string;
  /** What the marks of variables are made with (server/auth/proof.ts). */
  token: string;
  ready(): boolean;
  self: Self;
  /** Sets variables of the house's environment; resolves with the names of those that changed. */
  take(values: Readonly<Record<string, string>>): Promise<string[]>;
}

export function serveHouse({ house, version, token, ready, self, take }: ServedOptions): Served {
  const { runtime, backends, rules } = house;
  const config = () => house.settings.config;
  const { clock, random, files } = machine;
  const programs = createPrograms({
    home: house.path,
    env: house.env,
    config,
    accepts: (name) => served.model(name),
    ...(house.refusal ? { closed: true } : {}),
  });
  const served: Served = {
    runtime,
    version,
    clock,
    ready,
    self,
    feed: createFeed({ runtime, keep: createKeep(files, join(house.path, "streams")), random }),
    summaries: createSummaries(runtime),
    policy: rules.policy,
    approvals: rules.approvals,
    budget: rules.budget,
    channel(name: string, signature: string | undefined, text: string) {
      const { channels } = config();
      const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
      const secret = channel?.kind === "webhook" ? (house.env[channel.secret_env] ?? "") : "";
      verify(secret, signature, text, clock.now());
    },
    workflows: house.workflows,
    workflowTexts: house.workflowTexts,
    souls: house.souls,
    async offer() {
      await house.refresh();
      return await offer({ backends, config: config(), programs });
    },
    async doctor(call: boolean) {
      await house.refresh();
      const { env, toolFaults, edits } = house;
      const examined = { backends, env, toolFaults, edits, programs };
      return await (await import("../actions/doctor.ts")).findingsOf(house.path, house.settings, examined, call);
    },
    environment: {
      async look() {
        await house.refresh();
        const { problem, restart } = house.edits();
        const variables = variablesOf(config()).map((name) => {
          const value = house.env[name]?.trim();
          return { name, mark: value ? markOf(token, name, value) : null };
        });
        return { variables, config: { problem: problem?.message ?? null, restart } };
      },
      take,
    },
    mcpServers: {
      async list() {
        await house.refresh();
        return await (await house.mcp()).list();
      },
      async accept(server: string, tool: string | undefined) {
        await house.refresh();
        return await (await house.mcp()).accept(server, tool);
      },
    },
    lookAtFolder: (path: string) => lookAtFolder(path, { home: house.path, user: homedir() }),
    folder: (path: string) => checkFolder(fromHome(path, homedir()), { home: house.path, user: homedir() }),
    ...(house.refusal ? { refusal: house.refusal } : {}),
    async model(wanted: string | undefined) {
      if (house.refusal) throw house.refusal;
      await house.refresh();
      const { problem } = house.edits();
      // A limit that was written and not understood would be worse than none.
      if (problem) throw problem;
      const choice = wanted === undefined ? await backends.choose() : { model: wanted, why: "" };
      if (!choice.model) throw new Problem("not_offered", `no model to ask: ${choice.why}`);
      if (house.scripts.find(choice.model)) return choice.model;
      try {
        const { programs: named } = config();
        const known = Object.hasOwn(named, choice.model) ? named[choice.model]! : choice.model;
        const { name } = resolveAlias(known, config());
        const driver = driverOf(name);
        const missing = driver.by === "cli" ? await programs.missing(driver.cli) : undefined;
        if (missing) throw new Problem("not_offered", missing);
        if (isProgramDriver(driver)) return name;
        return backends.resolve(choice.model).name;
      } catch (error) {
        throw error instanceof BackendError ? new Problem("not_offered", error.message) : error;
      }
    },
  };
  return served;
}
