/** Commands that make agents, stay with them, and end them. */

import { resolve } from "node:path";
import type { Command } from "commander";
import { shellLine } from "../../lib/command-line.ts";
import { budget, count, names, words } from "../environment.ts";
import { type Context, remote } from "./context.ts";
import { examples } from "./examples.ts";

export function addAgents(program: Command, { home, json, alone, end }: Context): void {
  const where = () => ({ home: home(), json: json() });
  const inHere = () => import("../actions/alone.ts");
  const given = (command: Command): Command =>
    command
      .argument("<goal>", "what it is to reach, in your words", words)
      .option("--model <provider/model>", "who thinks (default: the config's, else the first key that is found)")
      .option(
        "--budget <amount>",
        "the most it may spend: 2usd, 200000tokens, 600seconds, or none (default: 10usd, or budget in config.yaml)",
        budget,
      )
      .option("--max-turns <n>", "the most model calls", count)
      .option("--folder <dir>", "a folder of yours that it may read, a repository say; it never changes it", (dir) =>
        resolve(dir),
      )
      .option("--workflow <name>", `a team that is written down: a name of ${shellLine("workflows")}, or a .yaml file`)
      .option("--tools <names>", "the only tools it and its workers may use, with commas: web_search,web_fetch", names)
      .option("--name <name>", "what it is called (default: from the goal)")
      .option("--infinite", "it works without end, in cycles")
      .option("--cycle <seconds>", "how often it wakes by itself; with --infinite (default: 1800)", count);
  given(program.command("run"))
    .description(
      "give a goal to a new agent and stay with it: watch, answer, talk; Ctrl-C pauses it, /detach leaves it at work",
    )
    .option("-d, --detach", "do not stay: it works on in the daemon")
    .addHelpText(
      "after",
      examples([
        ['run "Compare three ways to store events" --budget 2usd'],
        ['run "Keep an eye on our issues" --infinite --cycle 3600 --detach'],
        ['run "Is our licence compatible?" --workflow research-brief'],
        ['run "…" --json', "every event, for programs", " | jq .type"],
      ]),
    )
    .action(async (goal: string, options) => {
      end(
        alone()
          ? await (await inHere()).runGoal(home(), goal, options)
          : await (await remote()).runGoal(where(), goal, options),
      );
    });
  given(program.command("new"))
    .description("give a goal to a new agent and leave it to it; the same as run --detach")
    .option("--no-start", `make it, and begin later: ${shellLine("again AGENT")}`)
    .action(async (goal: string, options) => {
      end(await (await remote()).make(where(), goal, options));
    });
  program
    .command("workflows")
    .description("teams that are written down and can be chosen with --workflow, and files that cannot be used")
    .action(async () => {
      end(await (await remote()).workflows(where()));
    });
  program
    .command("ls")
    .description("all agents, the one where something happened last first")
    .option("-a, --all", "also those that were archived")
    .action(async ({ all }: { all?: boolean }) => {
      end(await (await remote()).ls(where(), { all: all === true }));
    });
  program
    .command("watch")
    .alias("chat")
    .description("look at an agent live and talk to it, or to @alice; Ctrl-C leaves it at work")
    .argument("[agent]", "default: the one where something happened last")
    .action(async (agent: string | undefined) => {
      end(await (await remote()).watch(where(), agent));
    });
  program
    .command("resume")
    .description("go on with an agent that was paused or stopped, and stay with it")
    .argument("<agent>")
    .option("--budget <amount>", "a new limit for all it has spent and will spend", budget)
    .action(async (agent: string, options) => {
      end(
        alone()
          ? await (await inHere()).resumeAgent(home(), agent, options)
          : await (await remote()).resume(where(), agent, options),
      );
    });
  program
    .command("again")
    .description("give an agent its next run: a new goal, and what it remembers; an open run is ended")
    .argument("<agent>")
    .argument("[goal]", "what it is to reach this time (default: its own goal)", words)
    .option("--budget <amount>", "the most this run may spend", budget)
    .action(async (agent: string, goal: string | undefined, options) => {
      end(
        alone()
          ? await (await inHere()).startAgain(home(), agent, goal, options)
          : await (await remote()).again(where(), agent, goal, options),
      );
    });
  program
    .command("pause")
    .description("let an agent pause: turns under way are finished, nothing new begins, nothing ends")
    .argument("<agent>")
    .action(async (agent: string) => {
      end(await (await remote()).pause(where(), agent));
    });
  program
    .command("stop")
    .description(
      "end what an agent and its workers do, and say what ended; it keeps its conversation and waits for your word",
    )
    .argument("<agent>")
    .action(async (agent: string) => {
      end(
        alone()
          ? await (await inHere()).endAgent(home(), agent, "agent.stop")
          : await (await remote()).stop(where(), agent),
      );
    });
  program
    .command("rm")
    .alias("archive")
    .description("end an agent for good; its files and its log stay")
    .argument("<agent>")
    .action(async (agent: string) => {
      end(
        alone()
          ? await (await inHere()).endAgent(home(), agent, "agent.archive")
          : await (await remote()).archive(where(), agent),
      );
    });
}
