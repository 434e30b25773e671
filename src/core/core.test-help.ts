/** A small world for tests of the core: a log, a fixed clock, and the front door (parse, decide, stamp, reduce, settle). */
import { type CommandInput, parseCommand } from "../schema/command.ts";
import { type Event, type EventOf, type EventType, events, type Fact, logVersion } from "../schema/event.ts";
import type { Wait } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import type { Call } from "../schema/turn.ts";
import type { Thinker } from "../schema/worker.ts";
import { appointments, decide, settle, stamp } from "./decide.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { fold, reduce } from "./reduce.ts";
import { canonical, emptyState } from "./state.ts";

export const t0 = Date.parse("2026-01-01T00:00:00.000Z");

/** An agent with an open run and in it the coordinator, the human, alice and bob. */
export function start(given: Partial<Limits> = {}) {
  const limits = { ...defaultLimits, ...given };
  const world = {
    state: emptyState(),
    log: [] as Event[],
    now: t0,

    /** Returns the events of the command and those that followed from it. */
    tell(command: CommandInput, actor = "human"): Event[] {
      const before = world.log.length;
      for (const fact of world.decide(command, actor)) world.append(fact, actor);
      world.settle();
      return world.log.slice(before);
    },
    decide: (command: CommandInput, actor = "human"): Fact[] =>
      decide(world.state, parseCommand(command), { now: world.now, actor, limits }),
    append(fact: Fact, actor = "system"): void {
      const data = events[fact.type].parse(fact.data);
      const event = stamp(world.state, { ...fact, data } as Fact, { now: world.now, actor, limits });
      world.log.push(event);
      reduce(world.state, event);
    },
    settle(): void {
      const context = { now: world.now, actor: "system", limits };
      for (let rounds = 0, fact = settle(world.state, context); fact; fact = settle(world.state, context)) {
        if (rounds++ > 1_000) throw new Error(`${fact.type} follows for ever`);
        world.append(fact);
      }
    },
    /** Runs everything that is due by now. */
    tick(): Event[] {
      const before = world.log.length;
      for (let rounds = 0; ; rounds++) {
        const due = appointments(world.state).find(({ at, command }) => command && Date.parse(at) <= world.now);
        if (!due) return world.log.slice(before);
        if (rounds > 10_000) throw new Error(`${due.command?.type} is due for ever`);
        world.tell(due.command!, "system");
      }
    },
    /** The state of a process that opens the log; its last `lost` events were never written. */
    restart(lost = 0): void {
      world.log = JSON.parse(JSON.stringify(world.log.slice(0, world.log.length - lost)));
      world.state = fold(emptyState(), world.log);
      world.settle();
    },
    /** The problem that this command is refused with, as `code: message`; throws if the refusal changed anything. */
    refused(command: CommandInput | { type: string; [field: string]: unknown }, actor = "human"): string {
      const [before, length] = [canonical(world.state), world.log.length];
      const said = refusal(() => world.tell(command as CommandInput, actor));
      if (canonical(world.state) !== before || world.log.length !== length)
        throw new Error(`it was refused (${said}) and yet changed something`);
      return said;
    },
    /** Puts a node on the board and returns its id. */
    node(given: Partial<CommandInput & { type: "node.create" }> = {}, actor = "coordinator"): string {
      world.tell({ task: "Do it", ...given, type: "node.create" }, actor);
      return world.all("node.created").at(-1)!.data.node;
    },
    thinker: (id: string): Thinker => world.state.participants.get(id) as Thinker,
    /** Begins a turn and returns what every step of it needs. */
    begin(participant: string, reserve = { usd: 0, tokens: 0 }): { turn: string; participant: string } {
      world.tell({ type: "turn.start", participant, reserve }, participant);
      return { turn: world.thinker(participant).turn!.id, participant };
    },
    /** Begins a turn and lets the model answer with calls of these tools, named c1, c2, … */
    answer(participant: string, tools: string[] = [], cost = { usd: 0, tokens: 0 }) {
      const of = world.begin(participant, cost);
      const calls: Call[] = tools.map((tool, index) => ({ id: `c${index + 1}`, tool, input: {} }));
      world.tell({ type: "turn.answer", ...of, text: "ok", calls, cost }, participant);
      return of;
    },
    /** A whole turn with one tool call, which may park or end what the caller does; without a tool, one of words only. */
    turn(participant: string, tool?: string, more: { wait?: Wait; final?: boolean } = {}): void {
      const of = world.answer(participant, tool ? [tool] : []);
      if (tool)
        world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "done", ...more }, participant);
      world.tell({ type: "turn.end", ...of }, participant);
    },
    all: <T extends EventType>(type: T): EventOf<T>[] =>
      world.log.filter((event) => event.type === type) as EventOf<T>[],
  };
  world.append({
    type: "agent.created",
    data: { agent: "chips", goal: "Know chips", mode: "finite", model: "scripted/test", version: logVersion },
  });
  world.append({ type: "run.started", data: { run: "r1", goal: "Know chips" } });
  for (const name of ["Alice", "Bob"]) {
    world.append(
      { type: "worker.spawned", data: { worker: name.toLowerCase(), name, role: "", kind: "harnessed" } },
      "coordinator",
    );
  }
  return world;
}

export type World = ReturnType<typeof start>;

/** The problem it throws, as `code: message`. */
export function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("it was not refused");
}
