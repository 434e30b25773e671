/** Commands that look at what an agent does, made and cost. */
import type { Command } from "commander";
import { count } from "../environment.ts";
import { type Context, remote } from "./context.ts";

const latest = "default: the one where something happened last";

export function addLook(program: Command, { home, json, end }: Context): void {
  const where = () => ({ home: home(), json: json() });
  program
    .command("board")
    .description("the nodes of the current run as a tree, or as a graph")
    .argument("[agent]", latest)
    .option("-g, --graph", "what depends on what, with lines")
    .action(async (agent: string | undefined, { graph }: { graph?: boolean }) => {
      end(await (await remote()).board(where(), agent, graph ? "graph" : "tree"));
    });
  program
    .command("show")
    .description("everything about a node: task, turns, messages, what it published, why it waits")
    .argument("<words...>", "[agent] node: n3, or its whole id")
    .action(async (words: string[]) => {
      end(await (await remote()).node(where(), words));
    });
  program
    .command("why")
    .description("why a node does not move, down to whoever must act")
    .argument("<words...>", "[agent] node: n3, or its whole id")
    .action(async (words: string[]) => {
      end(await (await remote()).why(where(), words));
    });
  program
    .command("cost")
    .description("what an agent has spent, by model, worker, node and day")
    .argument("[agent]", latest)
    .action(async (agent: string | undefined) => {
      end(await (await remote()).cost(where(), agent));
    });
  program
    .command("events")
    .description("what happened, from the first event on; for programs with --json")
    .argument("[agent]", latest)
    .option("-f, --follow", "and what happens from now on; for people only that")
    .option("--types <patterns>", "node.*,message.posted")
    .option("--after <seq>", "only those after this one", count)
    .action(async (agent: string | undefined, options) => {
      end(await (await remote()).events(where(), agent, options));
    });
  const place = (command: Command): Command =>
    command.option("-m, --memory", "in its memory instead").option("--run <id>", "of another run: r1");
  place(program.command("files"))
    .description("the files of an agent's current run")
    .argument("[agent]", latest)
    .argument("[path]", "a folder", "")
    .option("-f, --find <words>", "those whose names or texts have these words")
    .action(async (agent: string | undefined, path: string, options) => {
      end(await (await remote()).files(where(), agent, path, options));
    });
  place(program.command("cat"))
    .description("a file of an agent, as it is")
    .argument("<agent>")
    .argument("<path>", "_output.md, nodes/n1-…/published/report.md, or with -m SOUL.md")
    .option("--raw", "byte by byte also to a terminal, which obeys what is in it")
    .action(async (agent: string, path: string, options) => {
      end(await (await remote()).cat(where(), agent, path, options));
    });
  program
    .command("memory")
    .description("what an agent remembers")
    .command("search")
    .description("by words and by meaning")
    .argument("<agent>")
    .argument("<query>")
    .option("-n, --limit <n>", "how many", count, 10)
    .action(async (agent: string, query: string, { limit }: { limit: number }) => {
      end(await (await remote()).memorySearch(where(), agent, query, limit));
    });
  program
    .command("export")
    .description("an agent with all it is, as one file")
    .argument("<agent>")
    .argument("[file]", "default: AGENT.agiraph")
    .action(async (agent: string, file: string | undefined) => {
      end(await (await remote()).exportAgent(where(), agent, file));
    });
  program
    .command("import")
    .description("take in an agent from such a file; it is paused until you let it go on")
    .argument("<file>")
    .action(async (file: string) => {
      end(await (await remote()).importAgent(where(), file));
    });
}
