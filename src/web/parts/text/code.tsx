/** Code, coloured when its language is known and the colours have come; plain until then, and always copyable. */
import { memo, useEffect, useState } from "react";
import { visible } from "../../../lib/text/visible.ts";
import { IconButton } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import type { Token } from "./highlight.ts";

const longest = 30_000;

/** What is copied is what is seen. */
export const Code = memo(({ text: given, language }: { text: string; language: string }) => {
  const text = visible(given);
  const [lines, setLines] = useState<Token[][]>();
  useEffect(() => {
    let over = false;
    if (language && text.length <= longest)
      void import("./highlight.ts")
        .then(({ highlight }) => highlight(text, language))
        .then((found) => {
          if (!over) setLines(found);
        });
    return () => {
      over = true;
    };
  }, [text, language]);
  return (
    <div className="code">
      <div className="code-h">
        <span>{language}</span>
        <IconButton label="Copy" onClick={() => void navigator.clipboard?.writeText(text)}>
          <Icon name="copy" size={14} />
        </IconButton>
      </div>
      <pre>
        <code>
          {lines
            ? lines.map((line, row) => (
                <span key={`${row}`}>
                  {line.map(({ text: word, style }, column) => (
                    <span key={`${column}`} style={style}>
                      {word}
                    </span>
                  ))}
                  {"\n"}
                </span>
              ))
            : text}
        </code>
      </pre>
    </div>
  );
});
