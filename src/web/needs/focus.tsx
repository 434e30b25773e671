/** The open item of the queue: its text, the actions on it, what happens without an answer, and what it holds up. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { visibleLine } from "../../lib/text/visible.ts";
import { CastVote } from "../decisions/cast-vote.tsx";
import { VoteBody } from "../decisions/vote-body.tsx";
import { voteIn } from "../decisions/votes.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { ApprovalMark } from "../parts/question/approval-mark.tsx";
import { HostAnswers, HostShown } from "../parts/question/host-asked.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { nodeLook, StatusDot } from "../parts/status/status.tsx";
import { Time } from "../parts/text/time.tsx";
import { clock, duration } from "../parts/text/words.ts";
import { useNow } from "../store/hooks.ts";
import { threadSearch } from "../store/main-thread.ts";
import type { Acts } from "./acts.ts";
import { Answer } from "./answer.tsx";
import { Approve } from "./approve.tsx";
import { Channel, Lost, Stopped, Stuck } from "./others.tsx";
import { askerOf, type Need } from "./queue.ts";

export interface ForOne<N extends Need = Need> {
  need: N;
  acts: Acts;
  /** The way to put it off, which stands beside the others. */
  later: ReactNode;
}

export function Focus({ need, acts, later }: ForOne) {
  const by = askerOf(need)?.by;
  const asker = by === undefined ? undefined : whoIs(need.state, by);
  return (
    <>
      <section className="need-focus" aria-label={spoken(need)}>
        {need.kind === "approval" || need.kind === "host" ? (
          <ApprovalMark tool={need.question.approves?.tool} host={need.question.host?.host} />
        ) : null}
        <div className="f-h">
          {asker ? <Avatar who={asker} size={24} /> : <Icon name={need.kind === "channel" ? "globe" : "alert"} />}
          <span className="ell">
            <b>{asker?.name ?? need.agent}</b> {verbOf(need)}
            {asker ? `, ${need.agent}` : ""}
          </span>
          <span className="grow" />
          {need.since ? (
            <span>
              {asker ? "asked" : "since"} <Time at={need.since} />
            </span>
          ) : null}
          <Link
            className="ib"
            to="/agents/$agent/talk"
            params={{ agent: need.agent }}
            // What is voted on stands in the thread of all.
            search={need.kind === "vote" || !asker ? {} : threadSearch(need.state, asker.id)}
            aria-label="Open in Talk"
            title="Open in Talk (O)"
          >
            <Icon name="out" />
          </Link>
        </div>
        <div className="f-b">{bodyOf(need, acts, later)}</div>
        {need.kind === "question" ? <Otherwise need={need} /> : null}
        {need.kind === "vote" && need.state ? (
          <CastVote
            hot
            queue
            agent={need.agent}
            state={need.state}
            vote={voteIn(need.state.run?.id, need.proposal)}
            later={later}
          />
        ) : null}
      </section>
      <Behind need={need} />
    </>
  );
}

/** What the section is called: the kind comes first, so that no title can pass for another kind. */
function spoken({ kind, title }: Need): string {
  if (kind === "approval" || kind === "host") return `Approval: ${title}`;
  if (kind === "vote") return `Vote: ${title}`;
  return kind === "question" ? `Question: ${title}` : title;
}

function bodyOf(need: Need, acts: Acts, later: ReactNode): ReactNode {
  switch (need.kind) {
    case "question":
      return <Answer need={need} acts={acts} later={later} />;
    case "approval":
      return <Approve need={need} acts={acts} later={later} />;
    case "host":
      return <Host need={need} acts={acts} later={later} />;
    case "vote":
      return <VoteBody state={need.state} vote={voteIn(need.state?.run?.id, need.proposal)} />;
    case "stopped":
      return <Stopped need={need} acts={acts} later={later} />;
    case "stuck":
      return <Stuck need={need} acts={acts} later={later} />;
    case "lost":
      return <Lost need={need} acts={acts} later={later} />;
    case "channel":
      return <Channel need={need} acts={acts} later={later} />;
  }
}

function verbOf({ kind }: Need): string {
  if (kind === "question") return "asks";
  if (kind === "host") return "wants to reach a host";
  if (kind === "vote") return "proposes";
  return kind === "approval" ? "asks for your yes" : "";
}

/** A host that a command wants to reach. It goes on as soon as it is answered. */
function Host({ need, acts, later }: ForOne<Extract<Need, { kind: "host" }>>) {
  const { question, state } = need;
  return (
    <>
      <h2>
        May a command reach <span className="mono">{question.host?.host}</span>?
      </h2>
      <HostShown state={state} question={question} />
      <HostAnswers keys answer={(response) => acts.answer(need, response)} />
      <div className="act">{later}</div>
    </>
  );
}

/** What silence means, and how long it may last. */
function Otherwise({ need }: { need: Extract<Need, { kind: "question" }> }) {
  const now = useNow(1_000);
  const { question, state } = need;
  const { deadline, default: otherwise, asked_at, by } = question;
  const name = whoIs(state, by).name;
  if (!deadline)
    return (
      <div className="def">
        <Icon name="clock" size={14} />
        <span>{name} waits until you answer. Others go on.</span>
      </div>
    );
  const [from, until] = [Date.parse(asked_at), Date.parse(deadline)];
  const share = Math.min(1, Math.max(0, (now - from) / Math.max(1, until - from)));
  return (
    <div className="def">
      <Icon name="clock" size={14} />
      <span>
        {otherwise
          ? `If you say nothing, ${name} takes “${visibleLine(otherwise)}” at ${clock(deadline)}`
          : `If you say nothing, ${name} continues without an answer at ${clock(deadline)}`}
      </span>
      <span className="num">{until > now ? `${duration(until - now)} left` : "over"}</span>
      <div className="meter">
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

const mostShown = 3;

function Behind({ need: { agent, state, node, holds } }: { need: Need }) {
  if (!state || holds.length === 0) return null;
  const nodes = [...(node ? [node] : []), ...holds].flatMap((id) => state.nodes.get(id) ?? []);
  const rest = nodes.length - mostShown;
  return (
    <section className="ny-chain" aria-label="What this holds up">
      <div className="ny-chain-h">What this holds up</div>
      <ol>
        {nodes.slice(0, mostShown).map((one) => (
          <li key={one.id} className={one.id === node ? "first" : ""}>
            <Link to="/agents/$agent/graph" params={{ agent }} hash={one.id} title={one.name}>
              <StatusDot look={one.id === node ? "waiting" : nodeLook(one.status).look} />
              <span className="mono ell">{one.id}</span>
              {"worker" in one && one.worker ? <span className="dim">{whoIs(state, one.worker).name}</span> : null}
            </Link>
          </li>
        ))}
        {rest > 0 ? <li>and {rest} more</li> : null}
      </ol>
    </section>
  );
}
