/**
 * A participant's last words: the text of an answer that asks for no tool. They are posted like any message, once.
 *
 * The coordinator's go to the human; a worker's go to the human if the human wrote to it since it last fell silent; and to whoever is
 * mentioned in them. Nobody gets words that the participant already sent to them with a tool, or before a crash: everything posted since the
 * mail that the turn answers is looked through.
 */
import type { Fact } from "../schema/event.ts";
import type { ParticipantId } from "../schema/ids.ts";
import type { Turn } from "../schema/turn.ts";
import type { Thinker } from "../schema/worker.ts";
import type { Context } from "./noun.ts";
import type { State } from "./state.ts";
import { talkedOut } from "./talk.ts";

export function lastWords(state: State, one: Thinker, turn: Turn, context: Context): Fact[] {
  const line = one.conversation.findLast((line) => line.role === "assistant");
  if (line?.turn !== turn.id || line.calls.length || !line.text.trim() || state.run?.status !== "open") return [];
  if (isIdle(one, turn)) return [];
  const { text } = line;
  const said = (to: ParticipantId) =>
    state.channel.some((m) => m.seq > turn.upto && m.from === one.id && m.to.includes(to) && same(m.text, text));
  const wanted = [...(one.kind === "coordinator" || askedByHuman(one) ? ["human"] : []), ...mentioned(state, text)];
  const to = [...new Set(wanted)].filter((id) => {
    const other = state.participants.get(id);
    const there = other && id !== one.id && (other.kind === "human" || !other.retired);
    return there && !said(id) && (id === "human" || !talkedOut(state, one.id, id, context));
  });
  if (!to.length) return [];
  const message = `m${state.counts.messages + 1}`;
  return [{ type: "message.posted", data: { message, from: one.id, to, text, priority: "normal" } }];
}

/** Woken by a fire for nothing, and said so: with the tool that ends a turn quietly, or in the one word that models use for it. */
export function isIdle(one: Thinker, turn: Turn): boolean {
  if (!one.quiet || one.node || turn.status !== "acting") return false;
  if (turn.calls.length) return turn.final;
  const line = one.conversation.findLast((line) => line.role === "assistant");
  return line?.turn === turn.id && /^\W*HEARTBEAT_OK\W*$/i.test(line.text);
}

/** The longest name after each @; not in mail addresses. */
export function mentioned(state: State, text: string): ParticipantId[] {
  const names = [...state.participants.values()]
    .flatMap(({ id, name }) => [...new Set([id, name.toLowerCase()])].map((called) => ({ id, called })))
    .sort((a, b) => b.called.length - a.called.length);
  const small = text.toLowerCase();
  return [...small.matchAll(/(?<![\p{L}\p{N}_.-])@/gu)].flatMap(({ index }) => {
    const rest = small.slice(index + 1, index + 60);
    const found = names.find(
      ({ called }) => rest.startsWith(called) && !/^[\p{L}\p{N}_]/u.test(rest.slice(called.length)),
    );
    return found ? [found.id] : [];
  });
}

function askedByHuman({ conversation }: Thinker): boolean {
  const before = conversation.slice(
    0,
    conversation.findLastIndex((line) => line.role === "assistant"),
  );
  const silent = before.findLastIndex((line) => line.role === "assistant" && !line.calls.length);
  return before
    .slice(silent + 1)
    .some(
      (line) => line.role === "inbox" && line.entries.some(({ from, kind }) => from === "human" && kind === "message"),
    );
}

const same = (a: string, b: string): boolean => squeezed(a) === squeezed(b);
const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();
