/** What stands in a lane: who it is, and one bar of what was done there. */
import type { State } from "../../core/state.ts";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { laneWords } from "./lane-words.ts";
import type { Bar, Lane } from "./timeline.ts";

interface Labelled {
  lane: Lane;
  state: State;
  width: number;
  /** What the lane reaches over. */
  from: number;
  now: number;
}

export function Label({ lane, state, width, from, now }: Labelled) {
  const who = whoIs(state, lane.id);
  const says = laneWords(lane, who.kind, from, now);
  return (
    <div className="l" style={{ width }}>
      <Avatar who={who} size={28} />
      {width > 100 ? (
        <div className="ell">
          <b className="ell">{who.name}</b>
          <small className="ell">{says}</small>
        </div>
      ) : null}
    </div>
  );
}

interface Drawn {
  bar: Bar;
  x: number;
  width: number;
  tick(at: number): number;
  chosen: boolean;
  choose(id: string): void;
}

export function Piece({ bar, x, width, tick, chosen, choose }: Drawn) {
  const { kind, look, name, text, node, ticks, yours } = bar;
  const open = bar.to === undefined ? "open" : "";
  const style = { left: x, width };
  if (kind === "park") return <i className="park" style={style} title={name} />;
  if (kind === "turns")
    return (
      <span className={`b coord ${look} ${open}`} style={style} {...tip(width < 52, name)}>
        {width < 52 ? null : <span className="ell">{name}</span>}
      </span>
    );
  if (kind === "wait")
    return (
      <span className={`b hatch ${yours ? "amber" : ""} ${open}`} style={style} {...tip(width < 150, name)}>
        {width > 48 ? <span className="ell">{name}</span> : null}
      </span>
    );
  return (
    <button
      type="button"
      className={`b ${look} ${open} ${chosen ? "sel" : ""}`}
      style={style}
      aria-label={`${name}: ${text}`}
      {...tip(width < 150, `${name}: ${text}`)}
      data-bar={node}
      onClick={() => choose(node!)}
    >
      {width > 34 ? (
        <>
          <b className="ell">{width > 110 ? name : name.split("-")[0]}</b>
          {width > 70 ? <span className="ell">{text}</span> : null}
        </>
      ) : null}
      <span className="tk">
        {spread(ticks, tick).map((left) => (
          <i key={left} style={{ left }} />
        ))}
      </span>
    </button>
  );
}

/** What has no room is said on hover and on focus. */
const tip = (narrow: boolean, text: string) => (narrow ? { "data-tip": text } : { title: text });

/** Ticks that would fall on each other are one. */
const spread = (ticks: readonly number[], tick: (at: number) => number): number[] => [
  ...new Set(ticks.map((one) => Math.round(tick(one) / 3) * 3)),
];
