/**
 * The list of all nouns, and the only one: events, commands, the state and the reference derive from it, and core/nouns.ts must have the behaviour
 * of each.
 *
 * The order matters: within one phase (core/noun.ts) nouns see an event in this order.
 */
import { agent } from "./agent.ts";
import { budget } from "./budget.ts";
import { check } from "./check.ts";
import { context } from "./context.ts";
import { cycle } from "./cycle.ts";
import { delivery } from "./delivery.ts";
import { document } from "./document.ts";
import { file } from "./file.ts";
import { host } from "./host.ts";
import { insight } from "./insight.ts";
import { membership } from "./membership.ts";
import { message } from "./message.ts";
import { node } from "./node.ts";
import type { NounShape } from "./noun.ts";
import { outbox } from "./outbox.ts";
import { program } from "./program.ts";
import { proposal } from "./proposal.ts";
import { question } from "./question.ts";
import { resource } from "./resource.ts";
import { run } from "./run.ts";
import { setup } from "./setup.ts";
import { soul } from "./soul.ts";
import { stage } from "./stage.ts";
import { suggestion } from "./suggestion.ts";
import { taint } from "./taint.ts";
import { trigger } from "./trigger.ts";
import { turn } from "./turn.ts";
import { worker } from "./worker.ts";
import { workspace } from "./workspace.ts";

const list = [
  agent,
  setup,
  run,
  question,
  trigger,
  proposal,
  node,
  check,
  stage,
  worker,
  turn,
  program,
  host,
  context,
  message,
  suggestion,
  insight,
  taint,
  delivery,
  outbox,
  membership,
  document,
  resource,
  cycle,
  budget,
  file,
  soul,
  workspace,
] as const;

/** Without the type of each, for code that iterates over them. */
export const nouns: readonly NounShape[] = list;

export type AnyNoun = (typeof list)[number];
export type NounName = AnyNoun["name"];
