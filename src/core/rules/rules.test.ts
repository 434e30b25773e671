import fc from "fast-check";
import { expect, test } from "vitest";
import { Agent } from "../../schema/agent.ts";
import { parseCommand } from "../../schema/command.ts";
import { Delivery, KnownChannel } from "../../schema/delivery.ts";
import { Document } from "../../schema/document.ts";
import type { Event, Fact } from "../../schema/event.ts";
import { Message } from "../../schema/message.ts";
import { Node } from "../../schema/node.ts";
import { Outgoing } from "../../schema/outbox.ts";
import { Problem, problemCodes } from "../../schema/problem.ts";
import { Proposal } from "../../schema/proposal.ts";
import { Question } from "../../schema/question.ts";
import { Resource } from "../../schema/resource.ts";
import { Run } from "../../schema/run.ts";
import { Preparation } from "../../schema/setup.ts";
import { Stage } from "../../schema/stage.ts";
import { Suggestion } from "../../schema/suggestion.ts";
import { Trigger } from "../../schema/trigger.ts";
import { Participant, type Thinker } from "../../schema/worker.ts";
import { previewStop } from "../agent/preview.ts";
import { why } from "../board/why.ts";
import { appointments, decide, settle, stamp } from "../decide.ts";
import type { Limits } from "../limits.ts";
import { fold, reduce } from "../reduce.ts";
import { canonical, emptyState, freezeState, type State, thawState } from "../state.ts";
import { canRun } from "../team/worker.ts";
import { draws, t0, type Wish } from "./draws.test-help.ts";
import { Judge } from "./judge.test-help.ts";
import { over, same, units } from "./judge-words.test-help.ts";
import { anyLimits, anyStep, type Step, types, wishFor } from "./wishes.test-help.ts";

/* ── The judge ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────── */

const statuses = (map: Map<string, { status: string }>) =>
  new Map([...map].map(([id, { status }]) => [id, status === "waiting" ? "running" : status]));

/** What must be so whenever everything that follows has followed. */
/** The last link of every chain is whoever can really move the node: who can run, the human if something of them is awaited, or time. */
function assertWhy(state: State, limits: Limits): void {
  const people = [...state.participants.values()];
  const runs = (id: string) => people.some((one) => one.id === id && canRun(one));
  for (const node of state.nodes.values()) {
    if (over.has(node.status)) continue;
    const chain = why(state, node.id, { limits });
    const last = chain.at(-1);
    const says = `why ${node.id}: ${chain.map(({ code, what }) => `${code} ${what}`).join(" < ")} by ${last?.next_mover}`;
    if (state.agent?.status !== "active" || state.run?.status !== "open") same(last?.what, state.agent?.id, says);
    else if (last?.next_mover === "human") {
      const nobody = last.code === "mail" ? !people.some(canRun) : !runs("coordinator");
      const waits = people.find((one) => one.id === last.what);
      const wait = waits && waits.kind !== "human" ? waits.wait : undefined;
      const awaited = wait?.for === "mail" && wait.from?.includes("human");
      same(state.questions.get(last.what)?.status === "open" || awaited || nobody, true, says);
    } else if (last?.next_mover === "nobody") same(last.until !== undefined, true, says);
    else if (last?.next_mover === "a worker")
      same(
        people.some((one) => one.kind !== "coordinator" && canRun(one)),
        true,
        says,
      );
    else if (last?.code === "mail") same(people.some(canRun), true, says);
    else same(last?.next_mover !== undefined && runs(last.next_mover), true, says);
  }
}

