/**
 * A worker that runs out of turns or context: what lies in its scratch is published as partial, with a note for whoever goes on, so that
 * its work is not lost. Without any file there is nothing to hand over, and the node fails as the limit says.
 *
 * Where the policy does not let this worker publish, or wants the human asked first, nothing is published and the node fails with that.
 * Done again after a crash it changes nothing: the note is written anew and publishing carries the same key. A worker's own HANDOFF.md stays.
 */

import { decisionOn } from "../../core/human/question.ts";
import type { State } from "../../core/state.ts";
import { isWorker } from "../../core/team/worker.ts";
import { shorten, shortLine } from "../../lib/text/text.ts";
import type { Node } from "../../schema/node.ts";
import type { Thinker } from "../../schema/worker.ts";
import { publish } from "../../tool/publish.ts";
import type { ToolContext } from "../../toolkit/tool.ts";
import { walk } from "../../toolkit/walk.ts";
import type { ParticipantContext } from "../participant-context.ts";
import { judgeFor } from "./policy.ts";

export type Limit = "limit.turns" | "limit.context";

const note = "HANDOFF.md";
const title = "# Hand-off (written by Agiraph)";
const mostFiles = 200;

/** True if the node was ended: completed in part, or failed because nothing of it may be published. `key` names this attempt for ever. */
export async function handOff(seat: ParticipantContext, limit: Limit, key: string): Promise<boolean> {
  const one = seat.me();
  const node = one?.node ? seat.state().nodes.get(one.node) : undefined;
  if (!one || !isWorker(one) || node?.status !== "running") return false;
  const context = seat.toolContext({ key });
  try {
    const files = await filesOf(context);
    if (!files.length) return false;
    const what = limit === "limit.turns" ? `its ${node.turns} turns` : "its context";
    if (refuse(seat, node.id, limit, `${one.name} used up ${what}`)) return true;
    await seat.durable();
    const own = (await context.files.stat(note)) && !String(await context.files.read(note)).startsWith(title);
    if (!own) await context.write(note, await handOffNote(seat.state(), one, node, limit, files, context));
    const listed = files.slice(0, 10).join(", ") + (files.length > 10 ? ` and ${files.length - 10} more` : "");
    await context.publish(`${one.name} used up ${what}. There is ${listed}; ${note} says what is open.`, true, limit);
    return true;
  } catch (error) {
    // What cannot be published, because of what it is or because the disk refuses, is not: the limit then ends the node, and says so.
    if (seat.signal.aborted || seat.closed()) throw error;
    return false;
  }
}

/** Fails the node if the policy does not let its worker publish as it is; what lies in its scratch stays there. */
export function refuse(seat: ParticipantContext, node: string, code: string, what: string): boolean {
  const verdict = judgeFor(seat.state(), seat.policy, publish, seat.me()!);
  if (verdict.do === "allow" || (verdict.do === "ask" && isAllowedForGood(seat))) return false;
  const how = verdict.do === "ask" ? "nobody can be asked about it now" : "that is not allowed";
  const message = `${what}; what there is was not published, ${how}: ${verdict.why}. It is in nodes/${node}/scratch`;
  seat.record({ type: "node.fail", node, reason: { code, message, next_mover: "coordinator" } });
  return true;
}

/** The human said so for every publish of this worker. */
function isAllowedForGood(seat: ParticipantContext): boolean {
  const word = decisionOn(seat.state(), seat.me()!.id, { turn: "", call: "", tool: publish.name });
  return word?.status === "answered" && word.answer === "allow";
}

async function filesOf({ files }: ToolContext): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, kind } of walk(files, ".")) {
    if (kind === "file" && path !== `./${note}`) found.push(path.slice(2));
    if (found.length >= mostFiles) break;
  }
  return found;
}

async function handOffNote(
  state: State,
  one: Thinker,
  node: Node,
  limit: Limit,
  files: readonly string[],
  context: ToolContext,
): Promise<string> {
  const said = one.conversation.filter((line) => line.role === "assistant" && line.text.trim()).at(-1);
  const failures = one.conversation.flatMap((line) =>
    line.role === "tool" && line.outcome !== "ok" ? [`- ${line.tool}: ${shortLine(line.result, 300)}`] : [],
  );
  const todo = ((await context.memory.read("TODO.md").catch(() => null)) ?? "")
    .split("\n")
    .filter((line) => /^\s*[-*] \[ \]/.test(line));
  const questions = [...state.questions.values()].filter(({ by, status }) => by === one.id && status === "open");
  const open = [
    ...todo,
    ...questions.map(({ id, text }) => `- ${id} to the human is not answered: ${shortLine(text, 300)}`),
    ...(one.wait?.for === "nodes" ? [`- It waited for ${one.wait.nodes.join(", ")}.`] : []),
  ];
  const part = (head: string, lines: readonly string[], otherwise: string) =>
    `## ${head}\n\n${lines.join("\n") || otherwise}\n`;
  return [
    `${title}\n\n${one.name} did not finish ${node.id}: ${limit === "limit.turns" ? `its ${node.turns} turns are used` : "its context is full"}.\n`,
    part("The task", [node.task, ...(node.acceptance ? [`\nDone means: ${node.acceptance}`] : [])], ""),
    part(
      "Files",
      files.map((path) => `- ${path}`),
      "None.",
    ),
    part("Its last words", said?.role === "assistant" ? [shorten(said.text.trim(), 2_000)] : [], "It said nothing."),
    part("Open points", open, "None were written down; compare the files with the task."),
    part("What went wrong lately", failures.slice(-5), "Nothing."),
  ].join("\n");
}
