/** One decision in the list: the question, what came of it, who decided and when. */

import type { State } from "../../core/state.ts";
import { awaitsVote } from "../../core/team/proposal.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { clock, day, shortGoal } from "../parts/text/words.ts";
import { useHeld, useNow } from "../store/hooks.ts";
import { type Decision, decidedAt, isOpen, titleOf } from "./decisions.ts";
import { outcomeOf, scoreOf, timeLeft } from "./tally.ts";

interface Given {
  agent: string;
  state: State;
  decision: Decision;
  on: boolean;
  open(): void;
}

export function DecisionRow({ agent, state, decision, on, open }: Given) {
  const now = useNow();
  const held = useHeld().some((one) => `${one.agent}/${state.run?.id}/${one.question}` === `${agent}/${decision.key}`);
  const mine = decision.kind === "vote" && !held && awaitsVote(decision.proposal, "human");
  const { decided, words } =
    decision.kind === "vote"
      ? outcomeOf(decision.proposal)
      : { decided: true, words: visibleLine(shortGoal(decision.answer, 120)) };
  return (
    <li>
      <button
        type="button"
        className={`it ${on ? "on" : ""}`}
        aria-current={on ? "true" : undefined}
        data-need={`${agent}/${decision.key}`}
        onClick={open}
      >
        <span className={`ny-kind ${mine ? "waiting" : "neutral"}`}>
          <Icon name={decision.kind === "vote" ? "vote" : "help"} />
        </span>
        <span className="tx">
          <b>{visibleLine(titleOf(decision))}</b>
          <span className="ell">
            {isOpen(decision) ? null : (
              <Icon name={decided ? "check" : "x"} size={12} className={decided ? "ok" : ""} />
            )}
            {words}
          </span>
        </span>
        <span className="rt">
          {decision.kind === "vote" && isOpen(decision) ? (
            <>
              <span>{timeLeft(decision.proposal, now) ?? "no deadline"}</span>
              {mine ? <span className="hold">your vote</span> : <span>open</span>}
            </>
          ) : (
            <>
              <span className="faces-r">
                <Faces state={state} decision={decision} />
                <span className="num">{shortDay(decidedAt(decision), now)}</span>
              </span>
              {isDue(decision) ? (
                <span className="hold">look again</span>
              ) : (
                <span>{decision.kind === "vote" ? scoreOf(decision.proposal) : "your answer"}</span>
              )}
            </>
          )}
        </span>
      </button>
    </li>
  );
}

const isDue = (one: Decision): boolean =>
  one.kind === "vote" && one.proposal.status === "settled" && one.proposal.review_due === true;

function Faces({ state, decision }: Pick<Given, "state" | "decision">) {
  const ids = decision.kind === "answer" ? ["human"] : decision.ballots.map(({ voter }) => voter);
  return (
    <span className="faces">
      {ids.slice(0, 4).map((id) => (
        <Avatar key={id} who={whoIs(state, id)} size={16} />
      ))}
    </span>
  );
}

/** The clock today, else the day. */
function shortDay(at: string, now: number): string {
  if (day(at) === day(new Date(now).toISOString())) return clock(at);
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }).format(Date.parse(at));
}
