/**
 * Command → facts, or a Problem and no change.
 *
 * `decide` returns the facts of the command itself. `settle` returns what then follows from the state, one fact at a time until nothing follows: it
 * is level-triggered, so after a crash in between asking again completes it. `appointments` is what time alone will change.
 * Idempotency: a command with a key is decided once. The same key again changes nothing; with another body it is refused.
 */
import type { Command, CommandType } from "../schema/command.ts";
import type { Event, Fact } from "../schema/event.ts";
import type { Merged } from "../schema/noun.ts";
import { Problem } from "../schema/problem.ts";
import { requireAgent } from "./lookup.ts";
import { type Appointments, type Context, type Decide, type Deciders, iso } from "./noun.ts";
import { type AnyBehaviour, calendars, rules, deciders as undetermined } from "./nouns.ts";
import type { State } from "./state.ts";
import { findParticipant } from "./team/names.ts";

type Decided = AnyBehaviour extends infer B ? (B extends { decide: infer D } ? D : never) : never;
const deciders: Deciders<CommandType> = undetermined as Merged<Decided>;

/** What runs when an agent is archived is still recorded to its end, and saved; messages that were on their way are accounted for. */
const closing = /^(turn|tool|log|outbox)\.|^(message\.receive|workspace\.(keep|restore))$/;

export function decide(state: State, command: Command, context: Context): Fact[] {
  if (command.type !== "agent.create" && requireAgent(state).status === "archived" && !closing.test(command.type)) {
    throw new Problem("wrong_state", `${state.agent?.id} is archived and accepts no commands`);
  }
  assertOwnVoice(state, command, context.actor);
  return (deciders[command.type] as Decide<Command>)(state, command, context);
}

/** A participant speaks for itself only, and never decides what is the human's, whatever text it has read and whatever tool it uses. */
function assertOwnVoice(state: State, command: Command, actor: string): void {
  const one = state.participants.get(actor);
  if (!one || one.kind === "human") return;
  const whose = reserved.get(command.type);
  if (whose !== undefined) throw new Problem("forbidden", `${one.name} cannot send ${command.type}; only ${whose} can`);
  const speaker = command.type === "message.post" ? command.from : command.type === "question.ask" ? command.by : actor;
  if (findParticipant(state, speaker)?.id !== actor)
    throw new Problem("forbidden", `${one.name} cannot speak as ${speaker}; participants speak only for themselves`);
}

/** Commands that no participant may send, and who may. */
const reserved: ReadonlyMap<CommandType, string> = new Map([
  ["question.answer", "the human"],
  ["budget.set", "the human"],
  ["soul.accept", "the human"],
  ["soul.decline", "the human"],
  ["message.receive", "the runtime"],
  ["outbox.confirm", "the runtime"],
  ["outbox.refuse", "the runtime"],
  ["reflection.start", "the runtime"],
  ["reflection.end", "the runtime"],
  ["memory.ask", "the runtime"],
]);

/** The next fact that follows from the state by itself, or nothing. */
export function settle(state: State, context: Context): Fact | undefined {
  if (!state.agent) return undefined;
  for (const rule of rules) {
    const [fact] = rule(state, context);
    if (fact) return fact;
  }
  return undefined;
}

/** Everything that time alone will change, soonest first. While the agent is paused only a running turn can time out, and the pause itself end. */
export function appointments(state: State): ReturnType<Appointments> {
  const status = state.agent?.status;
  // While a run is prepared nobody is there, and the last one is over.
  if ((status !== "active" && status !== "paused") || state.preparation) return [];
  return calendars
    .flatMap((calendar) => (calendar.while.includes(status) ? calendar.of(state) : []))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** The result of an earlier command with this idempotency key, if there was one. */
export function earlierResult(
  state: State,
  key: string,
  print: string,
): { seq: number; made: Record<string, string> } | undefined {
  const seen = state.keys.get(key);
  if (seen && seen.print !== print)
    throw new Problem(
      "key_reused",
      `the idempotency key ${key} was used for another command (event ${seen.seq}); use a new key`,
    );
  return seen;
}

/** Turns a fact into an event with its seq. */
export function stamp(state: State, fact: Fact, context: Context, cause = fact.cause): Event {
  const seq = state.seq + 1;
  const isOfNext = fact.type === "run.started" || fact.type === "run.preparing" || fact.type === "setup.ended";
  const run = isOfNext ? fact.data.run : state.run?.id;
  return {
    seq,
    id: `${fact.type === "agent.created" ? fact.data.agent : state.agent?.id}/${seq}`,
    ts: iso(context.now),
    type: fact.type,
    ...(run ? { run } : {}),
    actor: fact.actor ?? context.actor,
    ...(cause ? { cause } : {}),
    data: fact.data,
  } as Event;
}