function assertRules(judge: Judge, state: State, limits: Limits): void {
  const { turns_alone } = limits;
  if (state.seq % 3 === 0) assertWhy(state, limits);
  same(state.agent?.status ?? "none", judge.agent, "the agent's status");
  same(state.run?.status ?? "none", judge.run, "the run's status");
  same(state.preparation?.run, judge.preparing?.run, "the run that is prepared");
  if (judge.preparing?.failed) same(judge.agent === "active", false, "a failed step pauses the agent");
  if (judge.agent !== "archived" && !judge.preparing)
    same(judge.agent === "completed", judge.run === "completed", "agent and run end together");
  same(statuses(state.nodes), statuses(judge.nodes), "nodes");
  if (judge.agent === "completed") same(judge.word < judge.end, true, "a word after the end opens the run again");
  if (judge.run === "completed" || judge.agent === "stopped" || judge.agent === "archived")
    for (const [id, { status }] of judge.nodes) same(over.has(status), true, `${id} is over with its run`);
  if (judge.agent === "archived") {
    same(judge.run === "open", false, "an archived agent has no open run");
    for (const [id, status] of judge.triggers) same(status === "active", false, `${id} is over with its agent`);
  }
  if (judge.run !== "open")
    for (const [id, status] of judge.questions) same(status === "open", false, `${id} is closed with its run`);
  same(statuses(state.stages), statuses(judge.stages), "stages");
  same(statuses(state.questions), judge.questions, "questions");
  const owed = [...state.deliveries.values()].filter(({ question }) => question).map(({ id }) => id);
  same(new Set(owed), new Set(judge.owed.keys()), "what is still to be sent of questions");
  same(
    [...state.deliveries.keys()].filter((id) => judge.ended.has(id)),
    [],
    "what was sent or given up",
  );
  same(statuses(state.suggestions), judge.suggestions, "suggestions");
  same(statuses(state.proposals), statuses(judge.proposals), "proposals");
  for (const [id, { status, missing }] of judge.proposals) {
    const awaited = [...missing].some((voter) => !judge.people.get(voter)?.retired);
    if (status === "open" && judge.run === "open") same(awaited, true, `${id} is open for a vote`);
  }
  for (const [id, { status }] of state.triggers) same(status, judge.triggers.get(id), id);
  if (judge.agent === "active" && !judge.preparing) {
    same(state.fires, [], "what is due has fired");
    for (const trigger of state.triggers.values())
      if (trigger.status === "active" && !/^on_/.test(trigger.schedule.type))
        same(trigger.next_at !== undefined, true, `${trigger.id} has a time to come`);
  }
  same(new Set(state.outbox.keys()), judge.leaving, "messages on their way");
  same(state.correspondents.size, judge.received.size, "agents that wrote");
  same(new Map([...state.documents].map(([name, { version }]) => [name, version])), judge.documents, "documents");
  for (const [id, { status }] of judge.stages)
    if (status === "running") same(judge.reached(id), false, `${id} reconvenes when its policy says so`);
  same(new Set(state.participants.keys()), new Set(judge.people.keys()), "people");
  for (const [key, { usd, tokens }] of judge.purses) {
    const { spent, reserved } = state.accounts.get(key) ?? {
      spent: { usd: 0, tokens: 0 },
      reserved: { usd: 0, tokens: 0 },
    };
    same(units(spent.usd) + units(reserved.usd), usd, `money of ${key}`);
    same(spent.tokens + reserved.tokens, tokens, `tokens of ${key}`);
  }
  for (const one of state.participants.values()) {
    same(one.read >= (judge.read.get(one.id) ?? 0), true, `the mark of ${one.id} never goes backwards`);
    judge.read.set(one.id, one.read);
    for (const [at, { seq }] of one.unread.entries())
      same(seq > (one.unread[at - 1]?.seq ?? one.read), true, `${one.id} has each entry once, in order, unread`);
    if (one.kind === "human") continue;
    assertMoving(judge, state, one);
    const endless = state.agent?.mode === "infinite";
    const counts = ({ from, kind }: { from: string; kind: string }) => from === "human" || (endless && kind === "fire");
    const heard = one.kind === "coordinator" ? one.unread.some(counts) : one.unread.length;
    if (judge.agent === "active" && !one.turn && !one.retired && one.next === "continue" && !heard)
      same(one.stall.alone < turns_alone, true, `${one.id} goes on alone for ${one.stall.alone} turns`);
  }
}

