/**
 * A text editor for YAML: numbers and colours behind a plain text area, so that whatever a browser can do with text works. Lines with a problem are
 * marked. Tab indents; Escape, then Tab leaves it.
 */
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Token } from "../parts/text/highlight.ts";
import type { FileProblem } from "./problems.ts";

interface Given {
  label: string;
  text: string;
  problems: readonly FileProblem[];
  fixed: boolean;
  change(text: string): void;
  /** Where the caret is. */
  moved(offset: number): void;
  /** To put the caret somewhere: a new object each time. */
  goTo: { offset: number } | undefined;
}

export function YamlEditor({ label, text, problems, fixed, change, moved, goTo }: Given) {
  const field = useRef<HTMLTextAreaElement>(null);
  const leaves = useRef(false);
  const lines = text.split("\n");
  const colours = useColours(text);
  const wrong = new Map(problems.flatMap((one) => (one.line === null ? [] : [[one.line, one.message] as const])));
  useEffect(() => {
    const element = field.current;
    if (!goTo || !element) return;
    element.focus();
    element.setSelectionRange(goTo.offset, goTo.offset);
    const row = text.slice(0, goTo.offset).split("\n").length - 1;
    element.parentElement?.querySelectorAll(".ln")[row]?.scrollIntoView({ block: "nearest" });
  }, [goTo]);
  const report = () => moved(field.current?.selectionStart ?? 0);
  return (
    <div className="yaml">
      <div className="yaml-t">
        <pre aria-hidden="true">
          {lines.map((line, at) => (
            <span key={at} className={`ln ${wrong.has(at + 1) ? "bad" : ""}`}>
              {coloured(colours.get(line), line)}
            </span>
          ))}
        </pre>
        <textarea
          ref={field}
          aria-label={label}
          aria-invalid={problems.length > 0}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          readOnly={fixed}
          value={text}
          onChange={({ target }) => {
            change(target.value);
            moved(target.selectionStart);
          }}
          onSelect={report}
          onBlur={() => {
            leaves.current = false;
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") leaves.current = true;
            else if (event.key === "Tab" && !leaves.current && !fixed && !event.shiftKey) {
              event.preventDefault();
              event.currentTarget.setRangeText(
                "  ",
                event.currentTarget.selectionStart,
                event.currentTarget.selectionEnd,
                "end",
              );
              change(event.currentTarget.value);
            } else if (event.key !== "Tab") leaves.current = false;
          }}
        />
      </div>
    </div>
  );
}

const coloured = (tokens: readonly Token[] | undefined, line: string): ReactNode =>
  tokens?.map(({ text, style }, at) => (
    <span key={at} style={style}>
      {text}
    </span>
  )) ?? line;

/** By line, so that what is typed does not lose its colours while they are made anew. */
function useColours(text: string): ReadonlyMap<string, readonly Token[]> {
  const [colours, setColours] = useState<ReadonlyMap<string, readonly Token[]>>(new Map());
  useEffect(() => {
    let over = false;
    void import("../parts/text/highlight.ts")
      .then(({ highlight }) => highlight(text, "yaml"))
      .then((found) => {
        if (!over && found)
          setColours(new Map(found.map((tokens) => [tokens.map((token) => token.text).join(""), tokens])));
      });
    return () => {
      over = true;
    };
  }, [text]);
  return colours;
}
