/** Commands about what a team agrees on: shared documents, and votes. */
import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { count } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";
import { examples } from "./examples.ts";

const latest = "default: the most recently active agent";

export function addTeam(program: Command, { where, end }: Context): void {
  program
    .command("documents")
    .description("list the shared documents of an agent's run, print one, or write one")
    .argument("[agent]", latest)
    .argument("[name]", "document to print, such as decisions.md")
    .option("--history", "show who wrote which version, and when")
    .option("--at <version>", "print an earlier version", count)
    .option("--write <file>", "write the content of this file (- for standard input) as its next version")
    .option(
      "--base <version>",
      "with --write: the version that you read and changed; omit it for a new document",
      count,
    )
    .addHelpText("after", examples([["documents report decisions.md --write decisions.md --base 3"]]))
    .action(async (agent: string | undefined, name: string | undefined, { write, at, ...given }) => {
      const content = write === undefined ? {} : { content: readFileSync(write === "-" ? 0 : write, "utf8") };
      const wish = { ...given, ...content, ...(at ? { version: at } : {}) };
      end(await (await asClient()).documents(where(), agent, name, wish));
    });
  program
    .command("proposals")
    .description("list what is put to a vote in an agent's run, who voted for what and why, and what was decided")
    .argument("[agent]", latest)
    .option("--new <question>", "put a question to a vote")
    .option("--options <list>", "with --new: comma-separated choices (default: yes,no)", list)
    .addOption(new Option("--rule <rule>", "with --new: what wins").choices(["plurality", "majority", "unanimous"]))
    .option("--quorum <votes>", "with --new: number of votes that any result needs", count)
    .option("--deadline <seconds>", "with --new: how long voting is open", count)
    .option("--review <seconds>", "with --new: when to ask whether it is still right", count)
    .option("--withdraw <id>", "withdraw an open proposal: p1")
    .action(async (agent: string | undefined, { new: question, withdraw, ...given }) => {
      const commands = await asClient();
      if (withdraw) return end(await commands.proposalWithdraw(where(), agent, withdraw));
      if (question) return end(await commands.propose(where(), agent, { question, ...given }));
      end(await commands.proposals(where(), agent));
    });
  program
    .command("soul")
    .description("show who an agent is, the versions of its soul and what came of each, and decide what is proposed")
    .argument("[agent]", latest)
    .option("--versions", "list the versions, with results for each")
    .option("--diff <versions>", "compare a version with the current text, or two: 12..40")
    .option("--restore <version>", "make an earlier version the current one", count)
    .option("--accept <id>", "accept a proposal: sp1")
    .option("--line <text>", "with --accept: the line as you want it")
    .option("--decline <id>", "decline a proposal: sp1")
    .option("--reason <text>", "with --decline: why")
    .addHelpText("after", examples([["soul report --versions"], ["soul report --accept sp1"]]))
    .action(async (agent: string | undefined, given) => {
      end(await (await asClient()).soul(where(), agent, given));
    });
  program
    .command("vote")
    .description("vote on a proposal, or change your vote while it is open")
    .argument("<agent>")
    .argument("<proposal>", "its id: p1")
    .argument("[choice]", "one of its options, or abstain")
    .argument("[reason]", "why; it is kept with the result")
    .option("--as <voter>", "vote as this voter does, until you vote yourself")
    .addHelpText("after", examples([['vote report p1 yes "it is tested"']]))
    .action(async (agent: string, proposal: string, choice: string | undefined, reason: string | undefined, { as }) => {
      const commands = await asClient();
      if (as) return end(await commands.delegateVote(where(), agent, proposal, as));
      if (choice === undefined) program.error("error: missing required argument 'choice', or --as <voter>");
      end(await commands.vote(where(), agent, proposal, choice, reason));
    });
}

const list = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
