/**
 * A participant's final text: the text of an answer without tool calls. It is posted like any message, once.
 *
 * The coordinator's goes to the human; a worker's goes to the human if the human wrote to it since its last one; and to everyone it addresses with
 * a mention (mention.ts). A participant that is only referred to, while somebody else is addressed, is not woken. Nobody gets text that the
 * participant already sent them with a tool, or before a crash: everything posted since the mail that the turn answers is checked.
 */

import type { Fact } from "../../schema/event.ts";
import type { ParticipantId } from "../../schema/ids.ts";
import type { Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { hasTalkedOut } from "../message/chatter-limit.ts";
import { type Mention, mentions } from "../message/mention.ts";
import { longestMessage } from "../message/message.ts";
import type { Context } from "../noun.ts";
import { isLead, lead } from "../run/lead.ts";
import type { State } from "../state.ts";

export function finalTextFacts(state: State, one: Thinker, turn: Turn, context: Context, resource?: string): Fact[] {
  const line = one.conversation.findLast((line) => line.role === "assistant");
  if (line?.turn !== turn.id || line.calls.length || !line.text.trim() || state.run?.status !== "open") return [];
  if (isIdle(one, turn)) return [];
  const { text } = line;
  const said = (to: ParticipantId) =>
    state.channel.some(
      (m) =>
        m.seq > turn.upto && m.from === one.id && [...m.to, ...(m.mentions ?? [])].includes(to) && same(m.text, text),
    );
  const isThere = (id: ParticipantId) => {
    const other = state.participants.get(id);
    const there = other && id !== one.id && (other.kind === "human" || !other.retired);
    return there && !said(id) && (id === "human" || !hasTalkedOut(state, one.id, id, context));
  };
  const named = mentions(state, text);
  const who = (some: readonly Mention[]) =>
    some.flatMap(({ id }) => (id === "*" ? [...state.participants.keys()] : (id ?? [])));
  const toHuman = isLead(one) || askedByHuman(one) ? ["human"] : [];
  const called = [...new Set([...toHuman, ...who(named.filter(({ addressed }) => addressed))])].filter(isThere);
  const others = [...new Set(who(named))].filter((id) => !called.includes(id) && isThere(id));
  const heard = called.length ? called : others;
  // Where nobody leads, what is said to nobody is said to the team: it stands in the channel.
  const to = heard.length || lead(state) || one.node || said("human") ? heard : ["human"];
  if (!to.length) return [];
  const message = `m${state.counts.messages + 1}`;
  const quietly = called.length && others.length ? { mentions: others } : {};
  const data = {
    message,
    from: one.id,
    to,
    ...quietly,
    text,
    ...(resource ? { resource } : {}),
    priority: "normal" as const,
  };
  return [{ type: "message.posted", data }];
}

/** This turn's final text if participants may receive it and it is too long for that: it must be stored as a resource. */
export function longFinalText(state: State, one: Thinker, turn: Turn): string | undefined {
  const line = one.conversation.findLast((line) => line.role === "assistant");
  if (line?.turn !== turn.id || line.calls.length || line.text.length <= longestMessage) return undefined;
  return mentions(state, line.text).some(({ id }) => id !== undefined && id !== "human") ? line.text : undefined;
}

/** A trigger woke it for nothing, and it said so: with the tool that ends a turn quietly, or with the one word that models use for it. */
export function isIdle(one: Thinker, turn: Turn): boolean {
  if (!one.quiet || one.node || turn.status !== "acting") return false;
  if (turn.calls.length) return turn.final;
  const line = one.conversation.findLast((line) => line.role === "assistant");
  return line?.turn === turn.id && /^\W*HEARTBEAT_OK\W*$/i.test(line.text);
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
