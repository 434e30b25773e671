/** Who did what when, and the whole workspace as it was at any event. */
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useChosen } from "../graph/chosen.ts";
import { NodeDrawer } from "../graph/drawer.tsx";
import { Empty, Failed, Loading } from "../parts/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView, useNow } from "../store/hooks.ts";
import { Dock } from "../time/dock.tsx";
import { Lanes } from "../time/lanes.tsx";
import { Moment } from "../time/moment.tsx";
import { useWholeLog } from "../time/whole-log.ts";
import "../style/graph.css";
import "../style/time.css";

const spans = [
  ["1 min", 60_000],
  ["15 min", 900_000],
  ["All", undefined],
] as const;

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const shown = useAgentView(agent);
  const log = useWholeLog(agent);
  const [seq, setSeq] = useState<number>();
  const [span, setSpan] = useState<number>();
  const [chosen, choose] = useChosen();
  const { past, timeline, version } = log;
  const count = past.events().length;
  const at = seq === undefined || seq >= count ? undefined : seq;
  const before = useMemo(() => (at === undefined ? undefined : past.at(at)), [past, at]);
  const live = shown?.state;
  const works = live?.agent?.status === "active" && live.run?.status === "open";
  const now = useNow(1_000);
  const problem = shown?.problem ?? log.problem;
  const state = before ?? live;
  return (
    <>
      <AgentHeader />
      {problem ? (
        <Failed what="The timeline cannot be shown" problem={problem} />
      ) : !state || !live || (count === 0 && log.status === "loading") ? (
        <Loading rows={6} />
      ) : count === 0 ? (
        <Empty title="Nothing happened yet" icon="time" />
      ) : (
        <div className={`gr ${chosen === undefined ? "" : "with"}`}>
          <div className={`tm ${before ? "then" : ""}`}>
            <div className="tb">
              <div className="seg sm">
                {spans.map(([name, ms]) => (
                  <button key={name} type="button" className={span === ms ? "on" : ""} onClick={() => setSpan(ms)}>
                    {name}
                  </button>
                ))}
              </div>
              <div className="tb-l hide-phone" aria-hidden="true">
                <span>
                  <i className="b done" />
                  done
                </span>
                <span>
                  <i className="b working" />
                  at work
                </span>
                <span>
                  <i className="b hatch" />
                  waits
                </span>
                <span>
                  <i className="b hatch amber" />
                  waits for you
                </span>
              </div>
              <span className="grow" />
              {log.status === "loading" ? <span className="dim">reading, {count} events so far</span> : null}
            </div>
            <Lanes
              timeline={timeline}
              version={version}
              state={live}
              now={works ? Math.max(now, timeline.to()) : timeline.to()}
              moment={before ? Date.parse(before.at) : undefined}
              span={span}
              setSpan={setSpan}
              chosen={chosen}
              choose={choose}
              goTo={(time) => {
                const found = past.events().findLastIndex(({ ts }) => Date.parse(ts) <= time) + 1;
                setSeq(found >= count ? undefined : Math.max(1, found));
              }}
            />
            {before ? <Moment state={before} chosen={chosen} choose={choose} /> : null}
            <Dock events={past.events()} marks={timeline.marks()} state={live} seq={at} setSeq={setSeq} />
          </div>
          {chosen === undefined ? null : (
            <NodeDrawer
              key={chosen}
              agent={agent}
              state={state}
              id={chosen}
              past={before !== undefined}
              choose={choose}
              close={() => choose(undefined)}
            />
          )}
        </div>
      )}
    </>
  );
}
