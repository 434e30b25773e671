/** The slider: how much happened when, what is of note below, and where one is. By hand it goes along time, by keys event by event. */
import { useMemo, useRef } from "react";
import { duration } from "../parts/text/words.ts";
import { countUntil, type Histogram, histogramOf } from "./histogram.ts";
import type { Stretch } from "./stretch.ts";
import type { Mark, Timeline } from "./timeline.ts";

interface Given {
  timeline: Timeline;
  stretch: Stretch;
  shown: number;
  live: boolean;
  count: number;
  says: string;
  step(by: number, wide: boolean): void;
  go(seq: number): void;
}

const height = 34;

export function Slider({ timeline, stretch, shown, live, count, says, step, go }: Given) {
  const track = useRef<HTMLDivElement>(null);
  const times = timeline.times();
  const held = useRef(false);
  const bars = useMemo(() => histogramOf(times, stretch), [times, times.length, stretch]);
  const share = live ? 1 : stretch.at(times[shown - 1] ?? 0) / stretch.length;
  const marks = labelledMarks(timeline.marks(), stretch);
  const point = ({ clientX }: { clientX: number }) => {
    const { left, width } = track.current!.getBoundingClientRect();
    const at = Math.max(0, Math.min(1, (clientX - left) / width));
    go(at >= 1 ? count : Math.max(1, countUntil(times, stretch.time(at * stretch.length))));
  };
  return (
    <div className="slide">
      <div className="slide-l">
        <b>Events per {stepWord(bars.step)}</b>
        <span>Drag, or use the arrow keys</span>
      </div>
      <div
        className="track"
        ref={track}
        onPointerDown={(event) => {
          if (event.target instanceof HTMLButtonElement) return;
          held.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          event.currentTarget.querySelector("input")?.focus({ focusVisible: false } as FocusOptions);
          event.preventDefault();
          point(event);
        }}
        onPointerMove={(event) => held.current && point(event)}
        onPointerUp={() => {
          held.current = false;
        }}
        onPointerCancel={() => {
          held.current = false;
        }}
      >
        <Bars bars={bars} share={share} />
        <div className="rail2">
          <i style={{ width: `${share * 100}%` }} />
        </div>
        <input
          type="range"
          min={1}
          max={Math.max(1, count)}
          step={1}
          value={shown}
          aria-label="Event"
          aria-valuetext={says}
          onKeyDown={(event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (by === undefined) return;
            event.preventDefault();
            step(by, event.shiftKey);
          }}
          onChange={({ currentTarget }) => go(Number(currentTarget.value))}
        />
        <i className="thumb" style={{ left: `${share * 100}%` }} />
        {marks.map(({ seq, kind, at, word, roomy, text }) => (
          <button
            key={seq}
            type="button"
            tabIndex={-1}
            className={`mk ${kind} ${roomy ? "roomy" : ""} ${at < 0.05 ? "first" : ""}`}
            style={{ left: `${at * 100}%` }}
            title={text}
            aria-label={text}
            onClick={() => go(seq)}
          >
            {word}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Two paths, however many bars there are. */
function Bars({ bars: { counts, most, step }, share }: { bars: Histogram; share: number }) {
  const wide = counts.length;
  const bar = (count: number, index: number) =>
    `M${index + 0.5} ${height}V${count ? height - 3 - (Math.sqrt(count / most) * (height - 5)) : height - 1}`;
  const now = share * wide;
  return (
    <svg
      className="hist"
      viewBox={`0 0 ${wide} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Events over time, at most ${most} per ${stepWord(step)}`}
    >
      <path d={counts.map((count, index) => (index < now ? bar(count, index) : "")).join("")} strokeWidth={0.62} />
      <path
        className="later"
        d={counts.map((count, index) => (index < now ? "" : bar(count, index))).join("")}
        strokeWidth={0.62}
      />
    </svg>
  );
}

const stepWord = (step: number): string => (step < 1000 ? `${step / 1000} s` : duration(step));

const words: Partial<Record<Mark["kind"], string>> = { stage: "reconvened", question: "question", failed: "failed" };
/** Of the whole; closer ones have no word, on a small screen neither than the second. */
const apart = [0.08, 0.24] as const;

export function labelledMarks(marks: readonly Mark[], stretch: Stretch) {
  let [before, wide, drawn] = [-1, -1, -1];
  return marks.flatMap((mark) => {
    const word = words[mark.kind];
    const at = stretch.at(mark.at) / stretch.length;
    // Those that would lie on each other are one.
    if (!word || at - drawn < 0.004) return [];
    drawn = at;
    const said = at - before >= apart[0];
    const roomy = at - wide >= apart[1];
    if (said) before = at;
    if (roomy) wide = at;
    return [{ ...mark, at, word: said ? word : "", roomy }];
  });
}
