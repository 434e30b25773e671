/**
 * The behaviour of every noun, by its name in the schema's list (schema/nouns.ts): a noun without an entry does not compile, nor does a command
 * that nothing decides. `decide`, `reduce`, `settle` and `appointments` derive from this. A noun may have several files.
 */
import { type NounName, nouns } from "../schema/nouns.ts";
import { agent } from "./agent.ts";
import { agentMail } from "./agent-mail.ts";
import { approval } from "./approval.ts";
import { budget } from "./budget.ts";
import { talk } from "./chatter-limit.ts";
import { check } from "./check.ts";
import { context } from "./context.ts";
import { cycle } from "./cycle.ts";
import { deferral } from "./deferral.ts";
import { delivery } from "./delivery.ts";
import { document } from "./document.ts";
import { file } from "./file.ts";
import { host } from "./host.ts";
import { idleEnd } from "./idle-end.ts";
import { inbox } from "./inbox.ts";
import { message } from "./message.ts";
import { node } from "./node.ts";
import { type Behaviour, phases, rulePhases } from "./noun.ts";
import { outbox } from "./outbox.ts";
import { ownCall } from "./own-call.ts";
import { program } from "./program.ts";
import { proposal } from "./proposal.ts";
import { question } from "./question.ts";
import { queue } from "./queue.ts";
import { rerun } from "./rerun.ts";
import { resource } from "./resource.ts";
import { run } from "./run.ts";
import { setup } from "./setup.ts";
import { shutdown } from "./shutdown.ts";
import { stage } from "./stage.ts";
import { stall } from "./stall.ts";
import { suggestion } from "./suggestion.ts";
import { taint } from "./taint.ts";
import { toolCall } from "./tool-call.ts";
import { trigger } from "./trigger.ts";
import { turn } from "./turn.ts";
import { turnFailure } from "./turn-failure.ts";
import { worker } from "./worker.ts";
import { workflow } from "./workflow.ts";
import { workspace } from "./workspace.ts";

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
  message: [message, agentMail, talk, inbox, deferral],
  suggestion: [suggestion],
  taint: [taint],
  delivery: [delivery],
  outbox: [outbox],
  document: [document],
  resource: [resource],
  cycle: [cycle],
  budget: [budget],
  file: [file],
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
