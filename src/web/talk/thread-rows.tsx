/** The rows of a thread: only what is seen is drawn. It follows the end while one is at the end; otherwise a pill says what is new. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import { awaitsVote } from "../../core/team/proposal.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import type { Streaming } from "../store/store.ts";
import { Live, Row } from "./items.tsx";
import type { Item } from "./thread-item.ts";

interface Given {
  agent: string;
  of: string;
  state: State | undefined;
  items: readonly Item[];
  /** Who is saying something right now, and what of it came. */
  speaking?: readonly string[];
  streaming?: Readonly<Record<string, Streaming>>;
  /** Asks for what came before, if there is more. */
  earlier?: (() => void) | undefined;
  /** It is shown as it was: nothing can be answered, nothing is new. */
  past?: boolean;
}

/** Words of one and the same within this time stand together. */
const togetherMs = 300_000;
const nearEnd = 80;
const nobody: readonly string[] = [];

export function ThreadRows(given: Given) {
  const { agent, of, state, items, speaking = nobody, streaming = {}, earlier, past = false } = given;
  const live = speaking[0];
  // Looked for once per change and not once per frame, as it goes through all of them.
  const { open, mine } = useMemo(
    () => ({
      open: past ? undefined : items.findLast(isOpen)?.key,
      mine: items.findLast((item) => item.kind === "said" && item.from === "human")?.key,
    }),
    [items, past],
  );
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const seen = useRef(0);
  const rows = useVirtualizer({
    count: items.length + speaking.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => guess(items[index - 1], items[index]),
    // The same function while the items are the same: with a new one every row is measured again, in every frame of a scroll.
    getItemKey: useCallback((index: number) => items[index]?.key ?? `live-${live}`, [items, live]),
    overscan: 8,
    paddingStart: 12,
    paddingEnd: 10,
    // What comes before moves nothing.
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
  });
  const total = rows.getTotalSize();
  // What grows at the end (words as they come, a card that opens) is followed too.
  useLayoutEffect(() => {
    const element = box.current;
    if (element && atEnd && total > 0) element.scrollTop = element.scrollHeight;
  }, [atEnd, total]);
  // One's own words are what one wants to see.
  const known = useRef(mine);
  useEffect(() => {
    if (known.current !== undefined && known.current !== mine) setAtEnd(true);
    known.current = mine;
  }, [mine]);
  if (atEnd) seen.current = items.length;
  const fresh = items.length - seen.current;
  useEffect(() => {
    if (of) setAtEnd(true);
  }, [of]);
  const toEnd = () => {
    setAtEnd(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  };
  return (
    <>
      <div
        className="thread"
        ref={box}
        role="log"
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          setAtEnd(scrollHeight - scrollTop - clientHeight < nearEnd);
          if (scrollTop < 400) earlier?.();
        }}
      >
        <div className="rows" style={{ height: total }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const item = items[index];
            return (
              <div
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className="vrow"
                style={{ transform: `translateY(${start}px)` }}
              >
                {item ? (
                  <Row
                    item={item}
                    agent={agent}
                    of={of}
                    state={state}
                    goesOn={joins(items[index - 1], item)}
                    hot={item.key === open}
                    past={past}
                  />
                ) : (
                  <Live
                    by={speaking[index - items.length]!}
                    state={state}
                    words={streaming[speaking[index - items.length]!]}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {fresh > 0 && !atEnd && !past ? (
        <div className="pill">
          <Button onClick={toEnd}>
            <Icon name="down" size={14} />
            {plural(fresh, "new", "new")}
          </Button>
        </div>
      ) : null}
    </>
  );
}

const isOpen = (item: Item): boolean =>
  item.kind === "vote"
    ? awaitsVote(item.vote.proposal, "human")
    : item.kind === "asked" && item.question.status === "open";

/** How high it will be, about: the better the guess, the less moves when it is measured. Once per item: all of them are asked, again and again. */
function guess(before: Item | undefined, item: Item | undefined): number {
  if (!item) return 60;
  const known = guessed.get(item);
  if (known !== undefined) return known;
  const made = guessAnew(before, item);
  guessed.set(item, made);
  return made;
}

const guessed = new WeakMap<Item, number>();

function guessAnew(before: Item | undefined, item: Item): number {
  if (item.kind === "vote") return 220 + 50 * item.vote.proposal.options.length;
  if (item.kind === "asked") return item.question.status === "open" ? 240 : 130;
  if (item.kind === "day" || item.kind === "new" || item.kind === "note") return 40;
  if (item.kind === "trouble") return 72;
  if (item.kind === "published") return 104;
  const text = item.kind === "turn" || item.kind === "said" || item.kind === "answer" ? item.text : "";
  const lines = text ? text.split("\n").length + Math.floor(text.length / 90) : 0;
  const calls = item.kind === "turn" ? item.calls.length * 26 : 0;
  return (joins(before, item) ? 6 : 32) + lines * 22 + calls;
}

const speaker = (item: Item): string | undefined =>
  item.kind === "said" ? item.from : "by" in item ? item.by : undefined;

function joins(before: Item | undefined, item: Item): boolean {
  const who = speaker(item);
  return (
    who !== undefined &&
    before !== undefined &&
    speaker(before) === who &&
    (item.kind === "turn" || item.kind === "said") &&
    Date.parse(item.at) - Date.parse(before.at) < togetherMs
  );
}
