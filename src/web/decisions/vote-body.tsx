/** A proposal whole: its question, its rule, who has voted, and for each option who chose it and why. The same in the thread, the queue and Decisions. */

import type { State } from "../../core/state.ts";
import { bindingText } from "../../core/team/binding.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Proposal } from "../../schema/proposal.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Headline } from "../parts/text/headline.tsx";
import { Time } from "../parts/text/time.tsx";
import { day } from "../parts/text/words.ts";
import { useNow } from "../store/hooks.ts";
import { abstainersOf, castCount, outcomeOf, ruleWords, tallyOf, timeLeft } from "./tally.ts";
import type { Ballot, Vote } from "./votes.ts";

interface Given {
  state: State | undefined;
  vote: Vote;
}

export function VoteBody({ state, vote }: Given) {
  const { proposal, ballots } = vote;
  return (
    <>
      <Headline text={proposal.text} />
      <Outcome vote={vote} />
      <Bound proposal={proposal} />
      <div className="vote-r">
        <Seats state={state} vote={vote} />
        <Rule vote={vote} />
      </div>
      <ol className="vote-o" aria-label="Options and votes">
        {tallyOf(proposal).map(({ option, words }, index) => {
          const mine = ballots.filter((ballot) => ballot.option === option);
          const won =
            proposal.status === "settled" && proposal.verdict.result === "won" && proposal.verdict.option === option;
          return (
            <li key={option} className={won ? "won" : ""}>
              {won ? <Icon name="check" size={14} /> : <span className="n num">{index + 1}</span>}
              <span className="t">{visibleLine(option)}</span>
              <span className="k num">{words}</span>
              {mine.length ? <Whys state={state} ballots={mine} /> : null}
            </li>
          );
        })}
      </ol>
      <Abstained state={state} vote={vote} />
      <Delegated state={state} proposal={proposal} />
      <Review proposal={proposal} />
    </>
  );
}

/** What the runtime does with the result, and what came of it. */
function Bound({ proposal }: { proposal: Proposal }) {
  if (!proposal.binding) return null;
  const effect = proposal.status === "settled" ? proposal.effect : undefined;
  return (
    <p className="vote-e">
      <Icon name="lock" size={14} />
      <span>
        <b>Binding</b> {visibleLine(effect ?? bindingText(proposal.binding))}
      </span>
    </p>
  );
}

/** Who votes as another one does. */
function Delegated({ state, proposal }: { state: State | undefined; proposal: Proposal }) {
  const all = Object.entries(proposal.delegations ?? {});
  if (!all.length) return null;
  return (
    <section className="vote-n" aria-label="Delegated">
      <span className="dim">Delegated</span>
      <ul className="vote-w">
        {all.map(([voter, to]) => (
          <li key={voter}>
            <Avatar who={whoIs(state, voter)} />
            <span>
              <b>{whoIs(state, voter).name}</b> votes as <b>{whoIs(state, to).name}</b> does
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** When to ask whether it is still right, and that it is time. */
function Review({ proposal }: { proposal: Proposal }) {
  const { review_at, status } = proposal;
  if (review_at === undefined || status === "withdrawn") return null;
  const isDue = status === "settled" && proposal.review_due === true;
  return (
    <p className={`vote-e ${isDue ? "due" : ""}`}>
      <Icon name="clock" size={14} />
      <span>
        <b>{isDue ? "Look at it again:" : "To be looked at again"}</b>{" "}
        {isDue
          ? `its review was set for ${day(review_at)}. Propose it anew if it is no longer right.`
          : `on ${day(review_at)}`}
      </span>
    </p>
  );
}

function Abstained({ state, vote: { proposal, ballots } }: Given) {
  const who = abstainersOf(proposal);
  if (!who.length) return null;
  return (
    <section className="vote-n" aria-label="Abstained">
      <span className="dim">Abstained</span>
      <Whys state={state} ballots={ballots.filter(({ voter }) => who.includes(voter))} />
    </section>
  );
}

function Outcome({ vote: { proposal } }: Pick<Given, "vote">) {
  if (proposal.status === "open") return null;
  const { decided, words } = outcomeOf(proposal);
  return (
    <p className={`vote-d ${decided ? "" : "none"}`}>
      <Icon name={decided ? "check" : "x"} size={14} />
      <b>{words}</b>
      <span className="dim">
        {proposal.status === "settled" && proposal.expired ? "at the deadline, " : ""}
        <Time at={proposal.ended_at} />
      </span>
    </p>
  );
}

function Rule({ vote: { proposal } }: Pick<Given, "vote">) {
  const now = useNow(1_000);
  const left = proposal.status === "open" ? timeLeft(proposal, now) : undefined;
  const cast = castCount(proposal);
  const missing = proposal.rule.quorum - cast;
  return (
    <>
      <span className="grow">
        {ruleWords(proposal)}
        {left ? `, ${left}` : ""}
      </span>
      <span className="num">
        {missing > 0 ? `${missing} missing for the quorum` : `${cast} of ${proposal.voters.length} voted`}
      </span>
    </>
  );
}

/** Who may vote: those who have, as they are; the others pale. */
function Seats({ state, vote: { proposal } }: Given) {
  const names = (ids: readonly string[]) => ids.map((id) => whoIs(state, id).name).join(", ");
  const voted = proposal.voters.filter((id) => Object.hasOwn(proposal.votes, id));
  const others = proposal.voters.filter((id) => !voted.includes(id));
  const said = [voted.length ? `voted: ${names(voted)}` : "", others.length ? `not yet: ${names(others)}` : ""];
  return (
    <span className="seats" role="img" aria-label={said.filter(Boolean).join("; ")}>
      {[...voted, ...others].slice(0, 8).map((id) => (
        <span
          key={id}
          className={`seat ${voted.includes(id) ? "" : id === "human" && proposal.status === "open" ? "me" : "no"}`}
          title={`${whoIs(state, id).name} ${voted.includes(id) ? "has voted" : "has not voted"}`}
        >
          <Avatar who={whoIs(state, id)} size={22} />
        </span>
      ))}
      {proposal.voters.length > 8 ? <span className="num">+{proposal.voters.length - 8}</span> : null}
    </span>
  );
}

function Whys({ state, ballots }: { state: State | undefined; ballots: readonly Ballot[] }) {
  return (
    <ul className="vote-w">
      {ballots.map(({ voter, reason, at }) => {
        const who = whoIs(state, voter);
        return (
          <li key={voter}>
            <Avatar who={who} />
            <span>
              <b>{who.name}</b> {reason ? visibleLine(reason) : <span className="dim">gave no reason</span>}
            </span>
            {at === undefined ? null : <Time at={at} />}
          </li>
        );
      })}
    </ul>
  );
}
