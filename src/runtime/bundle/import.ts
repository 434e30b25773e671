/**
 * An agent that has come in a bundle, before it is one of this home: its log is read whole and every event checked against its shape, then what it
 * may not bring is taken from it (core/agent/moved.ts) and it stands still. What it does bring is named, so that a person can look.
 *
 * Always holds: afterwards nothing follows from its state by itself, it is not active, and no skill of its own is in use before it is accepted.
 */
import { join } from "node:path";
import { needsWord } from "../../core/human/question.ts";
import type { Limits } from "../../core/limits.ts";
import { reduce } from "../../core/reduce.ts";
import { emptyState, type State } from "../../core/state.ts";
import type { Lease } from "../../engine/engine.ts";
import { agentRoot } from "../../home/layout.ts";
import type { World } from "../../lib/world.ts";
import type { BudgetLimit } from "../../schema/budget.ts";
import type { CommandInput } from "../../schema/command.ts";
import { Envelope, type Event, events, isEventType } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Trigger } from "../../schema/trigger.ts";
import type { Log, Store } from "../../store/store.ts";
import { createLive, type Live } from "../live.ts";

/** What came with the agent. */
export interface Brings {
  model: string;
  /** Models of its workers that are not its own. */
  other_models: string[];
  /** What its workers run as programs of their own. */
  commands: string[];
  tools: string[] | null;
  /** Not in use before they are accepted. */
  skills: string[];
  /** Disarmed. */
  triggers: Pick<Trigger, "id" | "schedule" | "action">[];
  /** That it knew; this home's count. */
  channels: string[];
  /** That it could read on its old machine; it cannot here. */
  folder: string | null;
  approvals_voided: number;
  turns_ended: number;
  /** What it may spend here; it may have been more. */
  budget: BudgetLimit;
  budget_before: BudgetLimit;
}

export interface ArrivalOptions {
  /** Where it lies until it is taken in. */
  home: string;
  world: World;
  /** A store of the files in a folder; what is taken in lies in one of its own until then. */
  storeIn(home: string): Store;
  limits: Limits;
  /** What a new agent of this home may spend. */
  budget: BudgetLimit;
}

const reason = {
  code: "imported",
  message: "it came from another home; review it, then resume it",
  next_mover: "human",
};
/** A pause may be followed by what opens its run again; after this many its log leads in a circle. */
const mostPauses = 10;

export async function receive(options: ArrivalOptions, agent: string): Promise<Brings> {
  const { home, world, limits, budget } = options;
  const store = options.storeIn(home);
  try {
    const log = await store.open(agent, { fence: 1 });
    const state = await readAll(log);
    if (state.agent?.id !== agent)
      throw new Problem("invalid", `the bundle is for ${agent}, but its log is for ${state.agent?.id ?? "no agent"}`);
    const skills = await disownSkills(options, agent);
    const brings = { ...whatComes(state), skills };
    const live = createLive({ ...nobodyElse, agent, log, lease: leaseOf(agent), state, world, limits });
    if (state.agent.status !== "archived") await standStill(live, budget);
    await live.close(new Problem("closed", `${agent} is being imported`));
    return { ...brings, budget: state.accounts.get("agent")?.limit ?? {} };
  } catch (error) {
    throw told(error, agentRoot(home, agent));
  } finally {
    await store.close();
  }
}

/** Nobody else knows of it yet: nobody is told, and nobody can take it away. */
const nobodyElse = { changed: () => undefined, told: () => undefined, broken: () => undefined };
const leaseOf = (agent: string): Lease => ({
  agent,
  fence: 1,
  lost: new AbortController().signal,
  release: async () => undefined,
});

