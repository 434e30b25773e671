/** Work that needs nobody: who is working, and what was completed today. */
import { Link } from "@tanstack/react-router";
import { headlineOf } from "../../api/board-view.ts";
import { evidenceOf } from "../../core/board/check.ts";
import type { State } from "../../core/state.ts";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { personLook, StatusDot } from "../parts/status/status.tsx";
import { Age, Time } from "../parts/text/time.tsx";
import { now } from "../platform.ts";
import { useStates } from "../store/hooks.ts";

const most = 6;
const dayMs = 86_400_000;

/** Who thinks or acts right now, over all agents. */
export const participantsAtWork = (states: readonly (readonly [string, State])[]) =>
  states.flatMap(([agent, state]) =>
    [...state.participants.values()].flatMap((one) => {
      if (one.kind === "human" || personLook(state, one).look !== "working") return [];
      const node = one.node ? state.nodes.get(one.node) : undefined;
      return [{ agent, state, one, name: one.name, node }];
    }),
  );

export function Meanwhile() {
  const states = useStates();
  const moving = participantsAtWork(states);
  const landed = states
    .flatMap(([agent, state]) =>
      [...state.nodes.values()].flatMap((node) =>
        node.status === "completed" && now() - Date.parse(node.ended_at) < dayMs ? [{ agent, state, node }] : [],
      ),
    )
    .sort((a, b) => (a.node.ended_at < b.node.ended_at ? 1 : -1));
  return (
    <>
      {moving.length ? (
        <section aria-label="Moving">
          <div className="q-h">
            <h2>Moving</h2>
            <span className="c num">{moving.length}</span>
          </div>
          {moving.slice(0, most).map(({ agent, state, one, node }) => (
            <Link
              key={`${agent}/${one.id}`}
              className="mv"
              to="/agents/$agent/talk"
              params={{ agent }}
              search={one.kind === "coordinator" ? {} : { with: one.id }}
            >
              <Avatar who={whoIs(state, one.id)} size={22} />
              <span className="ell">
                <b>{one.name}</b>
                {node ? node.name : agent}
              </span>
              {one.turn ? <Age since={one.turn.reserved_at} /> : null}
            </Link>
          ))}
        </section>
      ) : null}
      {landed.length ? (
        <section aria-label="Completed today">
          <div className="q-h">
            <h2>Completed today</h2>
            <span className="c num">{landed.length}</span>
          </div>
          {landed.slice(0, most).map(({ agent, state, node }) => (
            <Link
              key={`${agent}/${node.id}`}
              className="mv"
              to="/agents/$agent/graph"
              params={{ agent }}
              hash={node.id}
            >
              <StatusDot look="done" size={14} />
              <span className="ell" title={headlineOf(node)}>
                <b>{node.name}</b>
                {whoIs(state, node.worker).name}
              </span>
              <span className="rt-e">
                <EvidenceMark evidence={evidenceOf(node) ?? "claimed"} small />
                <Time at={node.ended_at} />
              </span>
            </Link>
          ))}
        </section>
      ) : null}
    </>
  );
}
