/** What the readable files say of a node, a worker and a message, from the state alone. Who writes them is projection.ts. */
import { evidenceOf, resultLine } from "../../core/board/check.ts";
import { completion } from "../../core/message/mail-route.ts";
import type { State } from "../../core/state.ts";
import type { Message } from "../../schema/message.ts";
import type { Node } from "../../schema/node.ts";
import type { Worker } from "../../schema/worker.ts";
import { signedJson, withChecksum } from "./checksum.ts";

export function statusText(node: Node): string {
  const who = "worker" in node && node.worker ? `\nWorker: ${node.worker}` : "";
  const evidence = evidenceOf(node);
  const proof = evidence ? `\nEvidence: ${evidence}` : "";
  const checks = node.results?.length ? `\n\n## Checks\n\n${node.results.map(resultLine).join("\n")}` : "";
  const why = "reason" in node ? node.reason.message : "summary" in node ? node.summary : node.checkpoint;
  return withChecksum(`# ${node.name}\n\nStatus: ${node.status}${proof}${who}${why ? `\n\n${why}` : ""}${checks}`);
}

export const refsText = ({ refs, depends_on }: Node): string => signedJson({ refs, depends_on });

export function historyText(state: State, one: Worker): string {
  const nodes = [...state.nodes.values()].flatMap((node) => {
    if (!("worker" in node) || node.worker !== one.id || !("ended_at" in node)) return [];
    const { id: name, task, status, turns, ended_at } = node;
    const how = status === "completed" ? completion({ ...node, evidence: undefined }) : status;
    const said =
      status === "completed" ? { evidence: evidenceOf(node), summary: node.summary } : { reason: node.reason.message };
    return [{ node: name, task, status: how, ...said, turns, ended_at }];
  });
  return signedJson({ worker: one.name, nodes });
}

export function identityText(state: State, one: Worker): string {
  const limit = state.accounts.get(`worker:${one.id}`)?.limit;
  const facts = [
    ["Kind", one.kind],
    ["Model", one.model ?? "the agent's"],
    ["Tools", one.tools?.join(", ") ?? "all that workers may use"],
    ["Turns a node", one.max_turns ?? "as the node says"],
    ["Budget", limit ? JSON.stringify(limit) : "the run's"],
    ["Asked once", one.single_inference ? "yes" : undefined],
  ].flatMap(([what, is]) => (is === undefined ? [] : [`- ${what}: ${is}`]));
  const memory = one.memory ? `\n\n## What it was told at the start\n\n${one.memory}` : "";
  return withChecksum(`# ${one.name}\n\n${one.role || "No role was given."}\n\n${facts.join("\n")}${memory}`);
}

export const messageText = ({ from, to, at, text }: Pick<Message, "from" | "to" | "at" | "text">): string =>
  withChecksum(`From: ${from}\nTo: ${to.join(", ")}\nAt: ${at}\n\n${text}`);
