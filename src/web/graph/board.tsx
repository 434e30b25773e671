/** The nodes as a board (by status) and as a list (by stage): two more views of the same state. */
import { useMemo, useState } from "react";
import type { State } from "../../core/state.ts";
import { Button } from "../parts/controls/button.tsx";
import { Avatar } from "../parts/status/avatar.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { Money, Ring } from "../parts/status/money.tsx";
import { type Look, StatusDot } from "../parts/status/status.tsx";
import { Age, Time } from "../parts/text/time.tsx";
import { CardFoot } from "./card.tsx";
import type { CardView } from "./cards.ts";
import { type StateName, stateOf } from "./filter.ts";

interface Given {
  /** What is to be seen. */
  views: readonly CardView[];
  chosen: string | undefined;
  choose(id: string): void;
}

const lanes: { name: StateName; look: Look }[] = [
  { name: "Waits for you", look: "waiting" },
  { name: "Pending", look: "pending" },
  { name: "Working", look: "working" },
  { name: "Done", look: "done" },
  { name: "Failed", look: "failed" },
];

/** So many of a lane at first. */
const some = 40;

export function Board({ views, chosen, choose }: Given) {
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set());
  return (
    <div className="kanban">
      {lanes.map(({ name, look }) => {
        const held = views.filter((view) => stateOf(view) === name).reverse();
        if (!held.length && /^(Waits|Did)/.test(name)) return null;
        const shown = whole.has(name) ? held : held.slice(0, some);
        return (
          <section key={name} aria-label={name}>
            <header>
              <StatusDot look={look} word={name} />
              <b>{name}</b>
              <span className="dim num">{held.length}</span>
            </header>
            <div className="kanban-l">
              {shown.map((view) => (
                <button
                  key={view.id}
                  type="button"
                  className={`node ${view.status} ${view.asks ? "asks" : ""} ${view.id === chosen ? "sel" : ""}`}
                  data-node={view.id}
                  onClick={() => choose(view.id)}
                >
                  <h3>{view.name}</h3>
                  <p className={view.asks ? "waiting" : view.mends ? "failed" : ""}>{view.line}</p>
                  <CardFoot view={view} />
                </button>
              ))}
              {shown.length < held.length ? (
                <Button look="ghost" onClick={() => setWhole(new Set([...whole, name]))}>
                  Show {held.length - shown.length} more
                </Button>
              ) : null}
            </div>
          </section>
        );
      })}
    </div>
  );
}

export function List({ state, views, chosen, choose }: Given & { state: State }) {
  const groups = useMemo(() => {
    const by = new Map<string, CardView[]>();
    for (const view of views) {
      const stage = view.stage ?? "";
      const there = by.get(stage);
      if (there) there.push(view);
      else by.set(stage, [view]);
    }
    return [...by];
  }, [views]);
  return (
    <div className="nlist">
      {groups.map(([stage, held]) => (
        <section key={stage}>
          {stage ? (
            <header>
              <b>{state.stages.get(stage)?.name ?? stage}</b>
              <span className="dim num">
                {held.filter(({ status }) => status === "completed").length} of {held.length}
              </span>
            </header>
          ) : null}
          {held.map((view) => (
            <button
              key={view.id}
              type="button"
              className={`nrow ${view.id === chosen ? "sel" : ""}`}
              data-node={view.id}
              onClick={() => choose(view.id)}
            >
              <StatusDot look={view.look} word={view.word} size={12} />
              <span className="t">
                <b className="ell">{view.name}</b>
                <span className={`ell ${view.asks ? "waiting" : view.mends ? "failed" : "dim"}`}>{view.line}</span>
              </span>
              <span className="e">
                {view.evidence ? <EvidenceMark evidence={view.evidence} failed={view.failed} /> : null}
              </span>
              <span className="mono dim id">{view.id.split("-")[0]}</span>
              <span className="w">{view.who ? <Avatar who={view.who} /> : null}</span>
              <span className="c">{view.usd > 0 ? <Money usd={view.usd} /> : null}</span>
              <span className="g" title={view.of}>
                <Ring share={view.share} size={14} />
              </span>
              <span className="a dim num">
                {view.ended_at ? (
                  <Time at={view.ended_at} />
                ) : view.started_at ? (
                  <Age since={view.started_at} />
                ) : (
                  "planned"
                )}
              </span>
            </button>
          ))}
        </section>
      ))}
    </div>
  );
}
