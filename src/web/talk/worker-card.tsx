/** The current work of a worker: its node, its task, and how much of its limits is used. */
import { Link } from "@tanstack/react-router";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import type { Worker } from "../../schema/worker.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { nodeLook, StatusDot } from "../parts/status/status.tsx";
import { age, duration } from "../parts/text/words.ts";
import { useNow } from "../store/hooks.ts";

export function WorkerCard({ agent, state, one }: { agent: string; state: State; one: Worker }) {
  const now = useNow();
  const node = state.nodes.get(one.node ?? one.done.at(-1) ?? "");
  if (!node) return null;
  const { look, word } = nodeLook(node.status);
  const account = state.accounts.get(`node:${node.id}`);
  const usd = account?.spent.usd ?? 0;
  const limit = account?.limit.usd;
  const began = "started_at" in node ? node.started_at : undefined;
  const took = began
    ? "ended_at" in node
      ? duration(Date.parse(node.ended_at) - Date.parse(began))
      : age(began, now)
    : "not yet";
  return (
    <section className="work" aria-label={`${node.id}: ${word}`}>
      <div className="work-h">
        <StatusDot look={look} size={14} word={word} />
        <span className="mono">{node.id}</span>
        <h2 className="ell">{node.name}</h2>
        <span className="grow" />
        <Link className="btn ghost" to="/agents/$agent/graph" params={{ agent }} hash={node.id}>
          <Icon name="graph" />
          Show in graph
        </Link>
      </div>
      <p className="two">{node.task}</p>
      <dl className="gauges">
        <Gauge name="turns" value={`${node.turns}`} of={`${node.max_turns}`} share={node.turns / node.max_turns} />
        <Gauge
          name="time"
          value={took}
          of={duration(node.timeout_seconds * 1000)}
          share={began ? (now - Date.parse(began)) / (node.timeout_seconds * 1000) : 0}
        />
        <Gauge
          name="cost"
          value={money(usd)}
          of={limit === undefined ? undefined : money(limit)}
          share={limit ? usd / limit : 0}
        />
      </dl>
    </section>
  );
}

function Gauge({ name, value, of, share }: { name: string; value: string; of: string | undefined; share: number }) {
  return (
    <div>
      <dt className="sr">{name}</dt>
      <dd>
        <b>{value}</b> {of === undefined ? null : <span className="dim">of {of}</span>}
        {name === "turns" ? <span className="dim"> turns</span> : null}
        <div className="meter">
          <i style={{ width: `${Math.max(0, Math.min(100, share * 100))}%` }} />
        </div>
      </dd>
    </div>
  );
}
