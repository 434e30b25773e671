/** Who and what it was spent on: people, models with their share from the cache, nodes, agents. */
import { Link } from "@tanstack/react-router";
import type { Summary } from "../../api/agents.ts";
import type { Cost } from "../../api/cost.ts";
import type { State } from "../../core/state.ts";
import { Avatar, whoIs } from "../parts/avatar.tsx";
import { nodeLook, StatusDot } from "../parts/status.tsx";
import { money, plural, tokens } from "../parts/words.ts";
import { Bars } from "./bars.tsx";

export function Workers({ cost, state }: { cost: Cost; state: State }) {
  const shares = Object.entries(cost.by.worker)
    .sort(([, a], [, b]) => b.usd - a.usd || b.tokens - a.tokens)
    .map(([id, { usd, tokens: count }]) => {
      const who = whoIs(state, id);
      return {
        key: id,
        name: (
          <>
            <Avatar who={who} size={20} />
            <span className="ell">{who.name}</span>
          </>
        ),
        part: cost.usd ? usd : count,
        value: cost.usd ? money(usd) : tokens(count),
      };
    });
  return (
    <section className="cd c4" aria-label="Per worker">
      <h2>
        Per worker <span>in this run</span>
      </h2>
      {shares.length ? <Bars shares={shares} /> : <p>Nobody has asked a model in this run.</p>}
    </section>
  );
}

const cached = ({ input, cache_read }: { input: number; cache_read: number }) => (input ? cache_read / input : 0);
const percent = (share: number) => `${Math.round(share * 100)}%`;

export function Cache({ cost }: { cost: Cost }) {
  const shares = Object.entries(cost.by.model).map(([model, used]) => ({
    key: model,
    name: (
      <span className="ell" title={model}>
        {model.split("/").at(-1)}
      </span>
    ),
    part: cached(used),
    value: percent(cached(used)),
  }));
  return (
    <section className="cd c4" aria-label="From cache">
      <h2>
        From cache <span>share of input tokens</span>
      </h2>
      {shares.length ? <Bars shares={[...shares, whole(cost)]} /> : <p>No model was asked yet.</p>}
    </section>
  );
}

function whole({ input_tokens: input, cache_read_tokens: cache_read }: Cost) {
  const share = cached({ input, cache_read });
  return { key: " all", name: <b>All models</b>, part: share, value: percent(share) };
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

export function Models({ cost }: { cost: Cost }) {
  const models = Object.entries(cost.by.model).sort(([, a], [, b]) => b.usd - a.usd || b.input - a.input);
  return (
    <section className="cd c12" aria-label="Per model">
      <h2>
        Per model <span>over its life</span>
        <span className="r">{plural(cost.calls, "call")}</span>
      </h2>
      {models.length ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where there is little room
        <section className="scroll-x" tabIndex={0} aria-label="Table per model">
          <table className="nt">
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">Calls</th>
                <th scope="col">Tokens in</th>
                <th scope="col">Tokens out</th>
                <th scope="col">From cache</th>
                <th scope="col">Written to cache</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {models.map(([model, used]) => (
                <tr key={model}>
                  <td className="mono">{model}</td>
                  <td>{used.calls}</td>
                  <td>{tokens(used.input)}</td>
                  <td>{tokens(used.output)}</td>
                  <td>{percent(cached(used))}</td>
                  <td>{tokens(used.cache_write)}</td>
                  <td>
                    <b>{used.unpriced === used.calls ? "no price" : money(used.usd)}</b>
                    {used.unpriced && used.unpriced < used.calls ? ` + ${used.unpriced} without a price` : ""}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        <p>No model was asked yet.</p>
      )}
    </section>
  );
}

export function Nodes({ cost, state, agent }: { cost: Cost; state: State; agent: string }) {
  const nodes = Object.entries(cost.by.node).sort(([, a], [, b]) => b.usd - a.usd || b.tokens - a.tokens);
  return (
    <section className="cd c12" aria-label="Per node">
      <h2>
        Per node <span>{state.run?.id}</span>
        <span className="r">sorted by cost</span>
      </h2>
      {nodes.length ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where there is little room
        <section className="scroll-x" tabIndex={0} aria-label="Table per node">
          <table className="nt">
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col">Worker</th>
                <th scope="col">Turns</th>
                <th scope="col">Tokens</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {nodes.map(([id, { usd, tokens: count }]) => {
                const node = state.nodes.get(id);
                return (
                  <tr key={id}>
                    <td>
                      <Link to="/agents/$agent/graph" params={{ agent }} hash={id}>
                        {node ? <StatusDot {...nodeLook(node.status)} /> : null}
                        <span className="mono">{id}</span>
                      </Link>
                    </td>
                    <td>{node && "worker" in node && node.worker ? whoIs(state, node.worker).name : ""}</td>
                    <td>{node ? `${node.turns} of ${node.max_turns}` : ""}</td>
                    <td>{tokens(count)}</td>
                    <td>
                      <b>{money(usd)}</b>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      ) : (
        <p>No node of this run has cost anything yet.</p>
      )}
    </section>
  );
}
