/** Commands that look at what an agent does, made and cost. */
import type { Command } from "commander";
import { count } from "../environment.ts";
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
    .command("why")
    .description("explain why a node is not making progress, and who has to act")
    .argument("<words...>", "[agent] node: n3, or its full id")
    .action(async (words: string[]) => {
      end(await (await asClient()).why(where(), words));
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
  const place = (command: Command): Command =>
    command.option("-m, --memory", "look in the agent's memory instead").option("--run <id>", "another run: r1");
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
    .command("memory")
    .description("search an agent's memory")
    .command("search")
    .description("search by words and by meaning")
    .argument("<agent>")
    .argument("<query>")
    .option("-n, --limit <n>", "maximum number of results", count, 10)
    .action(async (agent: string, query: string, { limit }: { limit: number }) => {
      end(await (await asClient()).memorySearch(where(), agent, query, limit));
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
