/**
 * Tools that only crash tests have: an effect that must not happen twice, and programs that live on when we die.
 *
 * `poke` writes its key to a file outside the home, durably, before it returns: what stands there did happen. `program` must not be
 * repeated, `measure` may be. Both run a real program with a child that leaves the process group.
 */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";
import { programTag } from "../../src/home/layout.ts";
import { defineTool, type Tool } from "../../src/toolkit/tool.ts";
import type { Point } from "./points.ts";

export interface Hooks {
  home: string;
  /** Where effects are written down. */
  effects: string;
  point: Point;
  /** How long the programs run. */
  seconds: number;
  /** Wait until a program and its child are seen, then reach the point NAME.running. */
  watch: boolean;
}

export function createTools({ home, effects, point, seconds, watch }: Hooks): Tool[] {
  const poke = defineTool({
    name: "poke",
    about: "Does something outside that cannot be undone.",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({ what: z.string() }),
    async run({ what }, { key }) {
      point("poke.begun");
      const file = openSync(effects, "a");
      writeSync(file, `${key}\n`);
      fsyncSync(file);
      closeSync(file);
      point("poke.done");
      return `poked ${what}`;
    },
  });

  const program = (name: string, repeatable: boolean) =>
    defineTool({
      name,
      about: "Runs a program.",
      guidance: "-",
      effect: "outside",
      repeatable,
      input: z.object({}),
      async run(_input, { run, key }) {
        const ended = run(["sh", "-c", `setsid sleep ${seconds} & sleep ${seconds}; wait`]);
        if (watch) {
          while (tagged(`${programTag(home)}${key}`).length < 3) await new Promise((resolve) => setImmediate(resolve));
          point(`${name}.running`);
        }
        const { code } = await ended;
        return `exit ${code}`;
      },
    });

  return [poke, program("program", false), program("measure", true)];
}

/** Processes whose tag begins with this, other than this one. Those that are dead and not yet buried do not count. */
export function tagged(tag: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      if (!(pid > 1) || pid === process.pid) return false;
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        return environment.some((entry) => entry.startsWith(`AGIRAPH_TAG=${tag}`));
      } catch {
        return false; // it ended meanwhile
      }
    });
}
