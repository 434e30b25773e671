/** How long the program takes to say what it can do, beyond what Node takes to start at all. Both in turns, each in a process of its own. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bench, Figure } from "./figure.ts";
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
    const built = join(repository, "dist", "main.mjs");
    const figures: Figure[] = [];
    const compare = async (name: string, from: string, ...args: string[]) => {
      const found = await inTurns(spawns, { help: () => run(...args, "--help"), node: () => run("-e", "0") });
      const [help, node] = [median(found.help), median(found.node)];
      const value = help - node;
      const spread = `p25 ${quantile(found.help, 0.25).toFixed(0)}, p75 ${quantile(found.help, 0.75).toFixed(0)} ms`;
      const note = `${spawns} starts of ${help.toFixed(0)} ms in all (${spread}) ${from}, against Node alone; the ratio is of the whole.`;
      figures.push({
        name,
        value,
        unit: "ms",
        baseline: node,
        ratio: help / node,
        goal: "< 150 ms",
        ok: value < 150,
        note,
      });
    };
    await compare("start.help", "from src, whose types are taken out on the way", program);
    // What is published; here the program takes the sources, because they are there.
    const from = `const { main } = await import(${JSON.stringify(pathToFileURL(built).href)}); process.exitCode = await main(["--help"])`;
    if (existsSync(built)) await compare("start.help.built", "from dist", "--input-type=module", "-e", from, "--");
    return figures;
  },
};
