/**
 * A thread as people read it, made from events: who said what, what was done in between, what was asked, what was published. The same events
 * give the same items, whether they come at once or one after the other. What nothing touched is the same object as before, and keeps its `rev`,
 * so it need not be drawn again; an event that does not belong here gives the very same array.
 *
 * `coordinator` is the conversation with the agent: every word from and to the human or another agent, every question, every result. A worker's is its own
 * work. `channel` is what all say to each other, without their work.
 */

import { isIntended } from "../../core/agent/pause.ts";
import { agentIn } from "../../core/message/address.ts";
import type { Event } from "../../schema/event.ts";
import { createVotes } from "../decisions/votes.ts";
import { type AskedQuestion, base, type Item, type Worked } from "./thread-item.ts";
import { createShown, type Unread } from "./thread-shown.ts";
import { createTroubles } from "./thread-trouble.ts";

export interface ThreadOptions {
  /** coordinator, a worker's id, or channel. */
  of: string;
  resultsOnly?: boolean;
  unread?: Unread;
}

/** These are said elsewhere in the thread: as a question, a message to the human, a result. */
const told = new Set(["ask_human", "finish", "publish", "propose"]);

export const threadOf = (events: readonly Event[], options: ThreadOptions): readonly Item[] =>
  createThread(options)(events);

/** Give it all events, again and again: only those that came since are looked at, unless earlier ones came or went. */
export function createThread(options: ThreadOptions): (events: readonly Event[]) => readonly Item[] {
  let made = createMaker(options);
  let taken: { count: number; first: Event | undefined; last: Event | undefined } = {
    count: 0,
    first: undefined,
    last: undefined,
  };
  return (events) => {
    const goesOn = events[0] === taken.first && events[taken.count - 1] === taken.last;
    if (!goesOn) made = createMaker(options);
    for (let at = goesOn ? taken.count : 0; at < events.length; at++) made.take(events[at]!);
    taken = { count: events.length, first: events[0], last: events.at(-1) };
    return made.items();
  };
}

