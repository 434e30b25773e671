/** `agiraph inbox`, `agiraph answer` and `agiraph send`: they open the home to look and to record, and start nobody's work. */

import { inboxLines } from "../../cli/inbox.ts";
import { clean } from "../../cli/text.ts";
import { humanInbox } from "../../core/human-inbox.ts";
import { shellLine } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { wasComeUpon } from "../environment.ts";
import { type House, openHouse } from "../house.ts";
import { noticeOn } from "./alone.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";

export async function showInbox(home: string): Promise<number> {
  const terminal = openTerminal();
  return withStillHouse(home, async ({ runtime }) => {
    const items = [];
    for (const agent of runtime.agents()) {
      // One that cannot be opened was told already, and does not hide the others.
      const inbox = await runtime.read(agent, (state) => humanInbox(state)).catch(() => undefined);
      for (const item of inbox?.items ?? []) items.push({ agent, ...item });
    }
    const { colors } = terminal;
    terminal.say(inboxLines(items, { width: terminal.width(), colors, now: machine.clock.now() }));
    return exit.done;
  });
}

export async function answerQuestion(
  home: string,
  agent: string,
  question: string,
  answer: string,
  remember: boolean,
): Promise<number> {
  const terminal = openTerminal();
  return withStillHouse(home, async ({ runtime }) => {
    assertThere(runtime, agent, home);
    const command = { type: "question.answer", question, answer, ...(remember ? { remember } : {}) } as const;
    await runtime.send(agent, command, { actor: "human" });
    const from = await runtime.read(agent, (state) => state.questions.get(question)?.by ?? "nobody");
    terminal.say([`${question} is answered; ${clean(from)} goes on with: ${shellLine(`resume ${agent}`)}`]);
    return exit.done;
  });
}

export async function sendWord(home: string, agent: string, text: string, to: string | undefined): Promise<number> {
  const terminal = openTerminal();
  return withStillHouse(home, async ({ runtime }) => {
    assertThere(runtime, agent, home);
    const { made } = await runtime.send(
      agent,
      { type: "message.post", text, ...(to ? { to } : {}) },
      { actor: "human" },
    );
    const names = await runtime.read(agent, (state) =>
      state.channel.find(({ id }) => id === made.message)?.to.map((id) => state.participants.get(id)?.name ?? id),
    );
    terminal.say([
      `${made.message} is for ${clean(names?.join(", ") ?? agent)}, read with: ${shellLine(`resume ${agent}`)}`,
    ]);
    return exit.done;
  });
}

function assertThere(runtime: House["runtime"], agent: string, home: string): void {
  if (runtime.agents().includes(agent)) return;
  const names = runtime.agents().join(", ") || "none yet";
  throw new Problem("not_found", `there is no agent ${agent} in ${home}; there are ${names}`);
}

async function withStillHouse(home: string, act: (house: House) => Promise<number>): Promise<number> {
  const house = await openHouse({
    path: home,
    plain: wasComeUpon(home),
    env: process.env,
    notice: noticeOn(openTerminal()),
    still: true,
  });
  try {
    await house.runtime.start();
    return await act(house);
  } finally {
    await house.close();
  }
}
