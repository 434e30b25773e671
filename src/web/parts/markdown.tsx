/**
 * Text of models and people as markdown, safely: HTML in it is text, links lead out only by http(s) and mail and open elsewhere, pictures are
 * links because loading them would tell others that it was read. Cut into blocks that are drawn once, so a long text that grows is cheap.
 */
import { marked } from "marked";
import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { Code } from "./code.tsx";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) => (
    <a className="lnk" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a className="lnk" href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt || "picture"}
    </a>
  ),
  pre: ({ node, children }) => {
    const code = node?.children[0];
    if (code?.type !== "element" || code.tagName !== "code") return <pre>{children}</pre>;
    const names = code.properties.className;
    const language = Array.isArray(names) ? String(names[0] ?? "").replace("language-", "") : "";
    const text = code.children.map((child) => (child.type === "text" ? child.value : "")).join("");
    return <Code text={text} language={language} />;
  },
  table: ({ children }) => (
    <div className="md-table">
      <table>{children}</table>
    </div>
  ),
};

const Block = memo(({ text }: { text: string }) => (
  <ReactMarkdown remarkPlugins={plugins} components={components}>
    {text}
  </ReactMarkdown>
));

/** Above this it is not worth the time: it is shown as it is. */
const longest = 200_000;

export const Markdown = memo(({ text, caret = false }: { text: string; caret?: boolean }) => {
  const blocks = useMemo(() => blocksOf(text), [text]);
  if (text.length > longest) return <pre className="md-plain">{text}</pre>;
  return (
    <div className="md">
      {blocks.map((block, index) => (
        <Block key={`${index}`} text={block} />
      ))}
      {caret ? <span className="caret" /> : null}
    </div>
  );
});

/** Definitions of links belong to all of it, so a text that has any is one block. */
function blocksOf(text: string): string[] {
  if (/^ {0,3}\[[^\]]+\]:/m.test(text)) return [text];
  try {
    return marked.lexer(text).flatMap(({ type, raw }) => (type === "space" ? [] : [raw]));
  } catch {
    return [text];
  }
}
