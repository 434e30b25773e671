/** The cost of an agent: by day or run and model, by worker and node, beside the other agents; and its budget. */

import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Spending } from "../../api/spending.ts";
import { BudgetCard } from "../cost/budget.tsx";
import { type Bar, inMoney, inTokens, StackChart } from "../cost/chart.tsx";
import { Agents, Cache, Models, Nodes, Runs, Workers } from "../cost/tables.tsx";
import { useSpending } from "../cost/use-spending.ts";
import { csvOf, dayOf, daysOf, modelOf, type Range, rowsInRange, sumBy } from "../cost/view.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { save } from "../parts/files/download.tsx";
import { Failed, Loading } from "../parts/status/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView, useNow, useSummaries } from "../store/hooks.ts";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const summaries = useSummaries();
  const now = useNow(60_000);
  const [range, setRange] = useState<Range>(7);
  const [chosen, setChosen] = useState<string>();
  const state = view?.state;
  const { rows, problem } = useSpending(agent, state);
  const current = state?.run?.id ?? "";
  const run = chosen ?? current;
  const wrong = view?.problem ?? problem;
  const when = range === "run" ? `in ${run}` : `in ${range} days`;
  const some = rows ? rowsInRange(rows, range, run, now) : [];
  const runs = [...new Set(rows?.flatMap((row) => row.run ?? []) ?? [])].toReversed();
  return (
    <>
      <AgentHeader />
      {wrong ? (
        <Failed what={view?.problem ? `${agent} cannot be opened` : "The cost could not be loaded"} problem={wrong} />
      ) : !state || !rows ? (
        <Loading rows={8} />
      ) : (
        <div className="co">
          <div className="co-bar">
            <fieldset className="seg" aria-label="Time">
              {(["run", 7, 30] as const).map((one) => (
                <button
                  key={one}
                  type="button"
                  className={one === range ? "on" : ""}
                  aria-pressed={one === range}
                  onClick={() => setRange(one)}
                >
                  {one === "run" ? `Run ${run}` : `${one} days`}
                </button>
              ))}
            </fieldset>
            {range === "run" && runs.length > 1 ? (
              <select
                className="pick-one"
                aria-label="Which run"
                value={run}
                onChange={({ target }) => setChosen(target.value)}
              >
                {[...new Set([current, ...runs])].map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            ) : null}
            <span className="grow" />
            <Button
              onClick={() => save(`${agent}-cost.csv`, new Blob([csvOf(some)], { type: "text/csv" }))}
              disabled={some.length === 0}
            >
              <Icon name="dl" />
              CSV
            </Button>
          </div>
          <div className="co-in">
            <BudgetCard state={state} agent={agent} today={dayOf(now)} />
            <Chart rows={rows} range={range} now={now} />
            <Workers rows={some} state={state} when={when} />
            <Cache rows={some} state={state} when={when} />
            <Agents summaries={summaries} agent={agent} />
            <Models rows={some} when={when} />
            <Nodes rows={rows} state={state} agent={agent} run={range === "run" ? run : current} />
            <Runs rows={rows} state={state} />
          </div>
        </div>
      )}
    </>
  );
}

const mostRuns = 12;

/** Of days, or, where it is about a run, of the last runs. */
function Chart({ rows, range, now }: { rows: readonly Spending[]; range: Range; now: number }) {
  const ofRuns = range === "run";
  const keyOf = ({ run, day }: Spending) => (ofRuns ? run : day);
  const keys = ofRuns ? [...new Set(rows.flatMap(({ run }) => run ?? []))].slice(-mostRuns) : daysOf(range, now);
  const these = rows.filter((row) => keys.includes(keyOf(row) ?? ""));
  const priced = these.some(({ usd }) => usd > 0) || these.every(({ unpriced }) => unpriced === 0);
  const unit = priced ? inMoney : inTokens;
  const amount = priced ? "usd" : "tokens";
  const sums = sumBy(these, modelOf);
  const bars: Bar[] = keys.map((key, index) => ({
    key,
    label: ofRuns ? key : index === keys.length - 1 ? "Today" : shortDay(key, keys.length),
    parts: sumBy(
      these.filter((row) => keyOf(row) === key),
      modelOf,
    ).map((sum) => ({ model: sum.key, amount: sum[amount] })),
  }));
  const whole = sums.reduce((total, sum) => total + sum[amount], 0);
  const noPrice = new Set(sums.filter(({ calls, unpriced }) => unpriced === calls && calls > 0).map(({ key }) => key));
  const title = ofRuns ? "Per run and model" : "Per day and model";
  return (
    <section className="cd c8" aria-label={title}>
      <h2>
        {title} <span>{ofRuns ? "the last runs of this agent" : "all runs of this agent, days in UTC"}</span>
        <span className="r">
          {unit.show(whole)}
          {priced ? "" : " tokens"} in {ofRuns ? `${keys.length} runs` : `${range} days`}
        </span>
      </h2>
      <StackChart
        bars={bars}
        models={sums.map(({ key }) => key)}
        unit={unit}
        of={ofRuns ? "Run" : "Day"}
        title={`${unit.name} ${title.toLowerCase()}`}
        noteOf={(model) => (noPrice.has(model) ? ", no price" : "")}
      />
    </section>
  );
}

const format = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", timeZone: "UTC" });
const dense = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const shortDay = (day: string, count: number): string => (count > 10 ? dense : format).format(Date.parse(day));
