/**
 * Creates agents: finds a free id, and with an idempotency key creates exactly one, in this life and the next, whichever process is asked.
 *
 * An agent's id is chosen before there is a log that could hold the key, so the key and the id are made durable first (creations.jsonl).
 * Whoever asks again, also after a crash at any moment, is led to the same id; whether the agent was made there for this key, its own log says.
 */
import { slug } from "../../core/team/names.ts";
import { creationsPath } from "../../home/layout.ts";
import { createLazy, openRecent } from "../../lib/files/recent.ts";
import { printOf } from "../../lib/json/print.ts";
import type { BudgetLimit } from "../../schema/budget.ts";
import type { CommandInput, SendOptions } from "../../schema/command.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import type { Team } from "../../schema/workflow.ts";
import { assertTools } from "../../toolkit/offered.ts";
import { keysRefused, rememberMs } from "../idempotency.ts";
import type { RuntimeOptions } from "../options.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { faultOf, isFinal, openedOf } from "./presence.ts";

export interface NewAgent {
  goal: string;
  name?: string;
  mode?: "finite" | "infinite";
  /** How often an infinite agent wakes by itself. */
  cycle_seconds?: number;
  model: string;
  budget?: BudgetLimit;
  /** Begin the first run at once; true if not said. */
  start?: boolean;
  /** Names of the tools that it and its workers may use (toolkit/offered.ts); all if missing. */
  tools?: string[];
  /** Context window in tokens, unless the model's own is smaller. */
  context_window?: number;
  /** A folder that it reads and works on checkouts of, as an absolute path. Whoever asks has checked it. */
  folder?: string;
  /** What is merged in a run reaches the user's branch without asking. */
  merge?: "auto";
  /** Who and what is there when a run begins (core/run/workflow.ts). */
  team?: Team;
  /** The first version of its SOUL.md. */
  soul?: string;
}

export interface Creation {
  create(given: NewAgent, options?: SendOptions): Promise<string>;
  close(): Promise<void>;
}

/** For which id a key was first used, and what was to become of it. */
interface Intent {
  print: string;
  agent: string;
}

type CreateAgent = Extract<CommandInput, { type: "agent.create" }>;

