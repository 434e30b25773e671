/** Every command with its options, and nothing of what they do: that is loaded when one is called. */
import { Command } from "commander";
import { shellLine } from "../../lib/command-line.ts";
import { version } from "../installation/version.ts";
import { addAgents } from "./agents.ts";
import type { Context } from "./context.ts";
import { addDaemon } from "./daemon.ts";
import { examples } from "./examples.ts";
import { help } from "./help.ts";
import { addHouse } from "./house.ts";
import { addLook } from "./look.ts";
import { addMemory } from "./memory.ts";
import { addTalk } from "./talk.ts";
import { addTeam } from "./team.ts";
import { addTriggers } from "./triggers.ts";
import { addWorkflow } from "./workflow.ts";

const groups = {
  "Agents:": addAgents,
  "Workflows:": addWorkflow,
  "Talk:": addTalk,
  "Team:": addTeam,
  "Inspect:": addLook,
  "Memory:": addMemory,
  "Triggers:": addTriggers,
  "Daemon:": addDaemon,
  "Setup:": addHouse,
};

/** What comes before the command. */
export interface CommandSetup {
  home?: string;
  json?: boolean;
  alone?: boolean;
}

/** `wrong` is told what does not fit, in one line. */
export function createProgram(context: Context, wrong: (message: string) => void): Command {
  const program = new Command(shellLine())
    .description("A multi-agent runtime: give it a goal, watch a team build the work graph, lose nothing.")
    .version(version())
    .option(
      "--home <dir>",
      "folder with the agents (default: AGIRAPH_HOME, else the nearest .agiraph, else ~/.agiraph)",
    )
    .option("--json", "print results and events as JSON, one per line")
    .option("--alone", "work in this process, without the daemon; the work ends with the command")
    .configureHelp(help)
    .exitOverride()
    .configureOutput({
      outputError(text) {
        const lines = text.split("\n").flatMap((line) => line.trim() || []);
        wrong(lines.join(" ").replace(/^error: /, ""));
      },
    })
    .addHelpText(
      "after",
      examples([
        ['run "Compare three ways to store events" --budget 2usd'],
        ["ls", "list agents; inbox: what needs you"],
        ["watch compare-three-ways", "follow and talk; why n3: why a node waits"],
        ["up -d", "start the daemon in the background; also: status, logs, down"],
        ["demo", "watch a small scripted team; needs no API key"],
      ]),
    );
  for (const [title, add] of Object.entries(groups)) add(program.commandsGroup(title), context);
  return program;
}
