/** The lanes: who did what when. Scrolls both ways, zooms with the wheel and ctrl; only what is in sight is in the document. */
import { useMemo, useRef } from "react";
import type { State } from "../../core/state.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { clock, clockToSecond, duration } from "../parts/text/words.ts";
import { Label, Piece } from "./piece.tsx";
import { axisOf, createRoom, inSight, rowsInSight } from "./scale.ts";
import type { Stretch } from "./stretch.ts";
import type { Lane, Timeline } from "./timeline.ts";
import { useView, useZoom } from "./view.ts";

/** A lane is as tall as there is room for, from the first to the second. */
const heights = [68, 96] as const;
const axis = 28;

interface Given {
  timeline: Timeline;
  stretch: Stretch;
  /** Whose lanes are shown; everyone's if empty. */
  only: ReadonlySet<string>;
  version: number;
  state: State;
  /** What goes on is drawn up to here. */
  now: number;
  /** A moment of the past that is shown. */
  moment: number | undefined;
  /** Milliseconds in sight; all if missing. */
  span: number | undefined;
  setSpan(span: number | undefined): void;
  chosen: string | undefined;
  choose(id: string): void;
  goTo(at: number): void;
}

export function Lanes(given: Given) {
  const { timeline, stretch, only, version, state, now, moment, span, setSpan, chosen, choose, goTo } = given;
  const box = useRef<HTMLElement>(null);
  const view = useView(box);
  const label = view.width < 620 ? 52 : 172;
  const from = timeline.from();
  const to = Math.max(now, timeline.to());
  const room = Math.max(200, view.width - label - 50);
  const perMs = room / Math.max(1, Math.min(span ?? stretch.length, stretch.length));
  const x = (at: number) => label + 14 + stretch.at(at) * perMs;
  const wide = Math.max(view.width, x(to) + 34);
  useZoom(box, { perMs, label, from: 0, whole: stretch.length, span, setSpan });

  const lanes = useMemo(
    () => inOrder(timeline.lanes()).filter(({ id }) => only.size === 0 || only.has(id)),
    [timeline, version, only],
  );
  const laneHeight = Math.floor(
    Math.max(heights[0], Math.min(heights[1], (view.height - axis) / Math.max(1, lanes.length))),
  );
  const at = (row: number): number => row * laneHeight + laneHeight / 2;
  const index = useMemo(() => new Map(lanes.map(({ id }, at) => [id, at])), [lanes]);
  const [first, end] = rowsInSight(view.top, view.height, laneHeight, lanes.length);
  const momentAt = (pixels: number) => stretch.time((pixels - label - 14) / perMs);
  const [left, right] = [momentAt(view.left - 60), momentAt(view.left + view.width + 60)];
  const ticks = axisOf(stretch, Math.max(from, left), Math.min(to, right), perMs);
  const silences = stretch.silences.filter(({ from: start, to: stop }) => start <= right && stop >= left);
  /** Words of the axis that do not lie on others: first where one is, then the end, then how long a silence is. */
  const free = createRoom();
  if (moment !== undefined) free(x(moment), 62);
  const ends = free(x(to), 30);
  const hushed = silences.filter(({ from: start, to: stop }) => free((x(start) + x(stop)) / 2, 66));
  const spoken = ticks.filter((one) => free(x(one), 56));
  const lines = timeline
    .lines()
    .filter(({ start, end: stop }) => start <= right && stop >= left)
    .slice(-600);

  return (
    <section
      className="lanes"
      ref={box}
      aria-label="Lanes"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
    >
      <div className="lanes-in" style={{ width: wide, height: axis + lanes.length * laneHeight }}>
        <button
          type="button"
          className="axis"
          aria-label="Go to a moment"
          tabIndex={-1}
          onClick={({ nativeEvent, currentTarget }) => {
            const at = nativeEvent.clientX - currentTarget.getBoundingClientRect().left;
            goTo(momentAt(at));
          }}
        >
          {spoken.map((one, nth) => (
            <span key={one} style={{ left: x(one) }}>
              {wordOf(one, spoken[nth - 1], perMs > 0.0015)}
            </span>
          ))}
          {hushed.map(({ from: start, to: stop }) => (
            <span key={start} className="hush-l" style={{ left: (x(start) + x(stop)) / 2 }}>
              {duration(stop - start)}
            </span>
          ))}
          {ends ? <span style={{ left: x(to) }}>now</span> : null}
          {moment === undefined ? null : (
            <b className="flag" style={{ left: x(moment) }}>
              {clockToSecond(new Date(moment).toISOString())}
            </b>
          )}
        </button>
        {ticks.map((one) => (
          <i key={one} className="gl" style={{ left: x(one) }} />
        ))}
        {silences.map(({ from: start, to: stop }) => (
          <i
            key={start}
            className="hush"
            title={`No events for ${duration(stop - start)}`}
            style={{ left: x(start), width: x(stop) - x(start) }}
          />
        ))}
        <svg
          className="lks"
          width={view.width}
          height={lanes.length * laneHeight}
          style={{ left: view.left }}
          aria-hidden="true"
        >
          {lines.map(({ key, kind, from: one, to: other, start, end: stop, text }) => {
            const [a, b] = [index.get(one), index.get(other)];
            if (a === undefined || b === undefined) return null;
            const [x1, x2] = [x(start) - view.left, x(stop) - view.left];
            const [y1, y2] = b > a ? [at(a) + 14, at(b) - 22] : [at(a) - 14, at(b) + 22];
            return (
              <g key={key} className={kind}>
                <title>{text}</title>
                <path className="lk" d={`M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`} />
                <circle className="ld" cx={x2} cy={y2} r={2.4} />
              </g>
            );
          })}
        </svg>
        {lanes.slice(first, end).map((lane, offset) => (
          <div
            key={lane.id}
            className="lane"
            style={{ top: axis + (first + offset) * laneHeight, height: laneHeight }}
            data-lane={lane.id}
          >
            <Label lane={lane} state={state} width={label} from={from} now={now} />
            {inSight(lane.bars, left, right, now).map((bar) => (
              <Piece
                key={bar.key}
                bar={bar}
                x={x(bar.from)}
                width={Math.max(bar.kind === "turns" ? 10 : 6, x(Math.min(bar.to ?? now, to)) - x(bar.from))}
                tick={(when) => x(when) - x(bar.from)}
                chosen={bar.node !== undefined && bar.node === chosen}
                choose={choose}
              />
            ))}
            {lane.points
              .filter(({ at: when }) => when >= left && when <= right)
              .map(({ at: when, text }) => (
                <span key={when} className="pt" style={{ left: x(when) - 11 }} title={text}>
                  <Icon name="talk" size={13} />
                </span>
              ))}
          </div>
        ))}
        {moment === undefined ? (
          <i className="nowl" style={{ left: x(to) }} />
        ) : (
          <>
            <i className="veil" style={{ left: x(moment), width: wide - x(moment) }} />
            <i className="cur" style={{ left: x(moment) }} />
          </>
        )}
      </div>
    </section>
  );
}

/** With its day where a new one begins. */
function wordOf(at: number, before: number | undefined, seconds: boolean): string {
  const word = seconds ? clockToSecond(new Date(at).toISOString()) : clock(new Date(at).toISOString());
  const [one, other] = [at, before].map((ms) => (ms === undefined ? "" : weekday.format(ms)));
  return before !== undefined && one !== other ? `${one} ${word}` : word;
}
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" });

const inOrder = (lanes: readonly Lane[]): Lane[] => {
  const rank = ({ id }: Lane) => (id === "human" ? 0 : id === "coordinator" ? 1 : 2);
  return [...lanes].sort((a, b) => rank(a) - rank(b));
};
