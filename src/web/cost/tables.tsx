/** Tables of cost: per worker (with the share read from the cache), model, run, node and agent. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Summary } from "../../api/agents.ts";
import type { Spending } from "../../api/spending.ts";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { nodeLook, StatusDot } from "../parts/status/status.tsx";
import { plural, tokens } from "../parts/text/words.ts";
import { Bars } from "./bars.tsx";
import { cachedShare, modelOf, type Sum, sumBy, unnamedModel } from "./view.ts";

interface Of {
  rows: readonly Spending[];
  state: State;
  /** The time it is of, in words. */
  when: string;
}

const percent = (share: number) => `${Math.round(share * 100)}%`;
/** Money, or that nobody knows. */
const price = ({ usd, calls, unpriced }: Sum): string =>
  calls > 0 && unpriced === calls && usd === 0 ? "no price" : money(usd);

function person(state: State, id: string): ReactNode {
  const who = whoIs(state, id);
  return (
    <>
      <Avatar who={who} size={20} />
      <span className="ell">{who.name}</span>
    </>
  );
}

export function Workers({ rows, state, when }: Of) {
  const sums = sumBy(rows, ({ worker }) => worker);
  const priced = sums.some(({ usd }) => usd > 0);
  const shares = sums.map((sum) => ({
    key: sum.key,
    name: person(state, sum.key),
    part: priced ? sum.usd : sum.tokens,
    value: priced ? price(sum) : tokens(sum.tokens),
  }));
  return (
    <section className="cd c4" aria-label="Per worker">
      <h2>
        Per worker <span>{when}</span>
      </h2>
      {shares.length ? <Bars shares={shares} /> : <p>Nobody has asked a model {when}.</p>}
    </section>
  );
}

export function Cache({ rows, state, when }: Of) {
  const sums = sumBy(rows, ({ worker }) => worker).filter(({ input }) => input > 0);
  const [all] = sumBy(rows, () => "all");
  const shares = sums.map((sum) => ({
    key: sum.key,
    name: person(state, sum.key),
    part: cachedShare(sum),
    value: percent(cachedShare(sum)),
  }));
  return (
    <section className="cd c4" aria-label="From cache">
      <h2>
        From cache <span>share of input tokens, {when}</span>
      </h2>
      {shares.length ? <Bars shares={shares} most={1} /> : <p>No model has told of its cache {when}.</p>}
      {all && shares.length > 1 ? (
        <p>
          {percent(cachedShare(all))} of all input, {tokens(all.cache_read)} of {tokens(all.input)} tokens, was read
          from the cache.
        </p>
      ) : null}
    </section>
  );
}

export function Agents({ summaries, agent }: { summaries: readonly Summary[]; agent: string }) {
  const shares = summaries
    .filter(({ id, cost }) => cost.usd > 0 || id === agent)
    .toSorted((a, b) => b.cost.usd - a.cost.usd)
    .slice(0, 7)
    .map(({ id, cost: { usd } }) => ({
      key: id,
      name: (
        <Link className={`ell ${id === agent ? "" : "lnk"}`} to="/agents/$agent/cost" params={{ agent: id }} title={id}>
          {id}
        </Link>
      ),
      part: usd,
      value: money(usd),
    }));
  return (
    <section className="cd c4" aria-label="Per agent">
      <h2>
        Per agent <span>over their lives</span>
      </h2>
      <Bars shares={shares} />
    </section>
  );
}

interface Column {
  name: string;
  show(sum: Sum): ReactNode;
}

const inOut: Column = {
  name: "Tokens in, out",
  show: ({ input, output, tokens: all }) => (input ? `${tokens(input)}, ${tokens(output)}` : tokens(all)),
};
const fromCache: Column = { name: "From cache", show: (sum) => (sum.input ? percent(cachedShare(sum)) : "") };
const calls: Column = { name: "Calls", show: ({ calls: count }) => count };
const cost: Column = { name: "Cost", show: (sum) => <b>{price(sum)}</b> };

