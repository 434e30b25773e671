/**
 * The commands that are clients of the routes: of the daemon of the home, which they find or start, or with --alone of this process. Return
 * the exit code.
 */

import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { largestResource } from "../../api/records.ts";
import {
  changeAgent,
  listAgents,
  makeAgent,
  type NewAgent,
  newAgent,
  newAgentLines,
  showAgent,
  startAgain,
  stopAgent,
} from "../../cli/commands/agents.ts";
import { commentOnLine, showDiff, takeOver } from "../../cli/commands/changes.ts";
import { showDocuments } from "../../cli/commands/documents.ts";
import { catFile, findInFiles, listFiles, type Place, searchMemory } from "../../cli/commands/files.ts";
import { type EventsGiven, showBoard, showCost, showEvents, showNode, showWhy } from "../../cli/commands/look.ts";
import { acceptInsight, declineInsight, listInsights, listNotes, setNote } from "../../cli/commands/memory.ts";
import { listModels } from "../../cli/commands/models.ts";
import {
  vote as castVote,
  delegateVote as delegate,
  listProposals,
  propose as proposeNew,
  withdrawProposal,
} from "../../cli/commands/proposals.ts";
import { printRecording } from "../../cli/commands/record.ts";
import { pickAgent, type Shell, show } from "../../cli/commands/shell.ts";
import { governSoul } from "../../cli/commands/soul.ts";
import { listSouls } from "../../cli/commands/souls.ts";
import { answerQuestion, sendMessage, showInbox } from "../../cli/commands/talk.ts";
import {
  armTrigger,
  cancelTrigger,
  fireTrigger,
  listTriggers,
  type NewTrigger,
  pauseTrigger,
  setTrigger,
} from "../../cli/commands/triggers.ts";
import { showContext } from "../../cli/commands/turn-context.ts";
import { listWorkflows } from "../../cli/commands/workflows.ts";
import { createReader, unguardedStream } from "../../cli/terminal/way-out.ts";
import { wrapCommands } from "../../cli/terminal/wrap-commands.ts";
import { importLines } from "../../cli/view/import-lines.ts";
import { commandRef, shellLine, shellWord } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import type { BudgetWish } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import { hearSignals } from "../home/environment.ts";
import { isSoulFile, readSoulFile } from "../templates/souls.ts";
import { isWorkflowFile, readWorkflowFile } from "../templates/workflows.ts";
import { stay } from "./attend.ts";
import { exit } from "./exit.ts";
import { isUrl } from "./git-source.ts";
import { once, using, type Where } from "./shell.ts";
import { withoutModel } from "./without-model.ts";

export const ls = once(listAgents);
export const make = once(
  async (shell, goal: string, given: NewAgent) =>
    newAgent(shell, goal, await written(given)).catch(explained(shell, given)),
  "later",
);
export const pause = once((shell, agent: string) => changeAgent(shell, "pauseAgent", agent));
export const stop = once(stopAgent);
export const agentStatus = once(showAgent);
export const archive = once((shell, agent: string) => changeAgent(shell, "archiveAgent", agent));
export const inbox = once(showInbox);
export const answer = once(answerQuestion, "later");
export const board = once(showBoard);
export const node = once(showNode);
export const why = once(showWhy);
export const diff = once(showDiff);
export const comment = once(commentOnLine, "later");
export const merge = once(takeOver);
export const context = once(showContext);
export const cost = once(showCost);
export const record = once(printRecording);
export const files = once((shell, agent: string | undefined, path: string, place: Place & { find?: string }) =>
  place.find === undefined
    ? listFiles(shell, agent, path, place)
    : findInFiles(shell, agent, place.find, { ...place, below: path }),
);
/** To a terminal as text in which nothing is hidden; anywhere else, and with `raw`, byte by byte. */
export const cat = once(async (shell, agent: string, path: string, { raw, ...place }: Place & { raw?: boolean }) => {
  const { stdout } = process;
  if (raw || !stdout.isTTY) {
    const out = unguardedStream(stdout);
    return catFile(shell, agent, path, place, (chunk) => void out.write(chunk));
  }
  const reader = createReader((text) => void stdout.write(text));
  await catFile(shell, agent, path, place, reader.take);
  reader.end();
});
export const documents = once(showDocuments);
export const proposals = once(listProposals);
export const propose = once(proposeNew, "later");
export const vote = once(castVote, "later");
export const delegateVote = once(delegate, "later");
export const proposalWithdraw = once(withdrawProposal, "later");
export const memorySearch = once(searchMemory);
export const memoryNotes = once(listNotes);
export const memoryProposals = once(listInsights);
export const memoryAccept = once(acceptInsight, "later");
export const memoryDecline = once(declineInsight, "later");
export const memorySet = once(setNote);
export const workflows = once(listWorkflows);
export const soul = once(governSoul, "later");
export const souls = once(listSouls);
export const models = once(listModels);
export const triggers = once(listTriggers);
export const triggerSet = once((shell, agent: string, given: NewTrigger) => setTrigger(shell, agent, given));
export const triggerCancel = once(cancelTrigger);
export const triggerPause = once(pauseTrigger);
export const triggerFire = once(fireTrigger);
export const triggerArm = once(armTrigger);

