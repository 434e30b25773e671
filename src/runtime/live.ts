/**
 * One agent, live in this process: its state, and the one road by which it changes.
 *
 * dispatch → decide → reduce happens in one go, without waiting, so commands never interleave. The events are then handed to the log; the
 * caller, the streams and the effects are told when they are durable, never before. What is decided meanwhile builds on it and shares the
 * same fsync: the log is a prefix, so nothing can be durable without what it builds on.
 *
 * A failed append is a crash of this agent alone: it closes, whoever waits is refused, and the runtime opens it again from the log. So is a
 * fault of our own: whatever throws once the state has begun to move closes the agent before anyone can see a fact that is in no log.
 * Not here: who runs when (participant/schedule.ts), files (runtime/workspace/publish.ts, runtime/projection/projection.ts).
 */
import { crc32 } from "node:zlib";
import { createdIds } from "../core/created-ids.ts";
import { decide, earlierResult, settle, stamp } from "../core/decide.ts";
import type { Limits } from "../core/limits.ts";
import type { Context } from "../core/noun.ts";
import { reduce } from "../core/reduce.ts";
import type { State } from "../core/state.ts";
import type { Lease } from "../engine/engine.ts";
import type { World } from "../lib/world.ts";
import { type Command, type CommandInput, parseCommand, type Receipt, type SendOptions } from "../schema/command.ts";
import type { Event, Fact } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Log } from "../store/store.ts";

export type Step = Extract<Command, { type: "turn.start" | "turn.end" | "tool.start" }>;

export interface Live {
  readonly agent: string;
  /** May be ahead of the disk; what is told to anyone waits for `durable`. */
  state(): State;
  /** Decides at once, throws the Problem; resolves when durable. */
  dispatch(command: CommandInput, options?: SendOptions): Promise<Receipt>;
  /** The same for the steps of a loop that hold nothing but our own words: what the types have checked is not checked again. Every turn has them. */
  step(command: Step, actor: string): Promise<Receipt>;
  /** What follows from the state as it was found: a crash may have come between a fact and what follows from it. */
  settle(): Promise<void>;
  /** Everything decided so far is durable. */
  durable(): Promise<void>;
  /** The last seq that is durable. */
  durableSeq(): number;
  readonly signal: AbortSignal;
  /** The disk refused what a turn needs: as if the log had. */
  fail(problem: Problem): void;
  close(reason: Problem): Promise<void>;
}

export interface LiveOptions {
  agent: string;
  log: Log;
  lease: Lease;
  state: State;
  world: World;
  limits: Limits;
  /** Right after this event, and before any other: the state is as it was when it happened. */
  reduced?(event: Event): void;
  /** Right after a change, before it is durable: may decide more. */
  changed(events: Event[]): void;
  /** In order, each event once, after it is durable. */
  told(events: Event[]): void;
  /** The log refused, the lease was lost, or a rule threw; this Live is closed, and its state may hold what no log has. */
  broken(problem: Problem): void;
}

export function createLive({
  agent,
  log,
  lease,
  state,
  world,
  limits,
  reduced,
  changed,
  told,
  broken,
}: LiveOptions): Live {
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let durableSeq = state.seq;
  let closed: Problem | undefined;
  const leaseLost = () => fail(new Problem("fenced", `${agent} is now owned by another process`));
  lease.lost.addEventListener("abort", leaseLost);

  function fail(problem: Problem): void {
    if (closed) return;
    closed = problem;
    closing.abort(problem);
    broken(problem);
  }

  function dispatch(given: CommandInput, options: SendOptions = {}): Promise<Receipt> {
    if (closed) throw closed;
    return perform(parseCommand(given), options);
  }

  function step(command: Step, actor: string): Promise<Receipt> {
    if (closed) throw closed;
    return perform(command, { actor });
  }

  async function settleNow(): Promise<void> {
    if (closed) throw closed;
    const context: Context = { now: world.clock.now(), actor: "system", limits };
    try {
      await carryOut("opening", [], context);
    } catch (error) {
      throw closed ?? defect("opening", error);
    }
  }

  function perform(command: Command, { actor = "system", key }: SendOptions): Promise<Receipt> {
    const print = key === undefined ? undefined : fingerprint(command);
    if (key?.includes("#")) throw new Problem("invalid", `the key ${key} must not contain #`);
    const before = key === undefined ? undefined : earlierResult(state, key, print!);
    if (before) return durable().then(() => ({ seq: before.seq, repeated: true, made: before.made }));

    const context: Context = { now: world.clock.now(), actor, limits };
    const facts = decide(state, command, context);
    try {
      return carryOut(command.type, facts, context, key === undefined ? undefined : `${key}#${print}`);
    } catch (error) {
      throw defect(command.type, error);
    }
  }

  /** From the first fact on the state is ahead of the log, until `append` has them all. */
  function carryOut(what: string, facts: readonly Fact[], context: Context, key?: string): Promise<Receipt> {
    const events: Event[] = [];
    for (const fact of facts) take(stamp(state, fact, context, key ?? turnBehind(fact, facts)));
    for (let fact = settle(state, context); fact; fact = settle(state, context)) {
      if (events.length > 10_000) throw new Error(`settling ${what} does not end: ${fact.type} again and again`);
      take(stamp(state, fact, { ...context, actor: "system" }, events.at(-1)?.id));
    }
    function take(event: Event): void {
      reduce(state, event);
      reduced?.(event);
      events.push(event);
    }
    if (events.length === 0) return durable().then(() => ({ seq: state.seq, repeated: false, made: {} }));
    append(events);
    const receipt: Receipt = {
      seq: events[0]!.seq,
      repeated: false,
      made: Object.assign({}, ...events.map(createdIds).reverse()),
    };
    const settled = last;
    changed(events);
    return settled.then(() => receipt);
  }

  /** Nothing that comes after can be trusted to build on the log: everyone is refused, and the caller hears of a fault instead of a refusal. */
  function defect(during: string, error: unknown): Error {
    const what = `internal error in ${agent} at ${during}: ${error instanceof Error ? error.message : String(error)}`;
    fail(
      new Problem("closed", `${what}. The agent is reopened from its log.`.toWellFormed(), undefined, { cause: error }),
    );
    return new Error(what, { cause: error });
  }

  /** A step of a turn names its turn itself; what comes with it (last words, a node that starts) has it as its cause. */
  function turnBehind(fact: Fact, facts: readonly Fact[]): string | undefined {
    if (facts.length === 1 || "turn" in fact.data) return undefined;
    for (const { data } of facts) if ("turn" in data) return `${agent}/${state.run?.id}/${data.turn}`;
    return undefined;
  }

  function append(events: Event[]): void {
    last = log.append(events).then(
      () => {
        durableSeq = events.at(-1)!.seq;
        told(events);
      },
      (error) => {
        fail(asProblem(error));
        throw closed;
      },
    );
    last.catch(() => undefined);
  }

  const durable = async (): Promise<void> => {
    if (closed) throw closed;
    await last;
  };

  return {
    agent,
    state: () => state,
    dispatch,
    step,
    settle: settleNow,
    durable,
    durableSeq: () => durableSeq,
    signal: closing.signal,
    fail,
    async close(reason) {
      await last.catch(() => undefined);
      closed ??= reason;
      closing.abort(reason);
      lease.lost.removeEventListener("abort", leaseLost);
      await log.close();
    },
  };
}

const fingerprint = (command: unknown): string => crc32(JSON.stringify(command)).toString(16);

const asProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem("storage_failed", `the log could not be written: ${String(error)}`, undefined, { cause: error });
