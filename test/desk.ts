/** One coordinator on a real disk, with real programs: its calls, one after the other, and what it is told. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { machine } from "../src/lib/machine/index.ts";
import type { World } from "../src/lib/world.ts";
import { type Asked, createModel, type Play, unmarked } from "../src/runtime/model.test-help.ts";
import type { NewAgent } from "../src/runtime/runtime.ts";
import { Config } from "../src/schema/config.ts";
import type { Event } from "../src/schema/event.ts";
import type { PolicyRule } from "../src/schema/policy-rule.ts";
import { createBash } from "../src/tool/bash.ts";
import { defineTool } from "../src/toolkit/tool.ts";
import { openHouse } from "./crash/house.ts";

export interface DeskOptions {
  sandbox?: { bash?: "required" | "off"; network?: string[]; other_hosts?: "ask" | "deny" };
  world?: World;
  home?: string;
  policy?: PolicyRule[];
  /** The programs that models may choose. */
  programs?: Record<string, string>;
  /** What the tool `meddle` does in the scratch of the coordinator. */
  meddle?(scratch: string): Promise<unknown> | unknown;
  /** What the agent is made with. */
  given?: Partial<NewAgent>;
  /** Others who play along, and when all is over for them. */
  play?: Play;
  until?(event: Event): boolean;
}

/** Not in /tmp: programs in a sandbox have one of their own. */
export const newHome = (): string => mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "agiraph-desk-"));

export type Call = { tool: string; input?: unknown };
export const bash = (command: string, rest = {}): Call => ({ tool: "bash", input: { command, ...rest } });

/** The results of the coordinator's calls, and where the run lies. */
export async function told(calls: Call[], options: DeskOptions = {}) {
  const home = options.home ?? newHome();
  const run = join(home, "agents/a1/runs/r1");
  const asked: Asked[] = [];
  const results: { outcome: string; result: string }[] = [];
  const { clock } = machine;
  const backend = createModel({ ...options.play, coordinator: [{ calls }] }, asked, clock);
  const meddle = defineTool({
    name: "meddle",
    about: "Does what the test wants.",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    run: async () => String((await options.meddle?.(join(run, "scratch"))) ?? "done"),
  });
  const { sandbox } = Config.parse({ sandbox: { other_hosts: "deny", ...options.sandbox } });
  const tools = [createBash({ sandbox }), meddle];
  const house = await openHouse({
    home,
    backend,
    tools,
    ...(options.world && { world: options.world }),
    policy: options.policy,
    network: { hosts: sandbox.network, others: sandbox.other_hosts },
    ...(options.programs && { allowed: options.programs }),
  });
  try {
    await house.runtime.create({ goal: "test the tools", name: "a1", model: "scripted/test", ...options.given });
    await house.until("a1", ({ type, data }) => {
      if (!("participant" in data) || data.participant !== "coordinator") return false;
      if (type === "tool.ended") results.push({ outcome: data.outcome, result: unmarked(data.result) });
      return results.length === calls.length;
    });
    if (options.until) await house.until("a1", options.until);
  } finally {
    await house.close();
  }
  return { home, run, scratch: join(run, "scratch"), asked, results };
}

export async function removeHome(home: string): Promise<void> {
  await machine.files.remove(home);
}
