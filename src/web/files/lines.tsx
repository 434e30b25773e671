/**
 * A text as it is written, with the numbers of its lines and one of them shown. Long ones draw only what is looked at; a line of very many
 * characters is cut, and says so.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Token } from "../parts/text/highlight.ts";
import { plural } from "../parts/text/words.ts";

const longestColoured = 100_000;
const manyLines = 1_500;
const widest = 10_000;

export const Lines = memo(({ text, language, line }: { text: string; language: string; line?: number | undefined }) => {
  const lines = useMemo(() => text.replace(/\r?\n$/, "").split(/\r?\n/), [text]);
  const coloured = useColours(text, language);
  const body = (index: number): ReactNode => {
    const said = lines[index]!;
    if (said.length > widest)
      return (
        <>
          {said.slice(0, widest)}
          <i>… {plural(said.length - widest, "character")} more in this line</i>
        </>
      );
    return (
      coloured?.[index]?.map(({ text: word, style }, at) => (
        <span key={at} style={style}>
          {word}
        </span>
      )) ?? said
    );
  };
  const Shown = lines.length > manyLines ? Many : Few;
  return <Shown count={lines.length} body={body} line={line} />;
});

interface Given {
  count: number;
  body(index: number): ReactNode;
  line?: number | undefined;
}

function Few({ count, body, line }: Given) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers answer with a promise, which is nothing to give back here.
    void shown.current?.scrollIntoView({ block: "center" });
  }, [line]);
  return (
    <div className="lns">
      <div className="lns-in">
        {Array.from({ length: count }, (_, index) => (
          <div key={index} ref={index + 1 === line ? shown : undefined} className={index + 1 === line ? "on" : ""}>
            <i aria-hidden="true">{index + 1}</i>
            <code>{body(index)}</code>
          </div>
        ))}
      </div>
    </div>
  );
}

function Many({ count, body, line }: Given) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => 19,
    overscan: 20,
  });
  useEffect(() => {
    if (line !== undefined) rows.scrollToIndex(Math.min(line, count) - 1, { align: "center" });
  }, [line, count]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <section className="lns" ref={box} tabIndex={0} aria-label={`${count} lines`}>
      <div className="lns-in" style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            data-index={index}
            ref={rows.measureElement}
            className={index + 1 === line ? "on" : ""}
            style={{ position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${start}px)` }}
          >
            <i aria-hidden="true">{index + 1}</i>
            <code>{body(index)}</code>
          </div>
        ))}
      </div>
    </section>
  );
}

function useColours(text: string, language: string): Token[][] | undefined {
  const [got, setGot] = useState<{ text: string; lines: Token[][] | undefined }>();
  useEffect(() => {
    let over = false;
    if (language && text.length <= longestColoured)
      void import("../parts/text/highlight.ts")
        .then(({ highlight }) => highlight(text, language))
        .then((lines) => {
          if (!over) setGot({ text, lines });
        });
    return () => {
      over = true;
    };
  }, [text, language]);
  return got?.text === text ? got.lines : undefined;
}