/** By the road that all changes take: what follows from the move follows here as anywhere. */
async function standStill(live: Live, most: BudgetLimit): Promise<void> {
  const send = async (command: CommandInput) => {
    try {
      await live.dispatch(command, { actor: "human" });
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Problem("invalid", "the log of the bundle leads to an invalid state", {}, { cause: error });
    }
  };
  await send({ type: "agent.move", most, reason });
  for (let n = 0; live.state().agent?.status === "active"; n++) {
    if (n > mostPauses)
      throw new Problem("invalid", "the log of the bundle cannot be paused: it keeps reopening its run");
    await send({ type: "agent.pause", reason });
  }
}

async function readAll(log: Log): Promise<State> {
  const state = emptyState();
  for await (const some of log.read(0))
    for (const event of some) {
      assertShape(event);
      try {
        reduce(state, event);
      } catch (error) {
        throw new Problem("invalid", `event ${event.seq} of the log is impossible in this state`, {}, { cause: error });
      }
    }
  return state;
}

/** Whoever wrote it need not have been an agiraph: a price below nothing, say, would be money for ever. */
function assertShape(event: Event): void {
  const wrong =
    Envelope.safeParse(event).error ??
    (isEventType(event.type) ? events[event.type].safeParse(event.data).error : undefined);
  if (!wrong) return;
  const [issue] = wrong.issues;
  const where = [event.type, ...(issue?.path ?? [])].map(String).join(".");
  throw new Problem("invalid", `event ${event.seq} of the log is invalid at ${where}: ${issue?.message}`);
}

function whatComes(state: State): Brings {
  const { agent, run, participants, triggers, channels, questions, accounts } = state;
  const workers = [...participants.values()].flatMap((one) => (one.kind === "human" ? [] : [one]));
  const named = [...workers, ...(agent?.team?.workers ?? []), ...(run?.team?.workers ?? [])].flatMap((one) =>
    "model" in one && one.model ? [one.model] : [],
  );
  const before = accounts.get("agent")?.limit ?? {};
  return {
    model: agent?.model ?? "",
    other_models: [...new Set(named)].filter((model) => model !== agent?.model),
    commands: named.flatMap((model) => (/^(acp|command):/.test(model) ? [model.replace(/^\w+:/, "")] : [])),
    tools: agent?.tools ?? null,
    skills: [],
    triggers: [...triggers.values()].flatMap(({ id, schedule, action, status }) =>
      status === "active" || status === "disarmed" ? [{ id, schedule, action }] : [],
    ),
    channels: [...channels.keys()],
    folder: agent?.folder ?? null,
    approvals_voided: [...questions.values()].filter((one) => needsWord(one) && one.status !== "expired").length,
    turns_ended: workers.filter(({ turn }) => turn).length,
    budget: before,
    budget_before: before,
  };
}

/** What was accepted, and by whom, the bundle cannot say: each of its skills waits for a yes, as one whose files were changed. */
async function disownSkills({ home, world: { files, clock } }: ArrivalOptions, agent: string): Promise<string[]> {
  const root = join(agentRoot(home, agent), "skills");
  const names = (await files.list(root)).flatMap(({ name, kind }) => (kind === "folder" ? [name] : []));
  if (!(await files.stat(root))) return [];
  for (const name of ["lock", "skills.json"]) await files.remove(join(root, name));
  const record = { origin: "a bundle", hash: "not accepted", added_at: new Date(clock.now()).toISOString() };
  const skills = Object.fromEntries(names.map((name) => [name, record]));
  await files.write(join(root, "skills.json"), `${JSON.stringify({ skills }, null, 2)}\n`);
  return names;
}

/** What is wrong with a log that somebody sent is their mistake and no fault of this machine, whose paths are nobody's business. */
function told(error: unknown, root: string): unknown {
  if (!(error instanceof Problem)) return error;
  const { code, message } = error;
  if (code === "newer_version") return new Problem("invalid", message);
  if (code === "log_corrupt")
    return new Problem("invalid", `the log of the bundle is damaged: ${message.replaceAll(`${root}/`, "")}`);
  return error;
}
