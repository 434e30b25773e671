/** What lies below the cards: lines, the bars where stages come together with their gates, and the names of the stages. */
import { memo } from "react";
import { clock } from "../parts/text/words.ts";
import { topMargin } from "./layout.ts";
import type { headsOf, Kind, Lines } from "./lines.ts";

interface Given {
  lines: Lines;
  heads: ReturnType<typeof headsOf>;
}

/** What is lit lies over the rest. */
const order: readonly Kind[] = ["suggested", "spawned", "depends", "done", "working", "chosen", "why"];

const words = {
  all: "Reconvene on all",
  majority: "Reconvene on most",
  any: "Reconvene on the first",
};

export const Layer = memo(function Layer({ lines: { paths, bars, gates }, heads }: Given) {
  return (
    <>
      <svg className="edges" width="1" height="1" aria-hidden="true">
        {[...paths]
          .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
          .map(([kind, { d, arrows, count }]) => (
            <g key={kind} data-kind={kind} data-count={count}>
              <path className={`e ${kind}`} d={d} />
              {arrows ? <path className={`e head ${kind}`} d={arrows} /> : null}
            </g>
          ))}
        {bars.map(({ x, height, over }) => (
          <rect
            key={x}
            className={`bar ${over ? "done" : ""}`}
            x={x - 2}
            y={topMargin}
            width={4}
            height={height}
            rx={2}
          />
        ))}
        {gates.map(({ x, y, look }) => (
          <circle key={`${x} ${y}`} className={`gate ${look}`} cx={x} cy={y} r={4} />
        ))}
      </svg>
      {heads.map(({ x, name, says }) => (
        <div key={x} className="col-h" style={{ transform: `translate(${x}px, 0)` }}>
          <b>{name}</b>
          <span>{says}</span>
        </div>
      ))}
      {heads.map(({ stage, x, done, count }) => {
        const bar = bars.find((one) => one.stage === stage.id);
        if (!bar) return null;
        return (
          <div
            key={x}
            className="bar-l"
            style={{ transform: `translate(-50%, 0) translate(${bar.x}px, ${topMargin + bar.height + 8}px)` }}
          >
            <b>{stage.status === "running" ? words[stage.contract.policy] : "Reconvened"}</b>
            {stage.status === "running"
              ? `${done} of ${count} here`
              : `${clock(stage.status === "completed" ? stage.ended_at : stage.since)}, ${done === count ? `all ${count}` : `${done} of ${count}`}`}
          </div>
        );
      })}
    </>
  );
});
