/** Commands that say and answer. */

import { type Command, InvalidArgumentError } from "commander";
import { shellLine } from "../../lib/command-line.ts";
import { words as saidWords } from "../environment.ts";
import { type Context, remote } from "./context.ts";
import { examples } from "./examples.ts";

export function addTalk(program: Command, { home, json, alone, end }: Context): void {
  const where = () => ({ home: home(), json: json() });
  const inHere = () => import("../actions/inbox.ts");
  program
    .command("send")
    .description("say something to an agent; what it asked you is answered by it")
    .argument("<agent>")
    .argument("<text>", "what you say", saidWords)
    .option(
      "--to <name>",
      "a worker, several with commas, or * for everyone (default: whom the text begins with, else the coordinator)",
    )
    .option("--wait [seconds]", "stay for the reply and print it; exit code 4 if none came (default: 120)", seconds)
    .option("--nudge", "it is heard at once, whatever they wait for")
    .option("--attach <files...>", "files that go with it, as resources that agents can read; at most 2.5 MB each")
    .action(async (agent: string, text: string, options: SendOptions) => {
      if (alone() && options.attach) throw new InvalidArgumentError("files go through the daemon; leave --alone out.");
      end(
        alone()
          ? await (await inHere()).sendWord(home(), agent, text, options.to)
          : await (await remote()).send(where(), agent, text, options),
      );
    });
  program
    .command("inbox")
    .description("what needs you, over all agents, and how to answer")
    .action(async () => {
      end(alone() ? await (await inHere()).showInbox(home()) : await (await remote()).inbox(where()));
    });
  program
    .command("answer")
    .description("answer a question; to an approval say allow, or deny and why")
    .argument("<agent>")
    .argument("<words...>", "the question's id, e.g. q1, and the answer; the id may be left out if only one is open")
    .option("--remember", "decide for every further call of this tool by the same asker in this run")
    .addHelpText(
      "after",
      examples([['answer report q2 "the second one"'], ['answer report "deny: not on this machine"']]),
    )
    .action(async (agent: string, words: string[], { remember }: { remember?: boolean }) => {
      const question = words.length > 1 && /^q\d+$/i.test(words[0]!) ? words[0]!.toLowerCase() : undefined;
      const text = (question ? words.slice(1) : words).join(" ");
      if (alone()) {
        if (!question) throw new InvalidArgumentError(`say which question: ${shellLine("answer AGENT q1 TEXT")}`);
        return end(await (await inHere()).answerQuestion(home(), agent, question, text, remember === true));
      }
      end(await (await remote()).answer(where(), agent, question, text, remember === true));
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
  throw new InvalidArgumentError("it must be a number of seconds, at most 600.");
}
