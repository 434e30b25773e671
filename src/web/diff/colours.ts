/**
 * Colours of the lines of a diff, one file after the other as they come into view and a stretch at a time, so that a long one does not hold up the
 * page. Plain until then, and for good where nobody knows the language.
 */
import { useEffect, useRef, useState } from "react";
import type { Diff, FileDiff, Hunk } from "../../schema/diff.ts";
import type { Token } from "../parts/text/highlight.ts";
import { after } from "../platform.ts";

const stretch = 60;
/** Characters of a file; a longer one stays plain. */
const longest = 400_000;

export type Colours = (hunk: Hunk, line: number) => readonly Token[] | undefined;

/** `inView`: indices of files; none while somebody scrolls past. */
export function useColours(diff: Diff, inView: readonly number[]): Colours {
  const found = useRef(new WeakMap<Hunk, (readonly Token[] | undefined)[]>());
  const begun = useRef(new WeakSet<FileDiff>());
  const before = useRef(Promise.resolve());
  const [, draw] = useState(0);
  const over = useRef(false);
  useEffect(() => {
    over.current = false;
    return () => {
      over.current = true;
    };
  }, []);
  useEffect(() => {
    for (const index of inView) {
      const file = diff.files[index];
      if (!file || begun.current.has(file)) continue;
      begun.current.add(file);
      before.current = before.current.then(() =>
        colour(file, found.current, () => {
          if (!over.current) draw((count) => count + 1);
          return !over.current;
        }),
      );
    }
  }, [diff, inView.join()]);
  return (hunk, line) => found.current.get(hunk)?.[line];
}

/** `goOn` is asked after each stretch. */
async function colour(
  { path, hunks }: FileDiff,
  found: WeakMap<Hunk, (readonly Token[] | undefined)[]>,
  goOn: () => boolean,
): Promise<void> {
  const language = path.slice(path.lastIndexOf(".") + 1);
  const length = hunks.reduce((sum, { lines }) => lines.reduce((all, { text }) => all + text.length, sum), 0);
  if (length > longest || language === path) return;
  const { highlightFrom } = await import("../parts/text/highlight.ts");
  for (const hunk of hunks) {
    const tokens: (readonly Token[] | undefined)[] = [];
    found.set(hunk, tokens);
    for (const side of ["added", "removed"] as const) {
      const lines = hunk.lines.flatMap(({ kind, text }, index) =>
        kind === "context" || kind === side ? [{ kind, text, index }] : [],
      );
      if (!lines.some(({ kind }) => kind === side) && (side === "removed" || tokens.length)) continue;
      let end: Parameters<typeof highlightFrom>[2];
      for (let at = 0; at < lines.length; at += stretch) {
        const part = lines.slice(at, at + stretch);
        const got = await highlightFrom(part.map(({ text }) => text).join("\n"), language, end);
        if (!got) return;
        end = got.end;
        part.forEach(({ kind, index }, nth) => {
          if (side === "added" || kind === "removed") tokens[index] = got.lines[nth];
        });
        if (!goOn()) return;
        await new Promise<void>((next) => after(0, next));
      }
    }
  }
}
