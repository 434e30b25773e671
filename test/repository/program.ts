/**
 * The program as people start it, killed by itself at a point: `KILL_AT=name#nth`. The names are those of the product (`world.point`), and
 * `git COMMAND` when a git has begun. Without a name it says at its end which points it reached, as a line of JSON on stderr.
 */
import { writeSync } from "node:fs";
import { machine } from "../../src/lib/machine/index.ts";
import { main } from "../../src/main.ts";

const { KILL_AT = "" } = process.env;
const reached = new Map<string, number>();

function reach(name: string): void {
  const nth = (reached.get(name) ?? 0) + 1;
  reached.set(name, nth);
  if (KILL_AT === `${name}#${nth}`) process.kill(process.pid, "SIGKILL");
}

const { processes } = machine;
machine.point = async (name) => reach(name);
machine.processes = {
  ...processes,
  async start(program) {
    const running = await processes.start(program);
    const from = program.command.indexOf("git");
    const name = program.command.find((word, at) => at > from && /^[a-z]+(-[a-z]+)*$/.test(word));
    if (from >= 0) reach(`git ${name}`);
    return running;
  },
};

process.exitCode = await main(process.argv.slice(2));
if (!KILL_AT) writeSync(2, `${JSON.stringify(Object.fromEntries(reached))}\n`);
