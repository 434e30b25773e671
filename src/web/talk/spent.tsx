/** The spending of an account and its limit. */
import { costOf } from "../../api/board-view.ts";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import { tokens } from "../parts/text/words.ts";

/** `account`: agent, or worker:ID. */
export function Spent({ state, account }: { state: State; account: string }) {
  const { usd, tokens: count } = costOf(state, account);
  const limit = state.accounts.get(account)?.limit.usd;
  return (
    <section className="sec">
      <div className="sec-h">Spent</div>
      <div className="spend">
        <b>{money(usd)}</b>
        {limit === undefined ? null : <span className="dim">of {money(limit)}</span>}
        <span className="grow" />
        <span className="dim num">{tokens(count)} tokens</span>
      </div>
      {limit ? (
        <div className="meter">
          <i style={{ width: `${Math.min(100, (usd / limit) * 100)}%` }} />
        </div>
      ) : null}
    </section>
  );
}
