/**
 * A change of files: the list of files, and their lines unified or side by side. Only what is looked at is drawn, so thousands of lines scroll as
 * easily as ten. Where there is a `talk`, a line can be commented on; comments stand below their line.
 *
 * Keys: ] and [ go by file, J and K by change, V changes the layout; while the lines have the focus, arrows go by line and Enter comments.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useMemo, useRef, useState } from "react";
import type { Line } from "../../core/file/diff-line.ts";
import { type Comment, lineAt, type Spot, spotKey, spotOf } from "../../core/file/line-comment.ts";
import type { State } from "../../core/state.ts";
import { Tabs } from "../parts/controls/tabs.tsx";
import { plural } from "../parts/text/words.ts";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { createKept, useKept } from "../store/persisted-state.ts";
import "../style/diff.css";
import type { Diff } from "../../schema/diff.ts";
import { useColours } from "./colours.ts";
import { FilePick, FileTree } from "./file-tree.tsx";
import { DiffRow } from "./row.tsx";
import { isFolded, type Layout, lineAfter, type Row, rowAfter, rowsOf } from "./rows.ts";
import { Stat } from "./stat.tsx";
import { Thread } from "./thread.tsx";
import { useWidth } from "./use-width.ts";

/** Comments on the lines. */
export interface Talk {
  state: State;
  /** By `spotKey`. */
  on: ReadonlyMap<string, readonly Comment[]>;
  /** What drafts are kept by. */
  of: string;
  /** Who gets it, and what that does. */
  wakes: string;
  why?: string | undefined;
  say(at: Spot, line: string, text: string): void;
}

const layouts = [
  { id: "unified", name: "Unified" },
  { id: "split", name: "Side by side" },
] as const;
const keptLayout = createKept<Layout>("agiraph.diff", {
  parse: (text) => (text === "unified" ? "unified" : "split"),
  format: (layout) => layout,
});
/** Of the lines, in pixels: below it two of them do not fit side by side. */
const leastForSplit = 760;

interface Given {
  diff: Diff;
  talk?: Talk | undefined;
  /** Above the list of files. */
  above?: ReactNode;
}

