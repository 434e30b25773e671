/** What an agent decides and has decided: open votes, and the answer to "why do we do it this way?". */
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { CastVote } from "../decisions/cast-vote.tsx";
import { DecisionRow } from "../decisions/decision-row.tsx";
import { type Decision, decisionsOf, decisionTypes, found, isOpen, titleOf } from "../decisions/decisions.ts";
import { Propose } from "../decisions/propose.tsx";
import { VoteBody } from "../decisions/vote-body.tsx";
import { Button } from "../parts/controls/button.tsx";
import { FindField } from "../parts/controls/find-field.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Time } from "../parts/text/time.tsx";
import { day } from "../parts/text/words.ts";
import { AgentHeader } from "../shell/header.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useStep } from "../shell/use-step.ts";
import { useEventsOf } from "../store/events-of.ts";
import { useAgentView, useClient } from "../store/hooks.ts";
import { threadSearch } from "../store/main-thread.ts";
import "../style/decisions.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const log = useEventsOf(agent, decisionTypes);
  const all = useMemo(() => decisionsOf(log.events), [log.events]);
  const state = view?.state;
  const problem = view?.problem ?? log.problem;
  return (
    <>
      <AgentHeader />
      {problem ? (
        <Failed what="The decisions cannot be shown" problem={problem} />
      ) : !state || log.status === "loading" ? (
        <Loading rows={6} />
      ) : (
        <Decisions agent={agent} state={state} all={all} />
      )}
    </>
  );
}

function Decisions({ agent, state, all }: { agent: string; state: State; all: readonly Decision[] }) {
  const { of } = useSearch({ strict: false }) as { of?: string };
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [proposing, setProposing] = useState(false);
  const list = useRef<HTMLElement>(null);
  const shown = found(all, query);
  const groups = [
    { name: "Open", items: shown.filter(isOpen) },
    { name: "Settled", items: shown.filter((one) => !isOpen(one)) },
  ].filter(({ items }) => items.length);
  const at = shown.find(({ key }) => key === of) ?? shown[0];
  const open = (key: string | undefined) => {
    setProposing(false);
    void navigate({ to: "/agents/$agent/decisions", params: { agent }, search: key ? { of: key } : {} });
  };
  useStep(
    shown,
    ({ key }) => key === at?.key,
    ({ key }) => {
      if (proposing) return false;
      open(key);
      list.current?.querySelector<HTMLElement>(`[data-need="${CSS.escape(`${agent}/${key}`)}"]`)?.focus();
    },
  );
  const isOpenRun = state.run?.status === "open";
  return (
    <div className={`dec ${of !== undefined || proposing ? "with" : ""}`}>
      <section className="dec-l" aria-label="Decisions" ref={list}>
        <div className="dec-f">
          <FindField label="Why do we …" query={query} change={setQuery} />
          <Button
            onClick={() => setProposing(true)}
            disabled={!isOpenRun}
            title={isOpenRun ? undefined : "No run is open, so nobody could vote"}
          >
            <Icon name="plus" size={14} />
            Propose
          </Button>
        </div>
        {groups.map(({ name, items }) => (
          <section key={name} aria-label={name}>
            <div className="q-h">
              <h2>{name}</h2>
              <span className="c num">{items.length}</span>
            </div>
            <ul>
              {items.map((one) => (
                <DecisionRow
                  key={one.key}
                  agent={agent}
                  state={state}
                  decision={one}
                  on={!proposing && one.key === at?.key}
                  open={() => open(one.key)}
                />
              ))}
            </ul>
          </section>
        ))}
        {all.length === 0 ? (
          <Empty title="Nothing has been decided yet" icon="vote">
            <p>Votes of the team and your answers to its questions are kept here, with who wanted what and why.</p>
          </Empty>
        ) : shown.length === 0 ? (
          <Empty title="No decision about that" icon="search">
            <p>No question, option, reason or answer has all of these words.</p>
          </Empty>
        ) : null}
      </section>
      <div className="dec-s">
        {of !== undefined || proposing ? (
          <Button look="ghost" className="dec-back" onClick={() => open(undefined)}>
            <Icon name="back" size={14} />
            All decisions
          </Button>
        ) : null}
        {proposing ? (
          <Propose
            agent={agent}
            state={state}
            done={(id) => {
              setProposing(false);
              if (id) open(`${state.run?.id}/${id}`);
            }}
          />
        ) : at ? (
          <One key={at.key} agent={agent} state={state} decision={at} />
        ) : null}
      </div>
    </div>
  );
}

function One({ agent, state, decision }: { agent: string; state: State; decision: Decision }) {
  const by = decision.kind === "vote" ? decision.proposal.by : decision.by;
  const who = whoIs(state, by);
  const since = decision.kind === "vote" ? decision.proposal.created_at : decision.at;
  return (
    <article className="vote-card" aria-label={visibleLine(titleOf(decision))}>
      <div className="f-h">
        <Avatar who={who} size={24} />
        <span className="ell">
          <b>{who.name}</b> {decision.kind === "answer" ? "asked you" : isOpen(decision) ? "proposes" : "proposed"},{" "}
          {decision.run}
        </span>
        <span className="grow" />
        <span className="num">
          <span className="hide-phone">{day(since)}, </span>
          <Time at={since} />
        </span>
        <Link
          className="ib"
          to="/agents/$agent/talk"
          params={{ agent }}
          search={decision.kind === "vote" ? {} : threadSearch(state, by)}
          aria-label="Open in Talk"
          title="Open in Talk"
        >
          <Icon name="out" />
        </Link>
      </div>
      {decision.kind === "vote" ? (
        <>
          <div className="f-b">
            <VoteBody state={state} vote={decision} />
          </div>
          <CastVote agent={agent} state={state} vote={decision} hot queue />
          <Foot agent={agent} state={state} decision={decision} />
        </>
      ) : (
        <div className="f-b">
          <Markdown text={decision.text} />
          <p className="vote-d">
            <Icon name="check" size={14} />
            <b>You: {visibleLine(decision.answer)}</b>
          </p>
        </div>
      )}
    </article>
  );
}

/** What silence means, and the way out. */
function Foot({
  agent,
  state,
  decision,
}: {
  agent: string;
  state: State;
  decision: Extract<Decision, { kind: "vote" }>;
}) {
  const client = useClient();
  const { attempt, say } = useToasts();
  const { proposal, run } = decision;
  if (proposal.status !== "open" || run !== state.run?.id) return null;
  const withdraw = async () => {
    const done = await attempt(client.withdrawProposal({ params: { agent, proposal: proposal.id }, body: {} }));
    if (done) say({ look: "done", text: "The proposal was withdrawn." });
  };
  return (
    <div className="def">
      <Icon name="clock" size={14} />
      <span>
        {proposal.expires_at
          ? "At the deadline the rule decides with the votes there are."
          : "It stays open until everyone has voted. The run does not end before."}
      </span>
      <Button look="ghost" onClick={() => void withdraw()}>
        Withdraw
      </Button>
    </div>
  );
}
