/** Triggers: what wakes an agent. */

import type { Command } from "commander";
import { count } from "../environment.ts";
import { type Context, remote } from "./context.ts";
import { examples } from "./examples.ts";

export function addTriggers(program: Command, { home, json, end }: Context): void {
  const where = () => ({ home: home(), json: json() });
  program
    .command("triggers")
    .description("what wakes an agent: without options they are listed, with a time and --wake one is set")
    .argument("[agent]", "default: the one where something happened last")
    .option("--cron <fields>", "minute hour day month weekday, or six with seconds first")
    .option("--zone <zone>", "of --cron, e.g. Europe/Berlin (default: UTC)")
    .option("--at <time>", "once: 2027-01-31T09:00")
    .option("--in <seconds>", "once, so long from now", count)
    .option("--every <seconds>", "as a heartbeat: only if there is something new", count)
    .option("--on <pattern>", "when such an event happens: node.failed, message.*")
    .option("--idle <seconds>", "when nothing has happened for so long", count)
    .option("--wake <text>", "what it is woken with")
    .option("--cancel <id>", "end one: t1")
    .option("--arm <id>", "let one work that came with the agent from another home")
    .addHelpText(
      "after",
      examples([
        ['triggers news --cron "30 9 * * 1-5" --zone Europe/Berlin --wake "Read the news"'],
        ["triggers news --cancel t1"],
      ]),
    )
    .action(async (agent: string | undefined, { cancel, arm, ...given }) => {
      const commands = await remote();
      if (cancel) return end(await commands.triggerCancel(where(), agent!, cancel));
      if (arm) return end(await commands.triggerArm(where(), agent!, arm));
      if (given.wake) return end(await commands.triggerSet(where(), agent!, given));
      end(await commands.triggers(where(), agent));
    });
}