function Table({ label, columns, sums }: { label: string; columns: readonly Column[]; sums: readonly Sum[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where there is little room
    <section className="scroll-x" tabIndex={0} aria-label={`Table ${label}`}>
      <table className="nt">
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <tr key={sum.key}>
              {columns.map(({ name, show }) => (
                <td key={name}>{show(sum)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Models({ rows, when }: Omit<Of, "state">) {
  const sums = sumBy(rows, modelOf);
  const unpriced = sums.filter((sum) => sum.unpriced > 0).map(({ key }) => key);
  const columns: Column[] = [
    { name: "Model", show: ({ key }) => <span className={key === unnamedModel ? "dim" : "mono"}>{key}</span> },
    calls,
    inOut,
    fromCache,
    { name: "Written to cache", show: ({ cache_write }) => tokens(cache_write) },
    cost,
  ];
  return (
    <section className="cd c12" aria-label="Per model">
      <h2>
        Per model <span>{when}</span>
        <span className="r">
          {plural(
            sums.reduce((total, { calls: count }) => total + count, 0),
            "call",
          )}
        </span>
      </h2>
      {sums.length ? <Table label="per model" columns={columns} sums={sums} /> : <p>No model was asked {when}.</p>}
      {unpriced.length ? (
        <p>
          Nobody knows the price of {unpriced.join(", ")}: it counts as nothing. Prices are set in config.yaml, under
          models.
        </p>
      ) : null}
    </section>
  );
}

/** Every run there was, whatever is chosen above. */
export function Runs({ rows, state }: { rows: readonly Spending[]; state: State }) {
  const days = new Map<string, string>();
  for (const { run, day } of rows) if (run && !days.has(run)) days.set(run, day);
  const sums = sumBy(rows, ({ run }) => run).sort((a, b) => Number(b.key.slice(1)) - Number(a.key.slice(1)));
  const columns: Column[] = [
    {
      name: "Run",
      show: ({ key }) => (
        <span>
          {key}{" "}
          {key === state.run?.id ? <span className="dim">{state.run.status === "open" ? "now" : "last"}</span> : null}
        </span>
      ),
    },
    { name: "Began", show: ({ key }) => days.get(key) ?? "" },
    calls,
    inOut,
    fromCache,
    cost,
  ];
  return (
    <section className="cd c12" aria-label="Per run">
      <h2>
        Per run <span>over its life</span>
        <span className="r">{plural(sums.length, "run")}</span>
      </h2>
      {sums.length ? <Table label="per run" columns={columns} sums={sums.slice(0, 50)} /> : <p>No cost yet.</p>}
    </section>
  );
}

export function Nodes({
  rows,
  state,
  agent,
  run,
}: {
  rows: readonly Spending[];
  state: State;
  agent: string;
  run: string;
}) {
  const sums = sumBy(
    rows.filter((row) => row.run === run),
    ({ node }) => node,
  );
  const here = run === state.run?.id;
  const nodeOf = (id: string) => (here ? state.nodes.get(id) : undefined);
  const columns: Column[] = [
    {
      name: "Node",
      show: ({ key }) => {
        const node = nodeOf(key);
        if (!node) return <span className="mono">{key}</span>;
        return (
          <Link to="/agents/$agent/graph" params={{ agent }} hash={key} title={node.name}>
            <StatusDot {...nodeLook(node.status)} />
            <span className="mono">{key}</span>
          </Link>
        );
      },
    },
    {
      name: "Worker",
      show: ({ key }) =>
        [
          ...new Set(
            rows.filter((row) => row.run === run && row.node === key).map(({ worker }) => whoIs(state, worker).name),
          ),
        ].join(", "),
    },
    inOut,
    fromCache,
    cost,
    {
      name: "Lease used",
      show({ key }) {
        const node = nodeOf(key);
        return node ? (
          <span title={`${node.turns} of ${node.max_turns} turns`}>{percent(node.turns / node.max_turns)}</span>
        ) : (
          ""
        );
      },
    },
  ];
  return (
    <section className="cd c12" aria-label="Per node">
      <h2>
        Per node <span>{run}</span>
        <span className="r">sorted by cost</span>
      </h2>
      {sums.length ? (
        <Table label="per node" columns={columns} sums={sums.slice(0, 200)} />
      ) : (
        <p>No node of {run || "it"} has cost anything yet.</p>
      )}
    </section>
  );
}
