/**
 * One execution towards a goal. One run is open at a time; starting the next one folds the last into a line of `past`. A run starts with the
 * human in it and, unless its team says otherwise, with the coordinator, whose first mail is the goal.
 */

import { type Fact, typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Begun, Run } from "../../schema/run.ts";
import type { Team } from "../../schema/workflow.ts";
import { proofOf } from "../board/check.ts";
import { unmergedOf } from "../file/unmerged.ts";
import { requireAgent, requireRun } from "../lookup.ts";
import { reopens } from "../message/agent-mail.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import type { State } from "../state.ts";
import { assertReleasable } from "../team/binding.ts";
import { foldCase } from "../team/names.ts";
import { newThinker } from "../team/worker.ts";
import { defaultLead } from "./lead.ts";
import { assertPrepared, beginning } from "./setup.ts";
import { assertTeam } from "./workflow.ts";

const runDecide: Deciders<"run.start" | "run.plan" | "run.checkpoint" | "run.finish"> = {
  /** For a stopped agent it ends the open run; its questions are closed first (shutdown.ts), then the next run starts. */
  "run.start": (state, { type: _, ...next }, { limits }) => {
    const agent = requireAgent(state, "active", "completed", "stopped", "failed");
    if (agent.status !== "stopped") assertPrepared(state);
    if (next.team) assertTeam(next.team, limits);
    const team = teamOf(state, next);
    const begun = {
      ...next,
      ...team,
      ...keptDocuments(state, team.team),
      run: nextId(state),
      goal: next.goal ?? agent.goal,
    };
    if (state.run?.status !== "open") return [beginning(begun)];
    if (agent.status === "stopped") return [{ type: "run.stopped", data: { run: state.run.id, next: begun } }];
    throw new Problem("wrong_state", `${state.run.id} is still open; finish it or stop ${agent.id} first`);
  },
  "run.plan": (state, { plan }) => [{ type: "run.planned", data: { run: requireRun(state).id, plan } }],
  "run.checkpoint": (state, { summary }) => [
    { type: "run.checkpointed", data: { run: requireRun(state).id, summary } },
  ],
  "run.finish": (state, { summary, checks, on }, { actor }) => {
    const { id } = requireRun(state);
    if (actor !== "human") assertFinite(state);
    if (actor !== "human") assertReleasable(state);
    const { evidence, claimed } = proofOf(state, checks, on);
    const unmerged = unmergedOf(state);
    const lacks = { ...(claimed.length ? { claimed } : {}), ...(unmerged.length ? { unmerged } : {}) };
    return [{ type: "run.completed", data: { run: id, summary, evidence, ...lacks } }];
  },
};

/** Only people end an infinite run. */
export function assertFinite({ agent }: State): void {
  if (agent?.mode !== "infinite") return;
  throw new Problem(
    "wrong_state",
    `${agent.id} is an infinite agent and cannot finish. Report results with send_message, call checkpoint with your progress, and rest: the next cycle wakes you. Only the human can stop it.`,
  );
}

const nextId = (state: State): string => `r${state.past.length + (state.run ? 1 : 0) + 1}`;

/**
 * What follows by itself: a new agent's first run; that the participants of a completed run stop, that its agent is completed, and that a message
 * from the human or another agent reopens it. It follows instead of being part of the command, so that a command is one event: a crash keeps it or not, and a caller
 * that retries gets the truth.
 */
const settleRun: Settle = ({ agent, run, channel, preparation }) => {
  if (preparation) return [];
  if (!run)
    return agent?.status === "active" && agent.start
      ? [beginning({ run: "r1", goal: agent.goal, ...(agent.team ? { team: agent.team } : {}) })]
      : [];
  if (run.status === "stopped" && run.next && agent?.status === "stopped") return [beginning(run.next)];
  if (run.status !== "completed") return [];
  if (agent?.status === "completed")
    return (channel.findLast(reopens)?.seq ?? 0) > run.last_seq ? [{ type: "agent.reopened", data: {} }] : [];
  return agent?.status === "active" || agent?.status === "paused" || agent?.status === "stopped"
    ? [{ type: "agent.completed", data: { run: run.id, summary: run.summary } }]
    : [];
};

