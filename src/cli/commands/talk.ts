/** Words from the command line: say something, see what needs you, answer. */
import { allPages } from "../../api/page.ts";
import { shellLine } from "../../lib/command-line.ts";
import { clean, wrap } from "../terminal/text.ts";
import { wrapCommands } from "../terminal/wrap-commands.ts";
import { inboxLines } from "../view/inbox.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

/** What goes with a message. */
export interface GivenFile {
  title: string;
  content: Buffer;
}

export async function sendMessage(
  shell: Shell,
  wanted: string,
  message: string,
  { to, wait, nudge, files = [] }: { to?: string; wait?: number | true; nudge?: boolean; files?: readonly GivenFile[] },
): Promise<"replied" | "sent" | "silent"> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const resources: string[] = [];
  for (const { title, content } of files)
    resources.push(
      (await shell.client.createResource({ params, body: { title, base64: content.toString("base64") } })).id,
    );
  const body = { message, ...(to ? { to } : {}), ...(resources.length ? { resources } : {}) };
  if (nudge || wait === undefined) {
    const sent = nudge ? await shell.client.nudge({ params, body }) : await shell.client.send({ params, body });
    const next = shell.later ? `, read with: ${shellLine(`resume ${agent}`)}` : ".";
    show(shell, sent, () => [`Sent to ${sent.to.join(", ")} (${sent.id})${next}`]);
    return "sent";
  }
  // In pieces: a connection on which nothing comes for minutes is given up.
  const answered = await shell.client.send({ params, body: { ...body, wait }, hear: () => undefined });
  const { reply, why } = answered;
  show(shell, answered, () =>
    reply
      ? wrap(clean(reply.text), shell.terminal.width())
      : [`No reply yet: ${clean(why ?? "it is working")}. Follow it: ${shellLine(`watch ${agent}`)}`],
  );
  return reply ? "replied" : "silent";
}

export async function showInbox(shell: Shell): Promise<void> {
  const items = await allPages((query) => shell.client.inbox({ query }));
  const { terminal, now } = shell;
  const look = { width: terminal.width(), colors: terminal.colors, now: now() };
  // Nothing is in the inbox of a home that nobody trusts, and that is not because nothing waits.
  const { untrusted = undefined } = items.length || shell.json ? {} : await shell.client.status();
  show(shell, items, () => (untrusted ? wrapCommands(untrusted, look.width) : inboxLines(items, look)));
}

export async function answerQuestion(
  shell: Shell,
  wanted: string,
  question: string | undefined,
  text: string,
  remember: boolean,
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const said = await shell.client.respond({
    params: { agent },
    body: { response: text, ...(question ? { question_id: question } : {}), ...(remember ? { remember } : {}) },
  });
  const next = shell.later ? ` with: ${shellLine(`resume ${agent}`)}` : ".";
  show(shell, said, () => [`Answered ${said.question}; ${agent} resumes${next}`]);
}
