/** One line of code: coloured where colours have come, with what differs from its other version marked. What is invisible is shown as a sign. */
import { memo, type ReactNode } from "react";
import type { Line } from "../../core/file/diff-line.ts";
import { hasHidden, visible } from "../../lib/text/visible.ts";
import type { Token } from "../parts/text/highlight.ts";
import { plural } from "../parts/text/words.ts";
import { emphasisOf, type Stretch } from "./emphasis.ts";

const widest = 2_000;

export const CodeLine = memo(({ line, tokens }: { line: Line; tokens: readonly Token[] | undefined }) => {
  const text = line.text.length > widest ? line.text.slice(0, widest) : line.text;
  const rest = line.text.length - text.length;
  // Colours and marks are by character: not on a text whose characters are replaced.
  const plain = hasHidden(text);
  return (
    <>
      {plain ? visible(text) : piecesOf(text, plain ? undefined : tokens, marksOf(line))}
      {rest ? <i>… {plural(rest, "character")} more in this line</i> : null}
    </>
  );
});

function marksOf({ kind, text, other }: Line): readonly Stretch[] {
  if (other === undefined || kind === "context") return [];
  return kind === "removed" ? emphasisOf(text, other).before : emphasisOf(other, text).after;
}

/** Tokens, cut where a mark begins or ends. */
function piecesOf(text: string, tokens: readonly Token[] | undefined, marks: readonly Stretch[]): ReactNode {
  const words: readonly Token[] = tokens ?? [{ text, style: {} }];
  if (words.map((word) => word.text).join("") !== text && tokens) return piecesOf(text, undefined, marks);
  if (!marks.length) return tokens ? words.map((word, nth) => <Word key={nth} {...word} />) : text;
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { text: word, style } of words) {
    const to = at + word.length;
    const cuts = [at, ...marks.flat().filter((place) => place > at && place < to), to];
    for (let nth = 0; nth + 1 < cuts.length; nth++) {
      const [from, until] = [cuts[nth]!, cuts[nth + 1]!];
      const piece = <Word key={from} text={text.slice(from, until)} style={style} />;
      const marked = marks.some(([start, end]) => start <= from && until <= end);
      pieces.push(marked ? <mark key={from}>{piece}</mark> : piece);
    }
    at = to;
  }
  return pieces;
}

const Word = ({ text, style }: Token) => <span style={style}>{text}</span>;
