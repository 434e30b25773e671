/** Triggers: what wakes an agent. */

import type { Command } from "commander";
import { count } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addTriggers(program: Command, { where, end }: Context): void {
  program
    .command("triggers")
    .description("list an agent's triggers (without options), or set one (with a time or event, and --wake)")
    .argument("[agent]", "default: the most recently active agent")
    .option("--cron <fields>", "cron expression: minute hour day month weekday, or six fields with seconds first")
    .option("--zone <zone>", "time zone for --cron, such as Europe/Berlin (default: UTC)")
    .option("--at <time>", "fire once at this time: 2027-01-31T09:00")
    .option("--in <seconds>", "fire once after this many seconds", count)
    .option("--every <seconds>", "fire regularly as a heartbeat, skipped when nothing is new", count)
    .option("--on <pattern>", "fire on these events: node.failed, message.*")
    .option("--idle <seconds>", "fire when nothing has happened for this many seconds", count)
    .option("--wake <text>", "message that wakes the agent")
    .option("--cancel <id>", "cancel a trigger: t1")
    .option("--pause <id>", "pause a trigger until it is armed again")
    .option("--fire <id>", "fire a trigger once, by hand")
    .option("--arm <id>", "enable a trigger that is paused, or was imported with the agent")
    .addHelpText(
      "after",
      examples([
        ['triggers news --cron "30 9 * * 1-5" --zone Europe/Berlin --wake "Read the news"'],
        ["triggers news --cancel t1"],
      ]),
    )
    .action(async (agent: string | undefined, { cancel, arm, pause, fire, ...given }) => {
      const commands = await asClient();
      if (cancel) return end(await commands.triggerCancel(where(), agent!, cancel));
      if (pause) return end(await commands.triggerPause(where(), agent!, pause));
      if (fire) return end(await commands.triggerFire(where(), agent!, fire));
      if (arm) return end(await commands.triggerArm(where(), agent!, arm));
      if (given.wake) return end(await commands.triggerSet(where(), agent!, given));
      end(await commands.triggers(where(), agent));
    });
}
