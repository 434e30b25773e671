/**
 * A team, run by a program: a goal in, an answer out. A lasting agent (agent.ts) that is asked once. Who leads the team decides whether it
 * needs one; `roles` are there from the start.
 *
 * Rejects with a Problem if there is no answer: nobody could be asked, the agent was paused or failed, or it asks something that nobody here
 * answers. Nothing is lost then: the agent is in the home, and `agiraph resume` goes on with it.
 */

import { basename, join } from "node:path";
import type { Standing } from "../../api/wait.ts";
import { runRoot } from "../../home/layout.ts";
import { commandRef } from "../../lib/command-line.ts";
import { filesIn } from "../../lib/files/tree.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { findHome } from "../home/environment.ts";
import { type AgentOptions, openAgent } from "./agent.ts";

export interface TeamOptions extends Omit<AgentOptions, "start"> {
  /** Pauses the agent. */
  signal?: AbortSignal;
}

export interface Answer {
  /** What the agent said when it finished, or its words if it just answered. */
  answer: string;
  /** The files it published with it. */
  files: string[];
  /** Its name in the home. */
  agent: string;
  cost: { usd: number; tokens: number };
}

export async function team({ signal, ...given }: TeamOptions): Promise<Answer> {
  const home = findHome(given.home);
  const one = await openAgent(given, "new");
  try {
    const stop = signal ? { signal } : {};
    const standing = await one.wait(stop).catch(async (error) => {
      if (!signal?.aborted) throw error;
      await one.pause();
      return await one.wait();
    });
    const { id: agent } = one;
    const { cost, result = "" } = standing.agent;
    const spent = { usd: cost.usd ?? 0, tokens: cost.tokens ?? 0 };
    const words = standing.said.findLast(({ by }) => by === "coordinator");
    if (standing.why === "idle" && words) return { answer: words.text.trim(), files: [], agent, cost: spent };
    if (standing.why !== "finished")
      throw new Problem(
        "wrong_state",
        `${agent} has no answer: ${whyNot(standing)}; to continue: ${commandRef(`resume ${agent}`)}`,
      );
    const [run] = (await one.client.listRuns({ params: { agent }, query: { limit: 1 } })).items;
    const root = runRoot(home, agent, run!.id);
    const folder = run!.answers > 1 ? `published-${run!.answers}` : "published";
    const output = await machine.files.read(join(root, "_output.md"));
    return {
      answer: String(output ?? result).trim(),
      files: await published(join(root, folder)),
      agent,
      cost: spent,
    };
  } finally {
    await one.close();
  }
}

function whyNot({ agent: { status, reason }, questions }: Standing): string {
  if (reason) return `it is ${status}, ${reason.message}`;
  const asked = questions.at(-1);
  return asked ? `it asks ${JSON.stringify(asked.text)}` : `it is ${status} and waits for a message`;
}

async function published(folder: string): Promise<string[]> {
  const paths = await filesIn((path) => machine.files.list(join(folder, path)));
  return paths.filter((path) => basename(path) !== "manifest.json").map((path) => join(folder, path));
}
