/**
 * Guests: lasting agents of this home that take part in a team (`ref`). In the team's run a guest is a worker that takes no turns and does no nodes:
 * what enters its inbox leaves by the outbox, and what it writes back is posted under its name (agent-mail.ts).
 *
 * Always holds: an entry stays unread until the agent has reported it as handled, or refused it, so a team is not idle while a guest works for it.
 * Not here: the agent's side of it (membership.ts).
 */
import { shortLine } from "../../lib/text/text.ts";
import type { Event } from "../../schema/event.ts";
import type { AgentId } from "../../schema/ids.ts";
import type { Outgoing } from "../../schema/outbox.ts";
import type { Entry, Participant, Worker } from "../../schema/worker.ts";
import { leadingMentions, mentions } from "../message/mention.ts";
import type { State } from "../state.ts";
import { isTainted, sourcesOf } from "../turn/taint.ts";

export type Guest = Worker & { ref: AgentId };

export const isGuest = (one: Participant | undefined): one is Guest =>
  one !== undefined && "ref" in one && one.ref !== undefined;

export function guestOf({ participants }: State, agent: AgentId): Guest | undefined {
  for (const one of participants.values()) if (isGuest(one) && one.ref === agent && !one.retired) return one;
  return undefined;
}

/** Whether it has something of this team to do, wherever its own loop is. */
export const isAway = (one: Participant): boolean =>
  isGuest(one) && !one.retired && one.unread.some(({ priority }) => priority !== "background");

/** What has just entered its inbox goes on to the agent itself. The first entry of a run comes with all that it must know of the team. */
export function forward(state: State, event: Event, guest: Guest, entry: Entry, whole: string): void {
  const { run, participants, outbox, resources } = state;
  const isFirst = guest.read === 0 && guest.unread.length === 1;
  const name = participants.get(entry.from)?.name ?? entry.from;
  const said = [`${name}: ${whole}`, ...(entry.quotes ? [entry.quotes] : [])].join("\n");
  const resource = event.type === "message.posted" ? resources.get(event.data.resource ?? "") : undefined;
  const { by: _by, at: _at, ...about } = resource ?? {};
  const id = `${event.seq}/${guest.ref}`;
  outbox.set(id, {
    id,
    seq: event.seq,
    to: guest.ref,
    ...(event.type === "message.posted" ? { message: event.data.message } : {}),
    by: entry.from,
    text: isFirst ? `${introduction(state, guest)}\n\n${said}` : said,
    priority: entry.priority ?? "normal",
    mail: {
      hops: state.hops.count + 1,
      fresh: true,
      ...(isTainted(state) ? { tainted: sourcesOf(state).slice(0, 500).toWellFormed() } : {}),
      team: {
        as: guest.name,
        run: run?.id ?? "r1",
        ...(guest.max_turns === undefined ? {} : { max_turns: guest.max_turns }),
        ...(run?.team?.policy?.length ? { policy: run.team.policy } : {}),
      },
    },
    ...(resource ? { resource: about as Outgoing["resource"] } : {}),
  });
}

function introduction({ agent, run, participants }: State, { id, name, role, max_turns }: Guest): string {
  const others = [...participants.values()].filter((one) => one.id !== id && (one.kind === "human" || !one.retired));
  const team = agent?.id ?? "";
  return [
    `You take part in the team of agent:${team} as ${name}. It works on: ${shortLine(run?.goal ?? "", 500)}`,
    `With you: ${others.map((one) => one.name).join(", ")}.`,
    ...(role ? [role] : []),
    `Write to the team with send_message to agent:${team}. Begin with @NAME to address one of them, or @all; otherwise it goes to whoever wrote to you last. Vote there with vote and ${team}/p1 as the proposal. Its documents, channel and proposals are open to you: give \`team\`: ${team} to document_list, document_read, document_write, document_append, channel_read, proposal_list and proposal_create.`,
    ...(max_turns === undefined ? [] : [`Take at most ${max_turns} turns for one message of the team.`]),
  ].join("\n");
}

/** Whom a guest's message is for: those it addresses, else those it mentions, else whoever wrote to it last. */
export function heardBy(state: State, guest: Guest, text: string): string[] {
  const everyone = [...state.participants.values()].filter(
    (one) => one.id !== guest.id && (one.kind === "human" || !one.retired),
  );
  const ids = (found: ReturnType<typeof mentions>) => [
    ...new Set(found.flatMap(({ id }) => (id === "*" ? everyone.map((one) => one.id) : id === undefined ? [] : [id]))),
  ];
  const isThere = (id: string) => everyone.some((one) => one.id === id);
  const leading = ids(leadingMentions(state, text)).filter(isThere);
  if (leading.length) return leading;
  const named = ids(mentions(state, text)).filter(isThere);
  if (named.length) return named;
  const last =
    guest.unread.findLast(({ kind }) => kind === "message")?.from ??
    state.channel.findLast(({ to }) => to.includes(guest.id))?.from;
  return last !== undefined && isThere(last) ? [last] : everyone.map((one) => one.id);
}
