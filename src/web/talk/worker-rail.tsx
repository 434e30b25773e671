/** Details of a worker, beside its thread: model, tools, nodes, published files, spending. */

import type { ReactNode } from "react";
import { evidenceOf } from "../../core/board/check.ts";
import { modelOf } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import type { Worker } from "../../schema/worker.ts";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { nodeLook, personLook, StatusWord } from "../parts/status/status.tsx";
import { type Named, NodeChip } from "../parts/text/named.tsx";
import { Age } from "../parts/text/time.tsx";
import { Published } from "./published.tsx";
import { Spent } from "./spent.tsx";
import { ShownToTurn } from "./turn-context.tsx";

interface Given {
  agent: string;
  state: State;
  one: Worker;
  open: Named["open"];
}

export function WorkerRail({ agent, state, one, open }: Given) {
  const nodes = [...state.nodes.values()].filter((node) => "worker" in node && node.worker === one.id);
  const done = nodes.filter(({ status }) => status === "completed").length;
  const failed = nodes.filter(({ status }) => status === "failed").length;
  const working = nodes.length - done - failed;
  const { look, word } = personLook(state, one);
  const asks = [...state.questions.values()].find(({ by, status }) => by === one.id && status === "open");
  return (
    <aside className="rail" aria-label={`About ${one.name}`}>
      <section className="sec">
        <div className="sec-h">
          {one.name}
          <span className="r">
            <StatusWord look={look} word={word} />
          </span>
        </div>
        {one.role ? <p className="role">{one.role}</p> : null}
        {asks ? (
          <p className="role waiting">
            Waits for your answer, <Age since={asks.asked_at} />
          </p>
        ) : null}
        <dl className="kv">
          <Fact name="Backend">{modelOf(state, one) ?? state.agent?.model ?? "the agent's"}</Fact>
          <Fact name="Kind">{kindOf(one)}</Fact>
          <Fact name="Nodes">{counts({ done, failed, working }) || "none yet"}</Fact>
          <Fact name="Turns">
            {one.turns}
            {one.max_turns ? `, at most ${one.max_turns} a node` : ""}
          </Fact>
          <Fact name="Tools">{one.tools ? one.tools.join(", ") || "none" : "all that workers may use"}</Fact>
        </dl>
      </section>
      <Spent state={state} account={`worker:${one.id}`} />
      <ShownToTurn agent={agent} participant={one.id} turns={one.turns} />
      {nodes.length ? (
        <section className="sec">
          <div className="sec-h">
            Nodes<span className="r">{nodes.length}</span>
          </div>
          <ul className="own">
            {nodes.slice(-12).map((node) => (
              <li key={node.id}>
                <NodeChip agent={agent} open={open} id={node.id} />
                <span className="r">
                  {node.status === "completed" ? (
                    <EvidenceMark evidence={evidenceOf(node)!} />
                  ) : (
                    nodeLook(node.status).word.toLowerCase()
                  )}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Published agent={agent} nodes={nodes} note={({ id }) => id.replace(/-.*/, "")} />
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

const kindOf = ({ kind, single_inference }: Worker): string =>
  kind === "autonomous" ? "Agent program" : single_inference ? "Single answer" : "Harnessed";

const counts = (of: Record<string, number>): string =>
  Object.entries(of)
    .flatMap(([word, count]) => (count ? [`${count} ${word}`] : []))
    .join(", ");
