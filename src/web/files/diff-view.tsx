/** A diff of two versions with a few lines of context. */
import { useMemo } from "react";
import { type DiffLine, diffLines } from "../../lib/text/diff-lines.ts";
import { visible } from "../../lib/text/visible.ts";
import { plural } from "../parts/text/words.ts";

const around = 3;

export function Diff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => folded(diffLines(before, after)), [before, after]);
  if (before === after) return <p className="dim">The two versions are identical.</p>;
  return (
    <div className="df">
      {parts.map((part, index) =>
        typeof part === "number" ? (
          <div key={index} className="fold">
            <span />
            <span>{plural(part, "line")} the same</span>
          </div>
        ) : (
          <div key={index} className={part.look}>
            <span>
              {part.look === "add" ? "+" : part.look === "del" ? "−" : ""}
              <span className="sr">{part.look === "add" ? "added" : part.look === "del" ? "removed" : ""}</span>
            </span>
            <span>{visible(part.text) || " "}</span>
          </div>
        ),
      )}
    </div>
  );
}

/** Long stretches without a difference become their length. */
function folded(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const near = new Set<number>();
  lines.forEach(({ look }, index) => {
    if (look !== "same") for (let at = index - around; at <= index + around; at++) near.add(at);
  });
  const parts: (DiffLine | number)[] = [];
  for (let index = 0; index < lines.length; ) {
    let end = index;
    while (end < lines.length && !near.has(end)) end++;
    if (end - index > 2) parts.push(end - index);
    else parts.push(...lines.slice(index, Math.max(end, index + 1)));
    index = Math.max(end, end - index > 2 ? end : index + 1);
  }
  return parts;
}
