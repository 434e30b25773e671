/** The bar of the timeline: the slider over all events, play and step, the event it stands at, and the way back to live. */
import { useEffect, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { eventText } from "../graph/event-text.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { clockToSecond } from "../parts/text/words.ts";
import { after } from "../platform.ts";
import { useDrawer } from "../shell/drawer.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { Slider } from "./slider.tsx";
import type { Stretch } from "./stretch.ts";
import type { Mark, Timeline } from "./timeline.ts";

interface Given {
  events: readonly Event[];
  timeline: Timeline;
  stretch: Stretch;
  state: State;
  /** Of the event that is shown; missing: now. */
  seq: number | undefined;
  setSeq(seq: number | undefined): void;
}

export function Dock({ events, timeline, stretch, state, seq, setSeq }: Given) {
  const count = events.length;
  const { sheet } = useDrawer();
  const marks = timeline.marks();
  const shown = seq ?? count;
  const event = events[shown - 1];
  const [plays, setPlays] = useState(false);
  const go = (to: number) => setSeq(to >= count ? undefined : Math.max(1, to));
  const step = (by: number, wide: boolean) => {
    setPlays(false);
    if (!wide) return go(shown + by);
    const stages = wideMarks(marks);
    const near = by > 0 ? stages.find((mark) => mark.seq > shown) : stages.findLast((mark) => mark.seq < shown);
    go(near?.seq ?? (by > 0 ? count : 1));
  };
  useKey(keyMap.event, ({ shiftKey }, name) => step(name === "arrowleft" ? -1 : 1, shiftKey));
  useKey(keyMap.close, () => {
    if (seq === undefined || sheet) return false;
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
        <IconButton label="Previous event" className="s" onClick={() => step(-1, false)}>
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
        <IconButton label="Next event" className="s" onClick={() => step(1, false)}>
          <Icon name="right" />
        </IconButton>
        <span className="big">{event ? clockToSecond(event.ts) : ""}</span>
        <span className="dim num cnt">
          event {shown} of {count}
        </span>
        <span className="ell grow says-now" aria-live="off">
          {event ? eventText(event, state) : ""}
        </span>
        {seq === undefined ? (
          <span className="dim live-now">Now</span>
        ) : (
          <>
            <span className="chip past" role="status">
              <Icon name="eye" size={14} />
              You are viewing the past; it is read-only.
            </span>
            <Button
              look="solid"
              onClick={() => {
                setPlays(false);
                setSeq(undefined);
              }}
            >
              Back to live <KeyCaps of={keyMap.close} />
            </Button>
          </>
        )}
      </div>
      <Slider
        timeline={timeline}
        stretch={stretch}
        shown={shown}
        live={seq === undefined}
        count={count}
        says={event ? `event ${shown} of ${count}, ${clockToSecond(event.ts)}: ${eventText(event, state)}` : ""}
        step={step}
        go={(to) => {
          setPlays(false);
          go(to);
        }}
      />
    </div>
  );
}

/** From one stage to the next; where there are none, from one thing of note to the next. */
export const wideMarks = (marks: readonly Mark[]): Mark[] =>
  marks.filter(({ kind }) =>
    marks.some((one) => one.kind === "stage") ? /^(stage|run)$/.test(kind) : /^(run|question|failed)$/.test(kind),
  );

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
