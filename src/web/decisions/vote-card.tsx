/** A proposal in a thread: as it stands, with the human's vote while it is open. */
import { Link } from "@tanstack/react-router";
import type { State } from "../../core/state.ts";
import { awaitsVote } from "../../core/team/proposal.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { Age } from "../parts/text/time.tsx";
import { CastVote } from "./cast-vote.tsx";
import { VoteBody } from "./vote-body.tsx";
import type { Vote } from "./votes.ts";

interface Given {
  agent: string;
  state: State | undefined;
  vote: Vote;
  hot: boolean;
  /** Shown as it was. */
  past: boolean;
}

export function VoteCard({ agent, state, vote, hot, past }: Given) {
  const { proposal, run } = vote;
  const isOpen = proposal.status === "open";
  const waits = isOpen && !past && awaitsVote(proposal, "human");
  return (
    <section className={`ask vote-c ${waits ? "" : "settled"}`} aria-label={`Proposal, ${proposal.status}`}>
      <div className="ask-h">
        {waits ? <StatusDot look="waiting" /> : <Icon name="vote" size={14} />}
        <span>
          {waits ? "Vote, waiting for you, " : isOpen ? "Vote, open for " : `Vote, ${proposal.status}`}
          {isOpen && !past ? <Age since={proposal.created_at} /> : null}
        </span>
        <span className="grow" />
        {past ? null : (
          <Link
            className="lnk"
            to="/agents/$agent/decisions"
            params={{ agent }}
            search={{ of: `${run}/${proposal.id}` }}
          >
            Decisions
          </Link>
        )}
      </div>
      <div className="ask-b vote-b">
        <VoteBody state={state} vote={vote} />
      </div>
      {state && !past ? <CastVote agent={agent} state={state} vote={vote} hot={hot} /> : null}
    </section>
  );
}
