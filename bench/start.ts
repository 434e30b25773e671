/** How long the program takes to say what it can do, beyond what Node takes to start at all. Both in turns, each in a process of its own. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./figure.ts";
import { repository } from "./place.ts";
import { inTurns, median, quantile, timed } from "./rounds.ts";

const spawns = 15;

export const start: Bench = {
  name: "start",
  about: "agiraph --help, from its start to its end, beyond Node's own start (node -e 0).",
  async run() {
    const program = join(repository, "bin", "agiraph.mjs");
    const run = (...args: string[]) =>
      timed(() => {
        const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
        if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
      });
    const found = await inTurns(spawns, { help: () => run(program, "--help"), node: () => run("-e", "0") });
    const [help, node] = [median(found.help), median(found.node)];
    const value = help - node;
    // The program takes the sources where they are, as it does in this repository; what is published has only what was built.
    const from = existsSync(join(repository, "src", "main.ts")) ? "src, types taken out on the way" : "dist";
    const spread = `p25 ${quantile(found.help, 0.25).toFixed(0)}, p75 ${quantile(found.help, 0.75).toFixed(0)} ms`;
    return [
      {
        name: "start.help",
        value,
        unit: "ms",
        baseline: node,
        ratio: help / node,
        goal: "< 150 ms",
        ok: value < 150,
        note: `${spawns} starts of ${help.toFixed(0)} ms in all (${spread}) from ${from}, against Node alone; the ratio is of the whole.`,
      },
    ];
  },
};
