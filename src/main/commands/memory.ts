/** Commands about an agent's memory: what it knows, and what is proposed for it. */
import { type Command, Option } from "commander";
import { Tier, Visibility } from "../../schema/note.ts";
import { count } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addMemory(program: Command, { where, end }: Context): void {
  const memory = program.command("memory").description("look into an agent's memory, and decide what it keeps");
  memory
    .command("search")
    .description("search by words and by meaning")
    .argument("<agent>")
    .argument("<query>")
    .option("-n, --limit <n>", "maximum number of results", count, 10)
    .action(async (agent: string, query: string, { limit }: { limit: number }) => {
      end(await (await asClient()).memorySearch(where(), agent, query, limit));
    });
  memory
    .command("notes")
    .description("list what it knows: for whom, from where, used when, and what is about to fade")
    .argument("<agent>")
    .addOption(new Option("--tier <tier>", "only these").choices(Tier.options))
    .option("-n, --limit <n>", "maximum number of notes", count, 50)
    .action(async (agent: string, given) => {
      end(await (await asClient()).memoryNotes(where(), agent, given));
    });
  memory
    .command("proposals")
    .description("list what is proposed for the memory and waits for you")
    .argument("<agent>")
    .action(async (agent: string) => {
      end(await (await asClient()).memoryProposals(where(), agent));
    });
  memory
    .command("accept")
    .description("take a proposal into the memory")
    .argument("<agent>")
    .argument("<id>", "i1")
    .action(async (agent: string, id: string) => {
      end(await (await asClient()).memoryAccept(where(), agent, id));
    });
  memory
    .command("decline")
    .description("decline a proposal")
    .argument("<agent>")
    .argument("<id>", "i1")
    .argument("[reason]", "why not")
    .action(async (agent: string, id: string, reason: string | undefined) => {
      end(await (await asClient()).memoryDecline(where(), agent, id, reason));
    });
  memory
    .command("set")
    .description("change when a note is shown and who may be told it, or vouch for it")
    .argument("<agent>")
    .argument("<path>", "memory/knowledge/deploy.md")
    .addOption(new Option("--tier <tier>", "core: always shown; archive: found by search only").choices(Tier.options))
    .addOption(new Option("--visibility <who>", "who may be told it when they ask").choices(Visibility.options))
    .option("--trusted", "you vouch for a note that was written after reading text from outside")
    .addHelpText("after", examples([["memory set report memory/knowledge/deploy.md --visibility shareable"]]))
    .action(async (agent: string, path: string, given) => {
      end(await (await asClient()).memorySet(where(), agent, path, given));
    });
}