export async function send(
  where: Where,
  agent: string,
  text: string,
  { attach = [], ...given }: { to?: string; wait?: number | true; nudge?: boolean; attach?: string[] },
): Promise<number> {
  // What cannot be read is said before anything is sent.
  const files = await Promise.all(
    attach.map(async (path) => ({ title: basename(path), content: await contentOf(path) })),
  );
  const works = given.wait === undefined ? "later" : "now";
  const sent = await using(where, works, (shell) => sendMessage(shell, agent, text, { ...given, files }));
  return sent === "silent" ? exit.waiting : exit.done;
}

async function contentOf(path: string): Promise<Buffer> {
  const found = await machine.files.stat(path);
  if (found?.kind !== "file") throw new Problem("not_found", `there is no file ${path} to attach`);
  if (found.size === 0) throw new Problem("invalid", `${path} is empty; there is nothing to attach`);
  if (found.size > largestResource)
    throw new Problem("too_large", `${path} has ${found.size} bytes; at most ${largestResource} can be attached`);
  const content = await machine.files.read(path);
  if (!content) throw new Problem("not_found", `${path} is gone`);
  return content;
}

export async function events(where: Where, agent: string | undefined, given: EventsGiven): Promise<number> {
  const signals = hearSignals();
  try {
    await using(where, given.follow ? "now" : undefined, (shell) => showEvents(shell, agent, given, signals.heard));
    return exit.done;
  } finally {
    signals.end();
  }
}

export async function runGoal(where: Where, goal: string, given: NewAgent & { maxTurns?: number; detach?: boolean }) {
  const whole = await written(given);
  const budget = { ...whole.budget, ...(given.maxTurns ? { turns: given.maxTurns } : {}) };
  const wish = { ...whole, ...(Object.keys(budget).length ? { budget } : {}) };
  if (given.detach && where.alone)
    throw new Problem(
      "invalid",
      "--detach leaves the agent running in the daemon, so it does not work with --alone; use only one of them",
    );
  if (given.detach)
    return using(where, "later", async (shell) => {
      const made = await makeAgent(shell, goal, wish).catch(explained(shell, wish));
      show(shell, made, () => newAgentLines(made, given, shell));
      return exit.done;
    });
  return stay(where, async (shell) => {
    const made = await makeAgent(shell, goal, wish).catch(explained(shell, wish));
    const { budget: limit } = await shell.client.getCost({ params: { agent: made.id } });
    const amounts = Object.entries(limit).map(([unit, most]) => `${most} ${unit}`);
    const hint = given.budget ? "" : "; --budget 2usd sets another, budget in config.yaml the default";
    const head = [`agent  ${made.id}`, `model  ${made.model}`, `budget ${amounts.join(", ") || "none"}${hint}`, ""];
    return { agent: made.id, leaving: "pause", head };
  });
}

