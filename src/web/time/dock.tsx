/** The slider over all events: drag, step, play; what happened at it; and the way back to now. */
import { useEffect, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { told } from "../graph/told.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { clockToSecond } from "../parts/words.ts";
import { after } from "../platform.ts";
import { useKey } from "../shell/keys.tsx";
import type { Mark } from "./timeline.ts";

interface Given {
  events: readonly Event[];
  marks: readonly Mark[];
  state: State;
  /** Of the event that is shown; missing: now. */
  seq: number | undefined;
  setSeq(seq: number | undefined): void;
}

export function Dock({ events, marks, state, seq, setSeq }: Given) {
  const count = events.length;
  const shown = seq ?? count;
  const event = events[shown - 1];
  const [plays, setPlays] = useState(false);
  const go = (to: number) => setSeq(to >= count ? undefined : Math.max(1, to));
  const step = (by: number, wide: boolean) => {
    setPlays(false);
    if (!wide) return go(shown + by);
    const near = by > 0 ? marks.find((mark) => mark.seq > shown) : marks.findLast((mark) => mark.seq < shown);
    go(near?.seq ?? (by > 0 ? count : 1));
  };
  useKey("ArrowLeft", "One event back (with shift: one mark)", ({ shiftKey }) => step(-1, shiftKey));
  useKey("ArrowRight", "One event forward", ({ shiftKey }) => step(1, shiftKey));
  useKey("Escape", "Back to now", () => {
    if (seq === undefined) return false;
    setPlays(false);
    setSeq(undefined);
  });
  usePlay(plays, () => {
    go(shown + 1);
    if (shown + 1 >= count) setPlays(false);
  });
  return (
    <div className="dock2">
      <div className="d1">
        <IconButton label="Event before" className="s" onClick={() => step(-1, false)}>
          <Icon name="left" />
        </IconButton>
        <IconButton
          label={plays ? "Pause" : "Play from here"}
          onClick={() => {
            if (seq === undefined) setSeq(1);
            setPlays(!plays);
          }}
        >
          <Icon name={plays ? "pause" : "play"} size={14} />
        </IconButton>
        <IconButton label="Event after" className="s" onClick={() => step(1, false)}>
          <Icon name="right" />
        </IconButton>
        <span className="big">{event ? clockToSecond(event.ts) : ""}</span>
        <span className="dim num cnt">
          event {shown} of {count}
        </span>
        <span className="ell grow says-now" aria-live="off">
          {event ? told(event, state) : ""}
        </span>
        {seq === undefined ? (
          <span className="dim live-now">Now</span>
        ) : (
          <>
            <span className="chip past hide-phone">
              <Icon name="eye" size={14} />
              You see the past. Nothing here changes.
            </span>
            <Button
              look="solid"
              onClick={() => {
                setPlays(false);
                setSeq(undefined);
              }}
            >
              Back to now<kbd>esc</kbd>
            </Button>
          </>
        )}
      </div>
      <div className="slide">
        <svg className="mks" viewBox={`0 0 ${Math.max(1, count)} 20`} preserveAspectRatio="none" aria-hidden="true">
          {paths(marks).map(([kind, d]) => (
            <path key={kind} className={`m-${kind}`} d={d} vectorEffect="non-scaling-stroke" />
          ))}
        </svg>
        <input
          type="range"
          min={1}
          max={Math.max(1, count)}
          step={1}
          value={shown}
          aria-label="Event"
          aria-valuetext={event ? `event ${shown} of ${count}, ${clockToSecond(event.ts)}: ${told(event, state)}` : ""}
          style={{ "--at": `${count > 1 ? ((shown - 1) / (count - 1)) * 100 : 100}%` } as React.CSSProperties}
          onChange={({ currentTarget }) => {
            setPlays(false);
            go(Number(currentTarget.value));
          }}
        />
        <div className="mk-l" aria-hidden="true">
          <span className="m-node">created</span>
          <span className="m-done">done</span>
          <span className="m-failed">failed</span>
          <span className="m-question">asks you</span>
          <span className="m-stage">reconvened</span>
        </div>
      </div>
    </div>
  );
}

const tall = { node: 6, done: 12, failed: 16, question: 16, stage: 20, run: 20 };

/** One path of each kind, so that thousands of marks stay cheap. */
function paths(marks: readonly Mark[]): [string, string][] {
  const by = new Map<string, string>();
  for (const { kind, seq } of marks) by.set(kind, `${by.get(kind) ?? ""}M${seq} 20V${20 - tall[kind]}`);
  return [...by];
}

function usePlay(plays: boolean, next: () => void): void {
  const latest = useRef(next);
  latest.current = next;
  useEffect(() => {
    if (!plays) return;
    let cancel: () => void = () => undefined;
    const again = () => {
      cancel = after(90, () => {
        latest.current();
        again();
      });
    };
    again();
    return () => cancel();
  }, [plays]);
}
