/** Commands that look at what an agent does, made and cost. */
import { type Command, Option } from "commander";
import type { Taken } from "../../cli/commands/changes.ts";
import { count } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";

const latest = "default: the most recently active agent";

export function addLook(program: Command, { where, end }: Context): void {
  program
    .command("board")
    .description("show the nodes of the current run as a tree, or as a graph")
    .argument("[agent]", latest)
    .option("-g, --graph", "draw the dependencies as a graph")
    .action(async (agent: string | undefined, { graph }: { graph?: boolean }) => {
      end(await (await asClient()).board(where(), agent, graph ? "graph" : "tree"));
    });
  program
    .command("show")
    .description("show everything about a node: task, turns, messages, published files, why it waits")
    .argument("<words...>", "[agent] node: n3, or its full id")
    .action(async (words: string[]) => {
      end(await (await asClient()).node(where(), words));
    });
  program
    .command("diff")
    .description("show what an agent changed in your repository or folder, in the form of git diff")
    .argument("[agent]", latest)
    .argument("[node]", "only the change of this node: n3, or its full id; default: everything that was merged")
    .option("--stat", "show only how much changed in each file")
    .option("-y, --side-by-side", "show before and after in two columns")
    .option("--run <run>", "show the changes of an earlier run, such as r1; default: the current run")
    .action(
      async (
        agent: string | undefined,
        node: string | undefined,
        options: { stat?: boolean; sideBySide?: boolean; run?: string },
      ) => {
        end(await (await asClient()).diff(where(), agent, node, options));
      },
    );
  program
    .command("comment")
    .description("comment on a line of a change; the worker of the node gets it as a message")
    .argument("<agent>", "id of the agent, or the beginning of it")
    .argument("<node>", "n3, or its full id; merged for everything that was merged")
    .argument("<place>", "FILE:LINE, as the diff shows it")
    .argument("<text>", "what you want to say")
    .option("--removed", "LINE is the number of a removed line")
    .action(async (agent: string, node: string, place: string, text: string, { removed }: { removed?: true }) => {
      end(await (await asClient()).comment(where(), agent, node, place, { text, ...(removed ? { removed } : {}) }));
    });
  program
    .command("merge")
    .description("take over what an agent's nodes changed: into your branch, as a new branch, or as a patch file")
    .argument("[agent]", latest)
    .addOption(
      new Option("--as <way>", "how the change is handed over").choices(["merge", "branch", "patch"]).default("merge"),
    )
    .option("--into <branch>", "with --as merge: the branch; default: the one you were on when the run started")
    .option("--name <name>", "with --as branch or patch: the name of the branch or of the file")
    .option("--node <node>", "only the change of this node; default: everything that was merged")
    .action(async (agent: string | undefined, options: Taken) => {
      end(await (await asClient()).merge(where(), agent, options));
    });
  program
    .command("why")
    .description("explain why a node is not making progress, and who has to act")
    .argument("<words...>", "[agent] node: n3, or its full id")
    .action(async (words: string[]) => {
      end(await (await asClient()).why(where(), words));
    });
  program
    .command("context")
    .description("show the prompt of a turn: its parts with source, reason and tokens, and what was left out")
    .argument("[agent]", latest)
    .argument(
      "[turn]",
      "a turn such as coordinator.3, or a participant for its last one; default: the last turn of all",
    )
    .action(async (agent: string | undefined, turn: string | undefined) => {
      end(await (await asClient()).context(where(), agent, turn));
    });
  program
    .command("cost")
    .description("show an agent's cost by model, worker, node and day")
    .argument("[agent]", latest)
    .action(async (agent: string | undefined) => {
      end(await (await asClient()).cost(where(), agent));
    });
  program
    .command("events")
    .description("print an agent's events, oldest first; --json for programs")
    .argument("[agent]", latest)
    .option("-f, --follow", "keep printing new events; without --json, print only new ones")
    .option("--types <patterns>", "only these types: node.*,message.posted")
    .option("--after <seq>", "only events after this number", count)
    .action(async (agent: string | undefined, options) => {
      end(await (await asClient()).events(where(), agent, options));
    });
  program
    .command("record")
    .description("print a recording of a run, to be played as the model recorded/FILE")
    .argument("[agent]", latest)
    .option("--run <id>", "run to record, such as r1 (default: the last one)")
    .option("--participant <id>", "only this one: coordinator, alice")
    .action(async (agent: string | undefined, options) => {
      end(await (await asClient()).record(where(), agent, options));
    });
  const place = (command: Command): Command =>
    command
      .option("-m, --memory", "look in the agent's memory instead")
      .option("--run <id>", "run to look in, such as r1 (default: the current one)");
  place(program.command("files"))
    .description("list the files of an agent's current run")
    .argument("[agent]", latest)
    .argument("[path]", "folder to list", "")
    .option("-f, --find <words>", "search file names and contents")
    .action(async (agent: string | undefined, path: string, options) => {
      end(await (await asClient()).files(where(), agent, path, options));
    });
  place(program.command("cat"))
    .description("print a file of an agent")
    .argument("<agent>")
    .argument("<path>", "_output.md, nodes/n1-…/published/report.md, or with -m SOUL.md")
    .option("--raw", "print the raw bytes even to a terminal, including control sequences")
    .action(async (agent: string, path: string, options) => {
      end(await (await asClient()).cat(where(), agent, path, options));
    });
  program
    .command("export")
    .description("export an agent with everything it has into one file")
    .argument("<agent>")
    .argument("[file]", "default: AGENT.agiraph")
    .action(async (agent: string, file: string | undefined) => {
      end(await (await asClient()).exportAgent(where(), agent, file));
    });
  program
    .command("import")
    .description("import an agent from an exported file; it stays paused until you resume it")
    .argument("<file>")
    .action(async (file: string) => {
      end(await (await asClient()).importAgent(where(), file));
    });
}