export const resume = (where: Where, wanted: string, { budget }: { budget?: BudgetWish }): Promise<number> =>
  stay(where, async (shell) => {
    const agent = await pickAgent(shell, wanted);
    const params = { agent };
    if (budget) await shell.client.changeBudget({ params, body: budget });
    const { status } = await shell.client.getAgent({ params });
    if (status === "paused" || status === "stopped") await shell.client.resumeAgent({ params });
    return { agent, leaving: "pause", head: [`agent  ${agent} resumes`, ""], known: true };
  });

export const watch = (where: Where, wanted: string | undefined): Promise<number> =>
  stay(where, async (shell) => {
    const agent = await pickAgent(shell, wanted);
    return { agent, leaving: "detach", head: [`agent  ${agent}`, ""], known: true };
  });

export const rerunAgent = (where: Where, wanted: string, goal: string | undefined, given: { budget?: BudgetWish }) =>
  stay(where, async (shell) => {
    const { agent, run: begun } = await startAgain(shell, wanted, goal, given.budget);
    return { agent, leaving: "pause", head: [`agent  ${agent} begins ${begun.id}`, ""], known: true };
  });

/** A workflow that is a file is read here, where the person is; one that is a name is the daemon's to find. */
async function written({ soul, ...given }: NewAgent): Promise<NewAgent> {
  const whole = { ...given, ...(await soulIn(soul)) };
  const { workflow: wanted, ...rest } = whole;
  if (wanted && isUrl(wanted))
    throw new Problem(
      "invalid",
      `--workflow takes a name or a file; to see and accept one from git: ${commandRef(`workflow run ${shellWord(wanted)}`)}`,
    );
  if (!wanted || !isWorkflowFile(wanted)) return whole;
  const { start } = await readWorkflowFile(wanted);
  const { model, budget, team } = start({ env: process.env, source: { folder: dirname(resolve(wanted)) } });
  return { ...(model ? { model } : {}), ...rest, budget: { ...budget, ...rest.budget }, team };
}

/** So is a soul; one that is a name is a template of the daemon's. */
async function soulIn(given: string | undefined): Promise<Pick<NewAgent, "soul" | "template">> {
  if (given === undefined) return {};
  return isSoulFile(given) ? { soul: await readSoulFile(given) } : { template: given };
}

/** No model was named and there is none: what people can do about it, and for programs the reason. */
const explained =
  ({ json, terminal, client }: Shell, { model }: NewAgent) =>
  async (error: unknown): Promise<never> => {
    if (json || model !== undefined || !(error instanceof Problem) || error.code !== "not_offered") throw error;
    const { programs } = await client.listModels();
    terminal.say([...wrapCommands(`${error.message}.`, terminal.width()), "", ...withoutModel(programs)]);
    throw new Problem("not_offered", "there is no model to ask");
  };

export const exportAgent = once(async (shell, wanted: string, file: string | undefined) => {
  const agent = await pickAgent(shell, wanted);
  const path = resolve(file ?? `${agent}.agiraph`);
  const response = await shell.client.exportAgent({ params: { agent } });
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path, { mode: 0o600, flags: "wx" })).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? new Problem("conflict", `${path} already exists; name another file`) : error;
    },
  );
  const { size } = await stat(path);
  show(shell, { agent, path, size }, () => [
    `${agent} is in ${path} (${size} bytes). Take it in elsewhere: ${shellLine("import FILE")}`,
  ]);
});

export async function importAgent(where: Where, file: string): Promise<number> {
  const path = resolve(file);
  if (!(await stat(path).catch(() => undefined))) throw new Problem("not_found", `there is no file ${path}`);
  return using(where, undefined, async (shell) => {
    const body = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
    const made = await shell.client.importAgent({ stream: body });
    show(shell, made, () => importLines(made.id, made.status, made.brings));
    return exit.done;
  });
}
