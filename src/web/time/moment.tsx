/** The workspace as it was at a moment: the graph, who did what, what was asked, what had been spent. */
import { costOf } from "../../api/board-view.ts";
import type { State } from "../../core/state.ts";
import { Canvas } from "../graph/canvas.tsx";
import { Avatar, whoIs } from "../parts/avatar.tsx";
import { personLook, StatusDot } from "../parts/status.tsx";
import { money, plural, shortGoal } from "../parts/words.ts";

interface Given {
  state: State;
  chosen: string | undefined;
  choose(id: string): void;
}

export function Moment({ state, chosen, choose }: Given) {
  const nodes = [...state.nodes.values()];
  const count = (status: string) => nodes.filter((node) => node.status === status).length;
  const people = [...state.participants.values()].filter((one) => one.kind !== "human");
  const open = [...state.questions.values()].filter(({ status }) => status === "open");
  return (
    <div className="moment" data-seq={state.seq}>
      <div className="moment-g">
        {nodes.length ? (
          <Canvas
            key={state.run?.id}
            state={state}
            chosen={chosen}
            choose={choose}
            moment={Date.parse(state.at)}
            small
            follow
          />
        ) : (
          <p className="dim none">There was no node yet.</p>
        )}
      </div>
      <div className="moment-s hide-phone">
        <dl className="kv">
          <dt>Run</dt>
          <dd>{state.run ? `${state.run.id}, ${state.run.status}` : "none"}</dd>
          <dt>Nodes</dt>
          <dd>
            {nodes.length}: {count("completed")} done, {count("running") + count("waiting")} at work
            {count("failed") ? `, ${count("failed")} failed` : ""}
          </dd>
          <dt>Spent</dt>
          <dd>{money(costOf(state, "agent").usd)}</dd>
          <dt>Said</dt>
          <dd>{plural(state.counts.messages, "message")}</dd>
        </dl>
        <ul>
          {people.map((one) => {
            const { look, word } = personLook(state, one);
            return (
              <li key={one.id}>
                <Avatar who={whoIs(state, one.id)} />
                <span className="ell">{whoIs(state, one.id).name}</span>
                <span className="ell dim grow">{one.node ?? ""}</span>
                <StatusDot look={look} word={word} />
              </li>
            );
          })}
        </ul>
        {open.map(({ id, by, text }) => (
          <p key={id} className="asks">
            {whoIs(state, by).name} asks: {shortGoal(text, 120)}
          </p>
        ))}
      </div>
    </div>
  );
}