export function DiffView({ diff, talk, above }: Given) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [wanted, setWanted] = useKept(keptLayout);
  const layout = width >= leastForSplit ? wanted : "unified";
  const [folded, setFolded] = useState<ReadonlyMap<number, boolean>>(new Map());
  const [writing, setWriting] = useState<{ spot: Spot; text: string }>();
  const [here, setHere] = useState(-1);

  const talked = useMemo(() => {
    const all = new Set(talk?.on.keys());
    if (writing) all.add(spotKey(writing.spot));
    return all;
  }, [talk?.on, writing]);
  const rows = useMemo(() => rowsOf(diff, { layout, folded, talk: talked }), [diff, layout, folded, talked]);
  const heads = useMemo(() => rows.flatMap(({ kind }, at) => (kind === "file" ? [at] : [])), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (at) => heights[rows[at]!.kind],
    getItemKey: (at) => keyOf(rows[at]!, at),
    overscan: 24,
    paddingStart: 10,
    paddingEnd: 10,
    initialRect: { width: 1000, height: 900 },
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const drawn = Array.from({ length: Math.min(count - 1, endIndex + overscan) - from + 1 }, (_, nth) => from + nth);
      // The head of the file that is looked at stays at the top.
      const head = headOf(heads, startIndex);
      return head !== undefined && head < from ? [head, ...drawn] : drawn;
    },
  });
  const items = virtual.getVirtualItems();
  const first = firstInView(items, virtual.scrollOffset ?? 0);
  const head = headOf(heads, first);
  const looked = rows[first]?.file ?? 0;
  const inView = virtual.isScrolling ? [] : [...new Set(items.map(({ index }) => rows[index]?.file ?? 0))];
  const colours = useColours(diff, inView);

  const goTo = (at: number | undefined, align: "start" | "center" | "auto" = "start") => {
    if (at === undefined) return;
    setHere(at);
    virtual.scrollToIndex(at, { align });
  };
  const from = here >= 0 && here < rows.length ? here : first;
  useKey(keyMap.diffFile, (_, name) => goTo(rowAfter(rows, from, "file", name === "]" ? 1 : -1)));
  useKey(keyMap.diffChange, (_, name) =>
    goTo(rowAfter(rows, here < 0 ? -1 : from, "change", name === "j" ? 1 : -1), "center"),
  );
  useKey(keyMap.diffLayout, () => setWanted(layout === "split" ? "unified" : "split"));
  useKey(keyMap.diffLine, ({ target }, name) => {
    if (target !== box.current) return false;
    goTo(lineAfter(rows, here < 0 ? first - 1 : from, name === "arrowdown" ? 1 : -1), "auto");
  });
  useKey(keyMap.comment, ({ target }) => {
    const row = rows[here];
    if (target !== box.current || !talk || row?.kind !== "line") return false;
    comment(row, row.right ?? row.left);
  });
  const comment = (row: Row, line: Line | undefined) => {
    if (!line || !talk) return;
    setWriting({ spot: spotOf(diff.files[row.file]!.path, line), text: line.text });
  };
  const fold = (file: number) => setFolded(new Map([...folded, [file, !isFolded(diff, file, folded)]]));
  const choose = (file: number) => {
    if (isFolded(diff, file, folded)) setFolded(new Map([...folded, [file, false]]));
    goTo(heads[file]);
  };
  const latest = useRef({ fold, comment, choose });
  latest.current = { fold, comment, choose };
  /** The same from draw to draw, so that a row that did not change is not drawn again. */
  const acts = useMemo(
    () => ({
      fold: (file: number) => latest.current.fold(file),
      comment: (row: Row, line: Line) => latest.current.comment(row, line),
      choose: (file: number) => latest.current.choose(file),
    }),
    [],
  );
  const tokensOf = (row: Row & { kind: "line" }, line: Line | undefined) =>
    line && colours(diff.files[row.file]!.hunks[row.hunk]!, line.index);
  const counts = useMemo(() => countsOf(talk?.on), [talk?.on]);

  const thread = (at: Spot): ReactNode => {
    if (!talk) return null;
    const key = spotKey(at);
    const isWriting = writing !== undefined && spotKey(writing.spot) === key;
    return (
      <Thread
        state={talk.state}
        comments={talk.on.get(key) ?? []}
        of={`${talk.of}.${key}`}
        wakes={talk.wakes}
        why={talk.why}
        writing={isWriting}
        write={() => setWriting({ spot: at, text: lineAt(diff, at) ?? "" })}
        close={() => {
          setWriting(undefined);
          box.current?.focus({ preventScroll: true });
        }}
        send={(text) => {
          talk.say(at, writing?.text ?? lineAt(diff, at) ?? "", text);
          setWriting(undefined);
          box.current?.focus({ preventScroll: true });
        }}
      />
    );
  };

  return (
    <div className="dv">
      <div className="dv-side">
        {above}
        <FileTree diff={diff} chosen={looked} choose={acts.choose} comments={counts} />
      </div>
      <div className="dv-main">
        <div className="dv-bar">
          <span>{plural(diff.files.length, "file")}</span>
          <Stat added={diff.added} removed={diff.removed} />
          <FilePick diff={diff} chosen={looked} choose={acts.choose} />
          <span className="grow" />
          {width >= leastForSplit ? <Tabs label="Layout" tabs={layouts} chosen={layout} choose={setWanted} /> : null}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys */}
        <section className={`dv-lines ${layout}`} ref={box} tabIndex={0} aria-label={`Changed lines, ${layout}`}>
          <div className="dv-in" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start, key }) => {
              const row = rows[index];
              if (!row) return null;
              const stuck = index === head;
              return (
                <div
                  key={key}
                  data-index={index}
                  ref={virtual.measureElement}
                  className={`dv-row k-${row.kind} ${index === here ? "here" : ""} ${endsFile(rows, index) ? "last" : ""}`}
                  style={
                    stuck
                      ? { position: "sticky", zIndex: 2, top: 0 }
                      : { position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${start}px)` }
                  }
                >
                  {row.kind === "talk" ? (
                    <div className={`said-at ${layout === "split" ? `of-${row.at.side}` : ""}`}>{thread(row.at)}</div>
                  ) : (
                    <DiffRow
                      row={row}
                      file={diff.files[row.file]!}
                      layout={layout}
                      left={row.kind === "line" ? tokensOf(row, row.left) : undefined}
                      right={row.kind === "line" ? tokensOf(row, row.right) : undefined}
                      talks={talk !== undefined && !talk.why}
                      acts={acts}
                    />
                  )}
                </div>
              );
            })}
          </div>
        </section>
      </div>
    </div>
  );
}

const heights: Record<Row["kind"], number> = { file: 33, hunk: 23, line: 19, note: 37, talk: 60, gap: 10 };

const keyOf = (row: Row, at: number): string =>
  row.kind === "talk" ? `talk ${row.file} ${spotKey(row.at)}` : `${row.kind} ${row.file} ${at}`;

const endsFile = (rows: readonly Row[], at: number): boolean =>
  (rows[at + 1]?.kind !== undefined && rows[at + 1]!.kind === "gap") || at === rows.length - 1;

/** Of the file that a row belongs to. */
function headOf(heads: readonly number[], at: number): number | undefined {
  let found: number | undefined;
  for (const head of heads) if (head <= at) found = head;
  return found;
}

function firstInView(items: readonly { index: number; start: number; end: number }[], offset: number): number {
  return items.find(({ end }) => end > offset + 1)?.index ?? 0;
}

/** Comments by file. */
function countsOf(on: Talk["on"] | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [key, all] of on ?? []) {
    const path = key.replace(/^\S+ \d+ /, "");
    counts.set(path, (counts.get(path) ?? 0) + all.length);
  }
  return counts;
}
