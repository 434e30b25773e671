/** The whole workspace as it was at a moment: its graph, what was said, its files; beside it who did what, what was asked, what had been spent. */
import { lazy, Suspense } from "react";
import { costOf } from "../../api/board-view.ts";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import type { Event } from "../../schema/event.ts";
import { Canvas } from "../graph/canvas.tsx";
import { Tabs } from "../parts/controls/tabs.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Loading } from "../parts/status/states.tsx";
import { personLook, StatusDot } from "../parts/status/status.tsx";
import { clockToSecond, plural, shortGoal } from "../parts/text/words.ts";
import { mainThread } from "../store/main-thread.ts";
import { useCalm } from "./calm.ts";
import { type Place, type Show, shownViews } from "./place.ts";
import { Whose } from "./whose.tsx";

const TalkThen = lazy(() => import("./talk-then.tsx").then((module) => ({ default: module.TalkThen })));
const FilesThen = lazy(() => import("./files-then.tsx").then((module) => ({ default: module.FilesThen })));

interface Given {
  agent: string;
  events: readonly Event[];
  state: State;
  place: Place;
  go(change: Partial<Record<keyof Place, unknown>>): void;
  chosen: string | undefined;
  choose(id: string): void;
}

const words: Record<Show, string> = { graph: "Graph", talk: "Talk", files: "Files" };
const tabs = shownViews.map((id) => ({ id, name: words[id] }));

export function Moment({ agent, events, state, place, go, chosen, choose }: Given) {
  const { show = "graph", with: of = mainThread(state), file } = place;
  return (
    <section className="moment" data-seq={state.seq} aria-label={`As it was at ${clockToSecond(state.at)}`}>
      <div className="moment-h">
        <Tabs label="View of the past" tabs={tabs} chosen={show} choose={(next) => go({ show: next })} />
        <span className="grow" />
        {show === "talk" ? <Whose state={state} of={of} choose={(next) => go({ with: next })} /> : null}
      </div>
      <div className={`moment-b see-${show}`} role="tabpanel" aria-label={words[show]}>
        <Suspense fallback={<Loading rows={4} />}>
          {show === "talk" ? (
            <TalkThen
              agent={agent}
              events={events}
              state={state}
              of={of}
              choose={choose}
              toLive={() => go({ at: undefined })}
            />
          ) : show === "files" ? (
            <FilesThen agent={agent} events={events} state={state} file={file} open={(path) => go({ file: path })} />
          ) : (
            <Graph state={state} chosen={chosen} choose={choose} />
          )}
        </Suspense>
        {show === "files" ? null : <Summary state={state} />}
      </div>
    </section>
  );
}

function Graph({ chosen, choose, ...given }: Pick<Given, "state" | "chosen" | "choose">) {
  const state = useCalm(given.state);
  return (
    <div className="moment-g">
      {state.nodes.size ? (
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
        <p className="dim none">No nodes yet at that time.</p>
      )}
    </div>
  );
}

function Summary({ state }: { state: State }) {
  const nodes = [...state.nodes.values()];
  const count = (status: string) => nodes.filter((node) => node.status === status).length;
  const people = [...state.participants.values()].filter((one) => one.kind !== "human");
  const open = [...state.questions.values()].filter(({ status }) => status === "open");
  return (
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
  );
}