export function createCreation(options: RuntimeOptions, lifecycle: Lifecycle): Creation {
  const { engine, world, home } = options;
  const { presences } = lifecycle;
  const intents = createLazy(() =>
    openRecent<Intent>({ files: world.files, clock: world.clock, keepMs: rememberMs, path: creationsPath(home) }),
  );

  async function create(given: NewAgent, sending: SendOptions = {}): Promise<string> {
    const base = slug(given.name ?? given.goal);
    const { key } = sending;
    const before = key === undefined ? undefined : await madeBefore(key, given);
    const named = [given, ...(given.team?.workers ?? [])].flatMap(({ tools = [] }) => tools);
    if (named.length && before === undefined) {
      await options.equipped;
      assertTools(options.tools, named);
    }
    for (let n = before === undefined ? 1 : 0; ; n++) {
      const agent = n === 0 ? before! : n === 1 ? base : `${base}-${n}`;
      const fault = faultOf(presences.of(agent));
      if (n === 0 && isFinal(fault)) throw fault;
      if (isAnothers(agent, key)) continue;
      // Before there is anything of it: whoever asks again after a crash is led to this very agent.
      const intend = key !== undefined && agent !== before ? () => setIntent(key, agent, given) : undefined;
      const { name: _name, ...goal } = given;
      if (await make({ type: "agent.create", agent, ...goal }, sending, intend)) return agent;
    }
  }

  /** The agent that an earlier attempt with this key made, or the id it was to have. Throws if it was to be another one. */
  async function madeBefore(key: string, given: NewAgent): Promise<string | undefined> {
    const intended = (await intents.get().catch(keysRefused)).get(key);
    if (intended && intended.print !== printOf(given))
      throw new Problem("key_reused", `the idempotency key ${key} was used for another agent; use a new key`);
    if (intended) return intended.agent;
    const found = presences
      .all()
      .find(([, presence]) =>
        presence.is === "creating" ? presence.key === key : openedOf(presence)?.live.state().keys.has(key),
      );
    return found?.[0];
  }

  async function setIntent(key: string, agent: string, given: NewAgent): Promise<void> {
    const known = await intents.get().catch(keysRefused);
    await known.set(key, { print: printOf(given), agent }).catch((error) => {
      known.forget(key);
      return keysRefused(error);
    });
  }

  /** Certainly not made for this key. */
  function isAnothers(agent: string, key: string | undefined): boolean {
    const presence = presences.of(agent);
    if (isFinal(faultOf(presence))) return true;
    if (key === undefined) return presence.is !== "unknown";
    if (presence.is === "creating") return presence.key !== key;
    return openedOf(presence)?.live.state().keys.has(key) === false;
  }

  /**
   * True if the agent was made for this key, now or before; false if the id is another's. Throws while nobody knows which. The id is taken at once,
   * before anything is waited for, so that whoever makes another one at the same time looks for another id.
   */
  async function make(command: CreateAgent, sending: SendOptions, intend?: () => Promise<void>): Promise<boolean> {
    const { agent } = command;
    const { key } = sending;
    let mine = reserve(agent, key);
    try {
      await intend?.();
      if (!mine) {
        await lifecycle.get(agent).catch(unless("not_found", "owned_elsewhere", "fenced"));
        mine = presences.of(agent).is === "unknown" && reserve(agent, key);
      }
      if (mine) return await makeHere(command, sending);
    } catch (problem) {
      unless("name_taken", "owned_elsewhere", "fenced")(problem);
      presences.change(agent, { type: "find" }); // another process made it
    } finally {
      if (mine) presences.change(agent, { type: "finish" });
    }
    const here = openedOf(presences.of(agent))?.live;
    if (here) {
      await here.durable();
      if (key === undefined || !here.state().keys.has(key)) return false;
      await here.dispatch(command, sending); // refuses if it was made for another command
      return true;
    }
    return key !== undefined && wasMadeFor(command, sending);
  }

  /** True if the id was free and is this creation's now. */
  function reserve(agent: string, key: string | undefined): boolean {
    const { is } = presences.of(agent);
    if (is === "creating") throw new Problem("conflict", `${agent} is being created; ask again in a moment`);
    if (is !== "unknown") return false;
    presences.change(agent, { type: "reserve", key });
    return true;
  }

  async function makeHere(command: CreateAgent, sending: SendOptions): Promise<true> {
    const { agent } = command;
    const opened = await lifecycle.openNew(agent);
    try {
      await opened.live.dispatch(command, sending);
    } catch (problem) {
      // Refused: there is no such agent, and its key is free. (One whose disk failed is closed already.)
      if (opened.live.state().seq === 0 && openedOf(presences.of(agent)) === opened) {
        presences.change(agent, { type: "refuse" });
        if (sending.key !== undefined) (await intents.get().catch(keysRefused)).forget(sending.key);
        await opened.close(problem as Problem);
      }
      throw problem;
    }
    presences.change(agent, { type: "created" });
    await lifecycle.furnish(opened, { isNew: true });
    return true;
  }

  /** Asks whoever owns the agent: the same command with the same key is repeated, any other refused. */
  async function wasMadeFor(command: CreateAgent, sending: SendOptions): Promise<boolean> {
    try {
      await engine.send(command.agent, command, sending);
      return true;
    } catch (problem) {
      unless("conflict", "not_found")(problem);
      // Another process was about to make it, and died.
      return (problem as Problem).code === "not_found" && make(command, sending);
    }
  }

  return { create, close: intents.close };
}

/** Throws every problem but these. */
const unless =
  (...codes: ProblemCode[]) =>
  (problem: unknown): void => {
    if (!(problem instanceof Problem && codes.includes(problem.code))) throw problem;
  };