/** Nobody is forgotten: who holds a node can act on it or waits for something that can still happen; what is over is not called for. */
function assertMoving(judge: Judge, state: State, one: Thinker): void {
  same(one.node, judge.holds(one.id), `the node of ${one.id}`);
  same(one.turn?.id, judge.turns.get(one.id)?.id, `the turn of ${one.id}`);
  if (one.turn?.status === "calling") {
    const gone = one.retired || judge.run !== "open" || judge.agent === "archived" || judge.agent === "stopped";
    const node = judge.nodes.get(one.turn.node ?? "")?.status ?? "none";
    // A program that has handed its work over ends by itself.
    const { own } = one.turn;
    const ends = own?.final === true || own?.open.some(({ id }) => id.startsWith("own")) === true;
    const handedOver = ends && !one.retired && (judge.run === "open" ? node : judge.run) === "completed";
    same((gone || over.has(node)) && !handedOver, false, `${one.turn.id} is called for what is over`);
  }
  if (one.node && !one.turn) same(judge.nodes.get(one.node)!.left > 0, true, `${one.node} has turns left`);
  if (judge.agent !== "active" || one.turn) return;
  const { wait } = one;
  if (wait?.for === "question") same(judge.questions.get(wait.question), "open", `what ${one.id} waits for`);
  const mail = one.unread.filter(({ priority }) => priority !== "background");
  if (wait?.for === "mail") same(mail, [], `what ${one.id} waits for`);
  if (wait?.for === "nodes")
    same(
      wait.nodes.every((id) => judge.stuck(id, one.node)),
      false,
      `${one.id} waits in vain`,
    );
  if (one.node && !wait && one.next === "rest" && !mail.length) throw new Error(`${one.id} is silent over ${one.node}`);
  if (one.kind === "coordinator" || one.retired || one.node || wait) return;
  for (const [id, node] of judge.nodes) {
    if (node.status !== "pending" || !node.needs.every((need) => judge.nodes.get(need)?.status === "completed"))
      continue;
    const wants = state.nodes.get(id)?.wanted_worker;
    const free = wants === undefined || wants === one.id || judge.people.get(wants)?.retired;
    if (free) throw new Error(`${id} is ready and ${one.id} idle`);
  }
}

/** Everything in the state has its shape. */
function assertShapes(state: State): void {
  if (state.agent) Agent.parse(state.agent);
  if (state.preparation) Preparation.parse(state.preparation);
  for (const run of [...state.past, ...(state.run ? [state.run] : [])]) Run.parse(run);
  for (const one of state.participants.values()) Participant.parse(one);
  for (const one of state.nodes.values()) Node.parse({ ...one, creator: "x" });
  for (const one of state.stages.values()) Stage.parse(one);
  for (const one of state.channel) Message.parse(one);
  for (const one of state.outbox.values()) Outgoing.parse(one);
  for (const one of state.questions.values()) Question.parse(one);
  for (const one of state.deliveries.values()) Delivery.parse(one);
  for (const one of state.channels.values()) KnownChannel.parse(one);
  for (const one of state.documents.values()) Document.parse(one);
  for (const one of state.resources.values()) Resource.parse(one);
  for (const one of state.proposals.values()) Proposal.parse(one);
  for (const one of state.triggers.values()) Trigger.parse(one);
  for (const one of state.suggestions.values()) Suggestion.parse(one);
}

/* ── Playing it ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/** Quicker than `canonical`, and never equal for states that differ. */
const bytes = (state: State): string => JSON.stringify(freezeState(state));

