/** A text as it is asked or proposed: its first line as the title, what follows as Markdown. */
import { firstLine, restOf } from "../../../lib/text/text.ts";
import { visibleLine } from "../../../lib/text/visible.ts";
import { Markdown } from "./markdown.tsx";
import { withoutMarks } from "./plain-words.ts";

export function Headline({ text }: { text: string }) {
  const rest = restOf(text).trim();
  return (
    <>
      <h2>{visibleLine(withoutMarks(firstLine(text)))}</h2>
      {rest ? (
        <div className="ctx">
          <Markdown text={rest} />
        </div>
      ) : null}
    </>
  );
}
