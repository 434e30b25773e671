/** What an agent has spent: by day, worker, model, node, beside the other agents; what is left, and the way to change it. */
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type Cost, costView } from "../../api/cost.ts";
import { BudgetCard } from "../cost/budget.tsx";
import { type Bar, DayChart, inMoney, inTokens } from "../cost/chart.tsx";
import { Agents, Cache, Models, Nodes, Workers } from "../cost/tables.tsx";
import { Failed, Loading } from "../parts/states.tsx";
import { money } from "../parts/words.ts";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView, useNow, useSummaries } from "../store/hooks.ts";

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const summaries = useSummaries();
  const today = dayOf(useNow(60_000));
  const state = view?.state;
  const cost = state ? costView(state) : undefined;
  return (
    <>
      <AgentHeader sub="Cost" />
      {view?.problem ? (
        <Failed what={`${agent} cannot be opened`} problem={view.problem} />
      ) : !state || !cost ? (
        <Loading rows={8} />
      ) : (
        <div className="co">
          <div className="co-in">
            <BudgetCard state={state} agent={agent} today={today} />
            <Days cost={cost} run={state.accounts.get("run")?.spent.usd ?? 0} name={state.run?.id} />
            <Workers cost={cost} state={state} />
            <Cache cost={cost} />
            <Agents summaries={summaries} agent={agent} />
            <Models cost={cost} />
            <Nodes cost={cost} state={state} agent={agent} />
          </div>
        </div>
      )}
    </>
  );
}

function Days({ cost, run, name }: { cost: Cost; run: number; name: string | undefined }) {
  const [count, setCount] = useState(7);
  const now = useNow(60_000);
  const priced = cost.usd > 0 || cost.calls === 0;
  const unit = priced ? inMoney : inTokens;
  const bars: Bar[] = Array.from({ length: count }, (_, back) => {
    const ms = now - (count - 1 - back) * dayMs;
    const key = dayOf(ms);
    return {
      key,
      label: back === count - 1 ? "Today" : shortDay(ms, count),
      amount: cost.by.day[key]?.[priced ? "usd" : "tokens"] ?? 0,
    };
  });
  const sum = bars.reduce((total, { amount }) => total + amount, 0);
  return (
    <section className="cd c8" aria-label="Per day">
      <h2>
        Per day <span>all runs of this agent, days in UTC</span>
        <span className="r">
          {unit.show(sum)}
          {priced ? "" : " tokens"} in {count} days
        </span>
        <span className="seg sm">
          {[7, 30].map((days) => (
            <button
              key={days}
              type="button"
              className={days === count ? "on" : ""}
              aria-pressed={days === count}
              onClick={() => setCount(days)}
            >
              {days} days
            </button>
          ))}
        </span>
      </h2>
      <DayChart bars={bars} unit={unit} title={`${unit.name} per day in the last ${count} days`} />
      <p>
        {name ? `${name} has cost ${money(run)} so far, ` : ""}
        the agent {money(cost.usd)} over its life.
        {cost.unpriced_calls
          ? ` ${cost.unpriced_calls} of ${cost.calls} calls have no known price and count as nothing.`
          : ""}
      </p>
    </section>
  );
}

const format = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", timeZone: "UTC" });
const dense = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const shortDay = (ms: number, count: number): string => (count > 10 ? dense : format).format(ms);
