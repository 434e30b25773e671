/** Everything that agent CLIs need in this process: who may be started, and the door by which they come back. */

import { modelOf } from "../../backend/models.ts";
import { type Env, providerOf } from "../../backend/providers.ts";
import type { Fetch } from "../../backend/watch.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { programTag } from "../../home/layout.ts";
import { machine } from "../../lib/machine/index.ts";
import { createMcpServer } from "../../mcp/server.ts";
import type { ProgramHost } from "../../runtime/program/host.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Config } from "../../schema/config.ts";
import { type Bearer, createSecrets } from "../../server/auth/secrets.ts";
import { version } from "../installation/version.ts";
import { createProgramDoor } from "./door.ts";
import { createProgramHost } from "./host.ts";

export interface ProgramsOptions {
  home: string;
  env: Env;
  config(): Config;
  runtime(): Runtime;
  fetch: Fetch;
  /** A secret of the user that a program is lent. */
  secret(text: string): void;
  fault(error: unknown): void;
}

/** How long a provider may be silent, and take in all: agent CLIs think long, and have time-outs of their own. */
const patience = { silent: 300_000, whole: 3_600_000 };

export function openPrograms({ home, env, config, runtime, fetch, secret, fault }: ProgramsOptions): {
  host: ProgramHost;
  close(): Promise<void>;
} {
  const { clock, random } = machine;
  const secrets = createSecrets(random.hex(32));
  const gateway = createGateway({
    provider: (name) => providerOf(name, config(), env),
    model: ({ name, kind }, model) => modelOf(config(), name, kind === "openai-compatible" ? undefined : kind, model),
    meter: { begin: (caller, call) => runtime().meter.begin(caller, call) },
    clock,
    fetch,
    patience,
  });
  const listings = new Map<string, number>();
  const nameOf = ({ agent, run, participant }: Bearer) => `${agent}/${run}/${participant}`;
  const mcp = createMcpServer({
    version: version(),
    participants: {
      async ownTools(bearer) {
        const tools = await runtime().ownTools(bearer);
        listings.set(nameOf(bearer), (listings.get(nameOf(bearer)) ?? 0) + 1);
        return tools;
      },
      ownCall: (bearer, given, signal) => runtime().ownCall(bearer, given, signal),
    },
    fault,
  });
  const door = createProgramDoor({ secrets, mcp, gateway, fault });
  return {
    host: createProgramHost({
      world: machine,
      env,
      config,
      secrets,
      door,
      listings: (bearer) => listings.get(nameOf(bearer)) ?? 0,
      tag: `${programTag(home)}version`,
      secret,
    }),
    async close() {
      await mcp.close();
      await door.close();
    },
  };
}