function play(given: Limits) {
  const game = {
    state: emptyState(),
    log: [] as Event[],
    judge: new Judge(),
    now: t0,
    /** The state after steps, by seq: what replay must give again. Of every fourth, because it is slow. */
    marks: new Map<number, string | undefined>(),
    before: bytes(emptyState()),
    refusals: new Set<string>(),
    tried: new Set<string>(),

    take(fact: Fact, actor: string): void {
      const event = stamp(game.state, fact, { now: game.now, actor, limits: given });
      game.judge.see(event);
      game.log.push(event);
      reduce(game.state, event);
    },
    settle(): void {
      const context = { now: game.now, actor: "system", limits: given };
      for (let rounds = 0, fact = settle(game.state, context); fact; fact = settle(game.state, context)) {
        if (rounds++ > 500) throw new Error(`${fact.type} follows for ever`);
        game.take(fact, "system");
      }
    },
    /** A refused command changes nothing; one that is taken leaves everything in order. */
    tell(wish: Wish, actor: string): void {
      game.tried.add(String(wish.type));
      let facts: Fact[];
      try {
        facts = decide(game.state, parseCommand(wish), { now: game.now, actor, limits: given });
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        same(problemCodes.includes(problem.code) && problem.message.length > 5, true, "a problem says what is wrong");
        same(bytes(game.state), game.before, `refused (${problem.message}) and yet changed`);
        game.refusals.add(problem.code);
        return;
      }
      const foreseen = wish.type === "agent.stop" ? game.foresee() : undefined;
      const from = game.log.length;
      for (const fact of facts) game.take(fact, actor);
      game.settle();
      if (foreseen) same(foreseen, endedIn(game.log.slice(from)), "what a stop was said to end");
      game.check();
    },
    /** What a stop is said to end; asking changes nothing. */
    foresee() {
      const { nodes, questions, stages } = previewStop(game.state, { now: game.now, actor: "human", limits: given });
      same(bytes(game.state), game.before, "a preview changes nothing");
      return {
        nodes: nodes.map(({ node }) => node),
        questions: questions.map(({ question }) => question),
        stages: stages.map(({ stage }) => stage),
      };
    },
    check(): void {
      assertRules(game.judge, game.state, given);
      game.before = bytes(game.state);
      if (game.marks.size % 4 === 0) game.marks.set(game.state.seq, canonical(game.state));
      else game.marks.set(game.state.seq, undefined);
    },
    /** Does what is due; each appointment leads to something, or time would stand still. */
    tick(): void {
      for (let rounds = 0; ; rounds++) {
        const [due] = appointments(game.state);
        if (!due || Date.parse(due.at) > game.now) return;
        const before = game.state.seq;
        game.tell(due.command as Wish, "system");
        if (game.state.seq === before || rounds > 300) throw new Error(`${due.command.type} is due for ever`);
      }
    },
    /** The end of the log was never written: what is left is a log like any other. */
    crash(lost: number): void {
      game.log = JSON.parse(JSON.stringify(game.log.slice(0, game.log.length - lost)));
      game.state = fold(emptyState(), game.log);
      game.judge = new Judge();
      for (const event of game.log) game.judge.see(event);
      game.now = Math.max(game.now, Date.parse(game.state.at || "1970-01-01T00:00:00.000Z"));
      for (const seq of game.marks.keys()) if (seq > game.state.seq) game.marks.delete(seq);
      game.settle();
      game.check();
    },
    step({ do: what, seed }: Step): void {
      const d = draws(seed, game.state, game.now);
      if (what === "time") {
        game.now += d.pick(1, 1_000, 31_000, 600_000, 3_600_000);
        game.tick();
      } else if (what === "crash") game.crash(d.pick(0, 0, 1, 2, 5));
      else {
        const wish = wishFor(what, d, game.state);
        if (wish) game.tell(...wish);
      }
    },
  };
  return game;
}
type Game = ReturnType<typeof play>;

function endedIn(log: readonly Event[]) {
  return {
    nodes: log.flatMap(({ type, data }) => (type === "node.cancelled" ? [data.node] : [])),
    questions: log.flatMap(({ type, data }) => (type === "question.expired" ? [data.question] : [])),
    stages: log.flatMap(({ type, data }) => (type === "stage.reconvened" ? [data.stage] : [])),
  };
}

const roundTripped = (log: Event[]): Event[] => JSON.parse(JSON.stringify(log));

/** From the beginning, and from a snapshot taken anywhere, the log gives the same state at every place. */
function assertReplay({ log, marks }: Game, place: number): void {
  const again = emptyState();
  let thawed: State | undefined;
  for (const event of roundTripped(log)) {
    if (again.seq === place % log.length) thawed = thawState(JSON.parse(JSON.stringify(freezeState(again))));
    reduce(again, event);
    if (thawed) reduce(thawed, event);
    if (thawed && bytes(thawed) !== bytes(again))
      same(canonical(thawed), canonical(again), `from a snapshot, at ${event.seq}`);
    const mark = marks.get(event.seq);
    if (mark) same(canonical(again), mark, `from the log, at ${event.seq}`);
  }
}

