/** Commands that say and answer. */

import { type Command, InvalidArgumentError } from "commander";
import { words as saidWords } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addTalk(program: Command, { where, end }: Context): void {
  program
    .command("send")
    .description("send a message to an agent; if it is waiting for your answer, the message answers it")
    .argument("<agent>")
    .argument("<text>", "the message", saidWords)
    .option(
      "--to <name>",
      "a worker, a comma-separated list, or * for everyone (default: an @name at the start of the text, else the coordinator)",
    )
    .option(
      "--wait [seconds]",
      "wait for the reply and print it; exit code 4 if there is none in time (default: 120)",
      seconds,
    )
    .option("--nudge", "deliver it at once, even to participants that are waiting for something else")
    .option("--attach <files...>", "attach files that agents can read; at most 2.5 MB each")
    .action(async (agent: string, text: string, options: SendOptions) => {
      end(await (await asClient()).send(where(), agent, text, options));
    });
  program
    .command("inbox")
    .description("show what needs you across all agents, and how to answer")
    .action(async () => {
      end(await (await asClient()).inbox(where()));
    });
  program
    .command("answer")
    .description("answer a question; answer an approval with allow, or deny and a reason")
    .argument("<agent>")
    .argument(
      "<words...>",
      "the question's id, such as q1, and the answer; the id is optional if only one question is open",
    )
    .option("--remember", "apply this decision to all further calls of this tool by the same participant in this run")
    .addHelpText(
      "after",
      examples([['answer report q2 "the second one"'], ['answer report "deny: not on this machine"']]),
    )
    .action(async (agent: string, words: string[], { remember }: { remember?: boolean }) => {
      const question = words.length > 1 && /^q\d+$/i.test(words[0]!) ? words[0]!.toLowerCase() : undefined;
      const text = (question ? words.slice(1) : words).join(" ");
      end(await (await asClient()).answer(where(), agent, question, text, remember === true));
    });
}

interface SendOptions {
  to?: string;
  wait?: number | true;
  nudge?: boolean;
  attach?: string[];
}

function seconds(text: string): number {
  const n = Number(text);
  if (n > 0 && n <= 600) return n;
  throw new InvalidArgumentError("expected a number of seconds up to 600.");
}
