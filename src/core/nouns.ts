/**
 * The behaviour of every noun, by its name in the schema's list (schema/nouns.ts): a noun without an entry does not compile, nor does a command
 * that nothing decides. `decide`, `reduce`, `settle` and `appointments` derive from this. A noun may have several files.
 */

import { type NounName, nouns } from "../schema/nouns.ts";
import { agent } from "./agent/agent.ts";
import { budget } from "./agent/budget.ts";
import { insight } from "./agent/insight.ts";
import { shutdown } from "./agent/shutdown.ts";
import { soul } from "./agent/soul.ts";
import { check } from "./board/check.ts";
import { node } from "./board/node.ts";
import { stage } from "./board/stage.ts";
import { suggestion } from "./board/suggestion.ts";
import { document } from "./file/document.ts";
import { file } from "./file/file.ts";
import { resource } from "./file/resource.ts";
import { workspace } from "./file/workspace.ts";
import { approval } from "./human/approval.ts";
import { delivery } from "./human/delivery.ts";
import { host } from "./human/host.ts";
import { question } from "./human/question.ts";
import { agentMail } from "./message/agent-mail.ts";
import { talk } from "./message/chatter-limit.ts";
import { deferral } from "./message/deferral.ts";
import { inbox } from "./message/inbox.ts";
import { message } from "./message/message.ts";
import { outbox } from "./message/outbox.ts";
import { thread } from "./message/thread.ts";
import { type Behaviour, phases, rulePhases } from "./noun.ts";
import { idleEnd } from "./run/idle-end.ts";
import { run } from "./run/run.ts";
import { setup } from "./run/setup.ts";
import { workflow } from "./run/workflow.ts";
import { membership } from "./team/membership.ts";
import { proposal } from "./team/proposal.ts";
import { stall } from "./team/stall.ts";
import { worker } from "./team/worker.ts";
import { cycle } from "./time/cycle.ts";
import { rerun } from "./time/rerun.ts";
import { trigger } from "./time/trigger.ts";
import { context } from "./turn/context.ts";
import { ownCall } from "./turn/own-call.ts";
import { program } from "./turn/program.ts";
import { queue } from "./turn/queue.ts";
import { taint } from "./turn/taint.ts";
import { toolCall } from "./turn/tool-call.ts";
import { turn } from "./turn/turn.ts";
import { turnFailure } from "./turn/turn-failure.ts";

const behaviours = {
  agent: [agent, shutdown],
  setup: [setup],
  run: [run, workflow, idleEnd],
  question: [question],
  trigger: [trigger, rerun],
  proposal: [proposal],
  node: [node],
  check: [check],
  stage: [stage],
  worker: [stall, worker],
  turn: [turn, turnFailure, toolCall, ownCall, approval, queue],
  program: [program],
  host: [host],
  context: [context],
  message: [message, agentMail, thread, talk, inbox, deferral],
  suggestion: [suggestion],
  insight: [insight],
  taint: [taint],
  delivery: [delivery],
  outbox: [outbox],
  membership: [membership],
  document: [document],
  resource: [resource],
  cycle: [cycle],
  budget: [budget],
  file: [file],
  soul: [soul],
  workspace: [workspace],
} as const satisfies Record<NounName, readonly Behaviour[]>;

export type AnyBehaviour = (typeof behaviours)[NounName][number];

/** In the order of the nouns. */
const ordered: readonly Behaviour[] = nouns.flatMap(({ name }): readonly Behaviour[] => behaviours[name as NounName]);

const inPhase = <P, T extends { phase: P }>(order: readonly P[], parts: readonly T[]): T[] =>
  order.flatMap((phase) => parts.filter((part) => part.phase === phase));

export const deciders: object = Object.assign({}, ...ordered.map(({ decide }) => decide));
/** In the order in which they see an event. */
export const reducers = inPhase(
  phases,
  ordered.flatMap(({ reduce = [] }) => reduce),
);
export const rules = inPhase(
  rulePhases,
  ordered.flatMap(({ settle = [] }) => settle),
).map(({ rule }) => rule);
export const calendars = ordered.flatMap(({ appointments }) => appointments ?? []);
export const silentTypes: readonly string[] = ordered.flatMap(({ silent = [] }) => silent);