/** A game played to its end; what breaks is told with the events that led to it. */
function played(given: Limits, steps: Step[]): Game {
  const game = play(given);
  try {
    for (const one of steps) game.step(one);
  } catch (error) {
    const line = ({ seq, type, actor, data }: Event) =>
      `${seq} ${type} by ${actor} ${JSON.stringify(data).slice(0, 200)}`;
    const tail = game.log.slice(-15).map(line).join("\n");
    throw new Error(`${(error as Error).message}\n${tail}`, { cause: error });
  }
  return game;
}

/** More of them: RULES=1000 npx vitest run src/core/rules.test.ts. A failure is not shrunk, which would take minutes: it comes with its events. */
const numRuns = Number(process.env.RULES ?? 60);
const steps = fc.array(anyStep, { minLength: 200, maxLength: 400 });
const fewSteps = fc.array(anyStep, { minLength: 40, maxLength: 120 });

test("the rules hold after every command, and the log gives the state again at every place", {
  timeout: 600_000,
}, () => {
  const refusals = new Set<string>();
  const tried = new Set<string>();
  fc.assert(
    fc.property(anyLimits, steps, fc.nat(), (given, long, place) => {
      const game = played(given, long);
      assertShapes(game.state);
      game.marks.set(game.state.seq, canonical(game.state));
      assertReplay(game, place);
      for (const code of game.refusals) refusals.add(code);
      for (const type of game.tried) tried.add(type);
    }),
    { numRuns, endOnFailure: true },
  );
  expect(types.filter((type) => !tried.has(type))).toEqual([]);
  refusals.delete("closed"); // rare: what another agent writes while a run is prepared
  expect([...refusals].sort()).toEqual([
    "budget_exhausted",
    "conflict",
    "forbidden",
    "invalid",
    "limit_reached",
    "name_taken",
    "not_found",
    "path_escapes",
    "stale",
    "wrong_state",
  ]);
});

test("any beginning of a log is a log: what follows from it follows, and everything goes on", {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(anyLimits, fewSteps, fewSteps, fc.nat(), (given, first, then, place) => {
      const game = played(given, first);
      game.crash(place % (game.log.length + 1));
      for (const one of then.slice(0, 20)) game.step(one);
    }),
    { numRuns: Math.ceil(numRuns / 2), endOnFailure: true },
  );
});

test("no order of events makes the fold throw, and unknown ones change nothing", { timeout: 600_000 }, () => {
  const strange = [
    "node.exploded",
    "message.reacted",
    "turn.paused",
    "__proto__.x",
    "constructor",
    "toString.x",
    "",
    ".",
  ];
  fc.assert(
    fc.property(anyLimits, fewSteps, fc.infiniteStream(fc.nat()), (given, few, chances) => {
      const { log, state } = played(given, few);
      const draw = () => chances.next().value as number;
      const shuffled = roundTripped(log).flatMap((event) => (draw() % 10 ? [event] : [event, event]));
      for (let at = shuffled.length - 1; at > 0; at--) {
        const other = draw() % (at + 1);
        [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
      }
      const garbled = fold(
        emptyState(),
        shuffled.map((event, index) => ({ ...event, seq: index + 1 })),
      );
      same(canonical(thawState(JSON.parse(bytes(garbled)))), canonical(garbled), "what was thawed");

      const before = canonical({ ...state, seq: 0, at: "" });
      for (const type of strange) {
        const data = { node: "n1", worker: "alice", participant: "coordinator", turn: "coordinator.1", run: "r1" };
        const event = {
          seq: state.seq + 1,
          id: "x",
          ts: "2030-01-01T00:00:00.000Z",
          actor: "human",
          cause: "k#p",
          type,
          data,
        };
        reduce(state, event as never);
        same(canonical({ ...state, seq: 0, at: "" }), before, type);
      }
    }),
    { numRuns: Math.ceil(numRuns / 2), endOnFailure: true },
  );
});