const reduceRun: Reduce = (state, event) => {
  const { run } = state;
  switch (event.type) {
    case "run.started":
      if (run) state.past.push(ended(run));
      state.run = {
        status: "open",
        id: event.data.run,
        goal: event.data.goal,
        started_at: event.ts,
        first_seq: event.seq,
        answers: 0,
        ...teamOf(state, event.data),
        ...preparedOf(event.data),
      };
      state.participants = new Map([["human", { kind: "human", id: "human", name: "Human", read: 0, unread: [] }]]);
      if (state.run.team?.lead !== false)
        state.participants.set(defaultLead.id, {
          ...newThinker(defaultLead.id, defaultLead.name),
          kind: "coordinator",
          ...(state.run.team?.coordinator?.model ? { model: state.run.team.coordinator.model } : {}),
        });
      state.channel = [];
      return;
    case "agent.reopened":
      if (run && run.status !== "open") {
        const { id, goal, started_at, first_seq, answers, team } = run;
        const same = { id, goal, started_at, first_seq, answers, ...(team ? { team } : {}), ...preparedOf(run) };
        // What was checked was the last answer.
        state.run = { status: "open", ...same };
      }
      return;
    case "message.posted":
      if (run?.status === "open" && event.data.kickoff) state.run = { ...run, kicked_off: true };
      return;
    case "document.written":
      if (run?.status === "open" && run.documents?.some(({ name }) => name === event.data.document))
        state.run = { ...run, laid_out: [...(run.laid_out ?? []), event.data.document] };
      return;
    case "run.led":
      if (run?.status === "open") state.run = { ...run, elected: event.data.lead };
      return;
    case "run.planned":
      if (run?.status === "open") state.run = { ...run, plan: event.data.plan };
      return;
    case "run.completed":
    case "run.stopped": {
      if (run?.status !== "open") return;
      const { plan: _plan, kicked_off: _kicked, laid_out: _laid, elected: _elected, ...line } = run;
      const ended = { ended_at: event.ts, last_seq: event.seq };
      state.run =
        event.type === "run.completed"
          ? { ...line, ...ended, status: "completed", answers: line.answers + 1, ...answerOf(event.data) }
          : { ...line, ...ended, status: "stopped", ...(event.data.next ? { next: event.data.next } : {}) };
    }
  }
};

const answerOf = ({ summary, evidence, claimed, unmerged }: Extract<Fact, { type: "run.completed" }>["data"]) => ({
  summary,
  ...(evidence ? { evidence } : {}),
  ...(claimed ? { claimed } : {}),
  ...(unmerged ? { unmerged } : {}),
});

/** The team of a run that starts; missing settings are the agent's. */
function teamOf({ agent }: State, { team }: { team?: Team | null | undefined }): { team?: Team } {
  const own = team === undefined ? agent?.team : (team ?? undefined);
  return own ? { team: own } : {};
}

/** Where the context is kept, the next run has the documents of the one before. An owner that is not in its team does not own it any more. */
function keptDocuments({ documents, participants }: State, team: Team | undefined): Pick<Begun, "documents"> {
  if (team?.context !== "kept" || !documents.size) return {};
  const names = new Set([
    ...team.workers.map(({ name }) => foldCase(name)),
    ...(team.lead === false ? [] : [defaultLead.id]),
  ]);
  const kept = [...documents.values()].map(({ name, owner, sha256, size }) => {
    const called = foldCase((owner && participants.get(owner)?.name) ?? "");
    return { name, sha256, size, ...(names.has(called) ? { owner: called } : {}) };
  });
  return { documents: kept };
}

/** What came of its preparation. */
const preparedOf = ({ setup, documents, quotes, attached }: Prepared): Prepared => ({
  ...(setup ? { setup } : {}),
  ...(documents ? { documents } : {}),
  ...(quotes ? { quotes } : {}),
  ...(attached ? { attached } : {}),
});
type Prepared = Pick<Run, "setup" | "documents" | "quotes" | "attached">;

/** The line that is kept of it. */
function ended({
  team: _team,
  setup: _setup,
  documents: _documents,
  quotes: _quotes,
  attached: _attached,
  ...run
}: Run): Run {
  if (run.status !== "stopped") return run;
  const { next: _next, ...line } = run;
  return line;
}

export const run = defineBehaviour({
  decide: runDecide,
  reduce: [
    {
      phase: "own",
      looksAt: [...typesOf("run"), "agent.reopened", "message.posted", "document.written"],
      reduce: reduceRun,
    },
  ],
  settle: [{ phase: "begin", rule: settleRun }],
});
