/**
 * What somebody is to say yes to, to the last sign: how many lines it has, what cannot be seen written out and set off, and what to look at
 * closely. It is drawn from left to right whatever is in it, never cut, and scrolls with the page only.
 */
import { Fragment, useMemo } from "react";
import { exactText, linesIn } from "../../../lib/text/visible.ts";

export function Exact({ text }: { text: string }) {
  const { lines, risks } = useMemo(() => exactText(text), [text]);
  const count = linesIn(text);
  return (
    <div className="exact">
      {count ? <p className="exact-n num">{count}</p> : null}
      <pre dir="ltr">
        {lines.map((pieces, row) => (
          <Fragment key={`${row}`}>
            {row ? "\n" : null}
            {pieces.map((piece, at) => (piece.sign ? <mark key={`${at}`}>{piece.text}</mark> : piece.text))}
          </Fragment>
        ))}
      </pre>
      {risks.map((risk) => (
        <p key={risk} className="exact-r">
          <b>Look closely:</b> {risk}
        </p>
      ))}
    </div>
  );
}
