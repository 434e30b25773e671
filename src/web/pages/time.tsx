/** Who did what when, and the whole workspace as it was at any event. */
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useChosen } from "../graph/chosen.ts";
import { NodeDrawer } from "../graph/drawer.tsx";
import { Choice, Choices, toggled } from "../graph/filter-button.tsx";
import { Button } from "../parts/controls/button.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView, useNow } from "../store/hooks.ts";
import { Dock } from "../time/dock.tsx";
import { countUntil, spansOf } from "../time/histogram.ts";
import { Lanes } from "../time/lanes.tsx";
import { Moment } from "../time/moment.tsx";
import { usePlace } from "../time/place.ts";
import { createStretch } from "../time/stretch.ts";
import { useWholeLog } from "../time/whole-log.ts";
import "../style/graph.css";
import "../style/time.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const shown = useAgentView(agent);
  const log = useWholeLog(agent);
  const [place, go] = usePlace();
  const [span, setSpan] = useState<number>();
  const [chosen, choose] = useChosen();
  const { past, timeline, version } = log;
  const count = past.events().length;
  const at = place.at !== undefined && place.at <= count ? place.at : undefined;
  const setSeq = (seq: number | undefined) => go({ at: seq });
  const before = useMemo(() => (at === undefined ? undefined : past.at(at)), [past, at]);
  const live = shown?.state;
  const works = live?.agent?.status === "active" && live.run?.status === "open";
  const clock = useNow(1_000);
  const now = works ? Math.max(clock, timeline.to()) : timeline.to();
  const [only, setOnly] = useState<ReadonlySet<string>>(new Set());
  const [choosing, setChoosing] = useState(false);
  const stretch = useMemo(() => {
    const [from, last, to] = [timeline.from(), timeline.to(), Math.max(now, timeline.from() + 1_000)];
    return createStretch(from, to, [...timeline.pauses(), { from: last, to }]);
  }, [timeline, version, now]);
  const spans = spansOf(stretch.length);
  const lanes = timeline.lanes();
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
        <Empty title="Nothing has happened yet" icon="time" />
      ) : (
        <div className={`gr ${chosen === undefined ? "" : "with"}`}>
          <div className={`tm ${before ? `then see-${place.show ?? "graph"}` : ""}`}>
            <div className="tb">
              <div className="seg sm" hidden={spans.length === 0}>
                {[...spans, { name: "Whole run", ms: undefined }].map(({ name, ms }) => (
                  <button
                    key={name}
                    type="button"
                    className={span === ms ? "on" : ""}
                    aria-pressed={span === ms}
                    onClick={() => setSpan(ms)}
                  >
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
                  working
                </span>
                <span>
                  <i className="b hatch" />
                  waits
                </span>
                <span>
                  <i className="b hatch amber" />
                  waits for you
                </span>
                <span>
                  <svg width="20" height="12" aria-hidden="true">
                    <path className="lk" d="M1 2C8 2 10 10 19 10" />
                  </svg>
                  hand-off
                </span>
              </div>
              <span className="grow" />
              <Choices
                word={only.size === 1 ? whoIs(live, [...only][0]!).name : "Everyone"}
                label="Whose lanes"
                count={only.size > 1 ? only.size : 0}
                right
                open={choosing}
                setOpen={setChoosing}
              >
                {lanes.map(({ id }) => (
                  <Choice key={id} on={only.has(id)} set={() => setOnly(toggled(only, id))}>
                    <Avatar who={whoIs(live, id)} />
                    <span className="ell">{whoIs(live, id).name}</span>
                  </Choice>
                ))}
                <footer>
                  <span className="grow" />
                  <Button look="ghost" disabled={!only.size} onClick={() => setOnly(new Set())}>
                    Everyone
                  </Button>
                </footer>
              </Choices>
              {log.status === "loading" ? <span className="dim">reading, {count} events so far</span> : null}
            </div>
            <Lanes
              timeline={timeline}
              stretch={stretch}
              only={only}
              version={version}
              state={live}
              now={now}
              moment={before ? Date.parse(before.at) : undefined}
              span={span}
              setSpan={setSpan}
              chosen={chosen}
              choose={choose}
              goTo={(time) => {
                const found = countUntil(timeline.times(), time);
                setSeq(found >= count ? undefined : Math.max(1, found));
              }}
            />
            {before ? (
              <Moment
                agent={agent}
                events={past.events()}
                state={before}
                place={place}
                go={go}
                chosen={chosen}
                choose={choose}
              />
            ) : null}
            <Dock events={past.events()} timeline={timeline} stretch={stretch} state={live} seq={at} setSeq={setSeq} />
          </div>
          {chosen === undefined ? null : (
            <NodeDrawer
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
