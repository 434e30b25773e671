/** What a node cost. */
import { costOf } from "../../api/board-view.ts";
import { money } from "../../lib/text/amounts.ts";
import { tokens } from "../parts/text/words.ts";
import type { DrawerSubject } from "./drawer.tsx";

export function Cost({ state, node, whole }: DrawerSubject) {
  const cost = costOf(state, `node:${node.id}`);
  const all = costOf(state, "agent");
  const turns = whole?.turns.filter((turn) => turn.cost) ?? [];
  const most = Math.max(...turns.map((turn) => turn.cost!.usd), 1e-9);
  return (
    <>
      <dl className="kv">
        <dt>Spent</dt>
        <dd>{money(cost.usd)}</dd>
        <dt>Tokens</dt>
        <dd>{tokens(cost.tokens)}</dd>
        <dt>Turns</dt>
        <dd>{node.turns}</dd>
        {all.usd > 0 ? (
          <>
            <dt>Of the agent</dt>
            <dd>{Math.round((cost.usd / all.usd) * 100)} %</dd>
          </>
        ) : null}
      </dl>
      {turns.length && cost.usd > 0 ? (
        <>
          <h4>By turn</h4>
          <ol className="byturn">
            {turns.map(({ turn, cost: one }, index) => (
              <li key={turn}>
                <span className="dim num">{index + 1}</span>
                <span className="meter">
                  <i style={{ width: `${(one!.usd / most) * 100}%` }} />
                </span>
                <span className="num">{money(one!.usd)}</span>
              </li>
            ))}
          </ol>
        </>
      ) : null}
    </>
  );
}
