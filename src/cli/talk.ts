/** Words from the command line: say something, see what needs you, answer. */
import { inboxLines } from "./inbox.ts";
import { allPages, pickAgent, type Shell, show } from "./shell.ts";
import { clean, wrap } from "./text.ts";

export async function sendMessage(
  shell: Shell,
  wanted: string,
  message: string,
  { to, wait, nudge }: { to?: string; wait?: number | true; nudge?: boolean },
): Promise<"replied" | "sent" | "silent"> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const body = { message, ...(to ? { to } : {}) };
  if (nudge || wait === undefined) {
    const sent = nudge ? await shell.client.nudge({ params, body }) : await shell.client.send({ params, body });
    show(shell, sent, () => [`Sent to ${sent.to.join(", ")} (${sent.id}).`]);
    return "sent";
  }
  const answered = (await shell.client.send({ params, body: { ...body, wait } })) as {
    reply?: { from: string; text: string } | null;
    why?: string;
  };
  const { reply, why } = answered;
  show(shell, answered, () =>
    reply
      ? wrap(clean(reply.text), shell.terminal.width())
      : [`No reply yet: ${clean(why ?? "it works")}. It is not lost: agiraph watch ${agent}`],
  );
  return reply ? "replied" : "silent";
}

export async function showInbox(shell: Shell): Promise<void> {
  const items = await allPages((query) => shell.client.inbox({ query }));
  const { terminal, now } = shell;
  const look = { width: terminal.width(), colors: terminal.colors, now: now() };
  show(shell, items, () => inboxLines(items, look));
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
  show(shell, said, () => [`${said.question} is answered; ${agent} goes on.`]);
}
