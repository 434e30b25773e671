/** The run now, beside the thread: who does what, how far the stages are, what was spent, what there is to read. */

import { Link } from "@tanstack/react-router";
import { headlineOf } from "../../api/board-view.ts";
import type { State } from "../../core/state.ts";
import { isTainted } from "../../core/turn/taint.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Node } from "../../schema/node.ts";
import type { Thinker } from "../../schema/worker.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { type Look, nodeLookIn, personLook, StatusDot } from "../parts/status/status.tsx";
import { Words } from "../parts/text/named.tsx";
import { Age } from "../parts/text/time.tsx";
import { plural } from "../parts/text/words.ts";
import { Published } from "./published.tsx";
import { Spent } from "./spent.tsx";
import { ShownToTurn } from "./turn-context.tsx";

export function Rail({ agent, state }: { agent: string; state: State }) {
  const people = [...state.participants.values()].filter((one): one is Thinker => one.kind !== "human" && !one.retired);
  const workers = people.filter((one) => one.kind !== "coordinator");
  const working = people.filter((one) => personLook(state, one).look === "working").length;
  const leader = people.find((one) => one.kind === "coordinator");
  const shown = workers.length ? workers : people;
  return (
    <aside className="rail" aria-label="The run now">
      <section className="sec">
        <div className="sec-h">
          Now<span className="r">{working ? `${working} of ${people.length} at work` : "nobody at work"}</span>
        </div>
        <ul className="now">
          {shown.map((one) => (
            <Person key={one.id} agent={agent} state={state} one={one} />
          ))}
        </ul>
      </section>
      <Stages state={state} />
      <Outside state={state} />
      <Spent state={state} account="agent" />
      {leader ? <ShownToTurn agent={agent} participant={leader.id} turns={leader.turns} /> : null}
      <Published agent={agent} nodes={state.nodes.values()} note={({ worker }) => whoIs(state, worker).name} />
    </aside>
  );
}

/** Work comes before what failed, and what another node stands in for counts no more; done is only what is all done. */
export function stageLook(state: State, done: boolean, nodes: readonly Node[]): Look {
  const looks = nodes.map((node) => nodeLookIn(state, node).look);
  const replaced = new Set([...state.nodes.values()].map(({ retry_of }) => retry_of));
  const open = nodes.filter(({ id, status }) => status !== "completed" && !replaced.has(id));
  if (done) return open.length ? "retired" : "done";
  if (looks.includes("working")) return "working";
  return open.some(({ status }) => status === "failed") ? "failed" : "pending";
}

/** That the run is tainted, and by whom: where it goes next is asked about. */
function Outside({ state }: { state: State }) {
  if (!isTainted(state)) return null;
  const { sources } = state.taint;
  return (
    <section className="sec" aria-label="Read from outside">
      <div className="sec-h">
        Read from outside<span className="r">{plural(sources.length, "source")}</span>
      </div>
      <ul className="files">
        {sources.slice(0, mostSources).map((source) => (
          <li key={source}>
            <Icon name="globe" size={14} />
            <span className="ell">{visibleLine(source)}</span>
          </li>
        ))}
      </ul>
      <p className="dim small">
        {sources.length > mostSources ? `And ${sources.length - mostSources} more. ` : ""}
        It asks you before it contacts any address you did not name.
      </p>
    </section>
  );
}

const mostSources = 3;

function Person({ agent, state, one }: { agent: string; state: State; one: Thinker }) {
  const { look, word } = personLook(state, one);
  const node = one.node ? state.nodes.get(one.node) : undefined;
  const asks = [...state.questions.values()].find(({ by, status }) => by === one.id && status === "open");
  const since = asks?.asked_at ?? (node && "started_at" in node ? node.started_at : undefined);
  return (
    <li>
      <Avatar who={whoIs(state, one.id)} size={22} />
      <Link to="/agents/$agent/talk" params={{ agent }} search={one.kind === "coordinator" ? {} : { with: one.id }}>
        <b>{whoIs(state, one.id).name}</b>
      </Link>
      <span className="n">{since ? <Age since={since} /> : word.toLowerCase()}</span>
      <p className={look === "waiting" ? "waiting" : ""}>
        <Words
          text={
            asks ? `Waits for your answer: ${asks.text.split("\n")[0]}` : node ? headlineOf(node) : doing(state, one)
          }
        />
      </p>
    </li>
  );
}

function doing(state: State, one: Thinker): string {
  const { wait } = one;
  if (wait?.for === "nodes") return `Waits for ${wait.nodes.join(", ")}`;
  if (wait?.for === "mail") return "Waits for a message";
  const [last] = one.done.slice(-1);
  if (last) return `Completed ${one.done.length > 1 ? `${one.done.length} nodes, last ${last}` : last}`;
  return "role" in one && one.role ? one.role : personLook(state, one).word;
}

function Stages({ state }: { state: State }) {
  const stages = [...state.stages.values()];
  const nodes = [...state.nodes.values()];
  if (nodes.length === 0) return null;
  const rows = stages.length
    ? stages.map((stage) => ({
        id: stage.id,
        name: stage.name,
        done: stage.status === "completed",
        of: nodes.filter((node) => node.stage === stage.id),
      }))
    : [{ id: "all", name: "Nodes", done: nodes.every(({ status }) => status === "completed"), of: nodes }];
  return (
    <section className="sec">
      <div className="sec-h">{stages.length ? "Stages" : "Work"}</div>
      <ul className="stages">
        {rows.map(({ id, name, done, of }) => {
          const ended = of.filter(({ status }) => status === "completed").length;
          const look = stageLook(state, done, of);
          return (
            <li key={id}>
              <StatusDot look={look} size={14} />
              <span>{name}</span>
              <span className="r">
                {ended} of {of.length}
              </span>
              {done || of.length > 40 ? null : (
                <span className="pips">
                  {of.map((node) => (
                    <i
                      key={node.id}
                      className={nodeLookIn(state, node).look}
                      title={`${node.id}: ${nodeLookIn(state, node).word}`}
                    />
                  ))}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