function createMaker({ of, resultsOnly = false, unread }: ThreadOptions) {
  const items: Item[] = [];
  const shown = createShown(
    (item) =>
      item.kind === "trouble"
        ? !resultsOnly || item.trouble.status === "gave up" || item.trouble.status === "paused"
        : item.kind !== "turn" || (!resultsOnly && (item.text.trim() !== "" || item.calls.length > 0)),
    unread,
  );
  const turns = new Map<string, Worked>();
  const questions = new Map<string, Item & { kind: "asked" }>();
  const votes = createVotes();
  const proposals = new Map<string, Item & { kind: "vote" }>();
  const last = new Map<string, Worked>();
  const stages = new Map<string, string>();
  const main = of === "coordinator";
  const channel = of === "channel";
  const mine = (participant: string) => main || channel || participant === of;
  // A message stands there itself: in somebody's own thread, and in the coordinator's if it is to the human or another agent.
  const isTold = (tool: string, input: unknown) => {
    const to = String((input as { to?: unknown } | null)?.to);
    return told.has(tool) || (tool === "send_message" && (!main || to === "human" || agentIn(to) !== undefined));
  };

  const note = (event: Event, icon: string, text: string, failed = false) => {
    if (!resultsOnly || failed)
      items.push({ ...base(event, `n${event.seq}`), kind: "note", icon, text, ...(failed ? { failed } : {}) });
  };
  const { trouble, settled, isTroubled } = createTroubles(items);
  /** Those who come one after the other are one line. */
  const joined = (event: Event, name: string) => {
    const before = items.at(-1);
    if (before?.kind !== "note" || !before.text.endsWith(" joined")) return note(event, "users", `${name} joined`);
    const names = before.text.slice(0, -" joined".length).replace(" and ", ", ");
    before.text = `${names} and ${name} joined`;
    before.rev = event.seq;
  };
  const turnOf = (event: Event, participant: string, turn: string): Worked | undefined => {
    if (channel || participant !== of) return undefined;
    const key = `${event.run}/${turn}`;
    const had = turns.get(key);
    if (had) return had;
    const made: Worked = { ...base(event, `t${key}`), kind: "turn", by: participant, text: "", calls: [], turn };
    turns.set(key, made);
    last.set(participant, made);
    items.push(made);
    return made;
  };

  /** It stands where it was proposed, and changes with every vote. */
  const voted = (event: Event) => {
    const vote = votes.take(event);
    if (!vote || !(main || channel || vote.proposal.by === of)) return;
    const item = proposals.get(vote.key);
    if (item) return void Object.assign(item, { vote, rev: event.seq });
    const made = { ...base(event, `v${vote.key}`), kind: "vote" as const, by: vote.proposal.by, vote };
    proposals.set(vote.key, made);
    items.push(made);
  };

  function take(event: Event): void {
    const { type, data, seq, ts, run = "" } = event;
    voted(event);
    switch (type) {
      case "run.started":
        if (!main && !channel) break;
        // A team that nobody leads hears its first message instead, which may be the goal itself.
        if (data.team?.lead === false) {
          if (data.team.kickoff !== undefined || data.team.nodes.length) note(event, "flag", `Goal: ${data.goal}`);
        } else
          items.push({ ...base(event, `r${seq}`), kind: "said", from: "human", to: ["coordinator"], text: data.goal });
        break;
      case "message.posted": {
        const { message, from, to, text, attachments, resource } = data;
        const worked = last.get(from);
        if (worked?.text && worked.text.trim() === text.trim()) {
          worked.text = "";
          worked.rev = seq;
        }
        const mine = from === "human" || to.includes("human");
        const shown =
          channel ||
          (main ? mine || data.mail !== undefined : from === of || to.includes(of) || data.mentions?.includes(of));
        if (!shown || (resultsOnly && !mine)) break;
        items.push({
          ...base(event, `m${run}/${message}`),
          kind: "said",
          from,
          to,
          text,
          ...(attachments ? { attached: attachments } : {}),
          ...(resource ? { resource } : {}),
        });
        break;
      }
      case "outbox.refused":
        if (data.notice || !mine(data.by)) break;
        note(event, "alert", `${data.message} was not delivered to ${data.to}: ${data.reason.message}`, true);
        break;
      case "turn.answered": {
        settled(event, "over", data.participant);
        const worked = turnOf(event, data.participant, data.turn);
        if (!worked) break;
        worked.text = data.text;
        worked.rev = seq;
        const known = new Set(worked.calls.map(({ id }) => id));
        for (const { id, tool, input } of data.calls)
          if (!known.has(id) && !isTold(tool, input)) worked.calls.push({ id, tool, input, status: "asked" });
        break;
      }
      case "tool.called": {
        const worked = turnOf(event, data.participant, data.turn);
        if (!worked || isTold(data.tool, data.input)) break;
        const { call: id, tool, input } = data;
        worked.calls.push({ id, tool, input, status: "running", began: ts });
        worked.rev = seq;
        break;
      }
      case "program.reported": {
        const worked = turnOf(event, data.participant, data.turn);
        if (!worked) break;
        // Between its calls, in the order in which it came.
        const tool = data.kind === "text" ? "says" : "notice";
        worked.calls.push({
          id: `${tool}${seq}`,
          tool,
          input: { text: data.text },
          status: "ok",
          began: ts,
          ended: ts,
        });
        worked.rev = seq;
        break;
      }
      case "tool.started":
      case "tool.ended": {
        const worked = turns.get(`${run}/${data.turn}`);
        const index = worked?.calls.findIndex(({ id }) => id === data.call) ?? -1;
        if (!worked || index < 0) break;
        const call = worked.calls[index]!;
        worked.calls[index] =
          type === "tool.started"
            ? { ...call, status: "running", began: ts }
            : { ...call, status: data.outcome, result: data.result, ended: ts };
        worked.rev = seq;
        break;
      }
      case "turn.failed":
        if (!mine(data.participant)) break;
        if (data.reason.code === "backend" || data.reason.code === "provider")
          trouble(event, data.reason, { status: "gave up" }, data.participant);
        else if (data.participant === of)
          note(
            event,
            "alert",
            data.reason.code === "interrupted" ? `Cut off: ${data.reason.message}` : data.reason.message,
            true,
          );
        break;
      case "turn.queued":
        if (data.participant === of) note(event, "history", "Waits for budget reserved by other calls");
        break;
      case "turn.retried":
        if (mine(data.participant)) {
          const failure = { message: data.error, endpoint: data.endpoint };
          trouble(event, failure, { status: "trying", until: data.not_before }, data.participant);
        }
        break;
      case "question.asked": {
        if (!main && !channel && data.by !== of) break;
        const { question: id, limit: _, ...rest } = data;
        const question: AskedQuestion = { ...rest, id, seq, asked_at: ts, status: "open" };
        const item = { ...base(event, `q${run}/${id}`), kind: "asked" as const, by: data.by, question };
        items.push(item);
        questions.set(`${run}/${id}`, item);
        break;
      }
      case "question.answered":
      case "question.expired": {
        const item = questions.get(`${run}/${data.question}`);
        if (!item) break;
        const { question } = item;
        question.status = type === "question.answered" ? "answered" : "expired";
        question.ended_at = ts;
        if (type === "question.answered") question.answered_by = event.actor;
        item.rev = seq;
        if (data.answer !== undefined) question.answer = data.answer;
        if (type === "question.expired" && data.over !== undefined) question.over = data.over;
        break;
      }
      case "node.completed": {
        const { worker: by, node, summary, files, partial, evidence = "claimed" } = data;
        if (!main && !channel && by !== of) break;
        items.push({ ...base(event, `p${seq}`), kind: "published", by, node, summary, files, partial, run, evidence });
        break;
      }
      case "node.rejected":
        if (main || channel || data.worker === of)
          note(
            event,
            "alert",
            `${data.node} was sent back: ${data.failed.length === 1 ? "a check" : `${data.failed.length} checks`} failed (attempt ${data.attempt} of ${data.attempts})`,
            true,
          );
        break;
      case "workspace.merged":
        if (main || channel) note(event, "merge", `${data.workspace} was merged into the integration branch`);
        break;
      case "workspace.handed_over":
        if (main || channel)
          note(
            event,
            "merge",
            data.as === "merge"
              ? `Merged into ${data.into}`
              : `Handed over as the ${data.as === "branch" ? "branch" : "patch"} ${data.into}`,
          );
        break;
      case "node.failed":
        if (main || channel)
          note(
            event,
            "alert",
            // What became of its call is said already.
            isTroubled(data.reason) ? `${data.node} failed with it` : `${data.node} failed: ${data.reason.message}`,
            true,
          );
        break;
      case "node.started":
        if (data.worker === of) note(event, "play", `Began ${data.node}`);
        break;
      case "stage.started":
        stages.set(`${run}/${data.stage}`, data.name);
        if (main) note(event, "layers", `Stage ${data.name} began`);
        break;
      case "stage.reconvened": {
        const whole = data.completed.length + data.open.length + (data.checkpointed?.length ?? 0);
        if (main)
          note(
            event,
            "layers",
            `${stages.get(`${run}/${data.stage}`) ?? data.stage} reconvened, ${data.completed.length} of ${whole} done`,
          );
        break;
      }
      case "worker.spawned":
        if (channel || data.worker === of) joined(event, data.name);
        break;
      case "worker.retired":
        if (channel || data.worker === of) note(event, "users", `${data.worker} retired: ${data.reason}`);
        break;
      case "run.completed":
        if (main || channel)
          items.push({
            ...base(event, `a${seq}`),
            kind: "answer",
            by: event.actor === "system" ? "system" : "coordinator",
            run: data.run,
            text: data.summary,
            evidence: data.evidence ?? "claimed",
            claimed: data.claimed ?? [],
          });
        break;
      case "agent.paused":
        if (data.reason.code === "human") note(event, "pause", "Paused by you");
        else if (isTroubled(data.reason)) trouble(event, data.reason, { status: "paused" });
        else note(event, "pause", `Paused: ${data.reason.message}`, !isIntended(data.reason.code));
        break;
      case "agent.failed":
        note(event, "alert", `Failed: ${data.reason.message}`, true);
        break;
      case "agent.stopped":
        settled(event, "gave up");
        note(event, "stop", "Stopped");
        break;
      case "agent.resumed":
        settled(event, "gave up");
        note(event, "play", "Resumed");
        break;
    }
  }
  return { take, items: () => shown(items) };
}
