/**
 * Text of models and people as markdown, safely: it becomes elements and never HTML, so tags in it are text; links lead out only by http(s) and
 * mail and open elsewhere; pictures are links, because loading them would tell others that it was read. Cut into blocks that are drawn once, so a
 * long text that grows is cheap.
 */

import { marked, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import { decodeEntities } from "../../../lib/text/html-entities.ts";
import { linkTarget, visible } from "../../../lib/text/visible.ts";
import { Code } from "./code.tsx";
import { CodeOrNode, Words } from "./named.tsx";

/** Above this it is not worth the time: it is shown as it is. */
const longest = 200_000;

export const Markdown = memo(({ text, caret = false }: { text: string; caret?: boolean }) => {
  const blocks = useMemo(() => (text.length > longest ? [] : blocksOf(text)), [text]);
  if (text.length > longest) return <pre className="md-plain">{visible(text)}</pre>;
  return (
    <div className="md">
      {blocks.map((block, index) => (
        <Block key={`${index}`} {...block} />
      ))}
      {caret ? <span className="caret" /> : null}
    </div>
  );
});

interface Part {
  raw: string;
  token: Token;
  /** How many targets of links the whole text names: one that comes later may be meant by what came before. */
  targets: number;
}

/** The same words are the same block, whatever came after them. */
const Block = memo(
  ({ token }: Part) => blockOf(token),
  (a, b) => a.raw === b.raw && a.token.type === b.token.type && a.targets === b.targets,
);

function blocksOf(text: string): Part[] {
  try {
    const tokens = marked.lexer(text, { gfm: true });
    const targets = Object.keys(tokens.links).length;
    return tokens.flatMap((token) => (token.type === "space" ? [] : [{ raw: token.raw, token, targets }]));
  } catch {
    return [{ raw: text, token: { type: "text", raw: text, text }, targets: 0 }];
  }
}

function blockOf(token: Token): ReactNode {
  switch (token.type) {
    case "heading": {
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth)}` as "h1";
      return <Heading>{inside(token)}</Heading>;
    }
    case "paragraph":
      return <p>{inside(token)}</p>;
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <Code text={text} language={visible(lang?.split(/\s/)[0] ?? "")} />;
    }
    case "blockquote":
      return <blockquote>{all(token.tokens, blockOf)}</blockquote>;
    case "list":
      return listOf(token as Tokens.List);
    case "table":
      return tableOf(token as Tokens.Table);
    case "hr":
      return <hr />;
    case "html":
      return <p>{visible(token.raw.trim())}</p>;
    case "space":
    case "def":
      return null;
    default:
      return inlineOf(token);
  }
}

function listOf({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    <li key={`${index}`}>
      {item.task ? <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label="done" /> : null}
      {all(item.tokens, blockOf)}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function tableOf({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="md-table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }, column) => (
              <th key={`${column}`} style={{ textAlign: align ?? undefined }}>
                {all(tokens, inlineOf)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={`${row}`}>
              {cells.map(({ tokens, align }, column) => (
                <td key={`${column}`} style={{ textAlign: align ?? undefined }}>
                  {all(tokens, inlineOf)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineOf(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{inside(token)}</strong>;
    case "em":
      return <em>{inside(token)}</em>;
    case "del":
      return <del>{inside(token)}</del>;
    case "codespan":
      return <CodeOrNode text={visible((token as Tokens.Codespan).text)} />;
    case "br":
      return <br />;
    case "link":
      return linkOf((token as Tokens.Link).href, (token as Tokens.Link).text, inside(token));
    case "image": {
      const { href, text } = token as Tokens.Image;
      return linkOf(href, text || "picture", visible(text) || "picture");
    }
    case "escape":
      return visible((token as Tokens.Escape).text);
    case "checkbox":
      return null;
    case "html":
      return visible(token.raw);
    default:
      return inside(token);
  }
}

/**
 * Nothing but these leads anywhere: no script, no data, no address of ours that a text could make one click. Where it leads is said beside words
 * that do not say it.
 */
function linkOf(href: string, words: string, children: ReactNode): ReactNode {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return children;
  const where = linkTarget(words, href);
  return (
    <>
      <a className="lnk" href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
      {where ? <span className="host"> ({visible(where)})</span> : null}
    </>
  );
}

function inside(token: Token): ReactNode {
  if ("tokens" in token && token.tokens) return all(token.tokens, inlineOf);
  return <Words text={visible(decodeEntities("text" in token ? String(token.text) : token.raw))} />;
}

const all = (tokens: readonly Token[] | undefined, make: (token: Token) => ReactNode): ReactNode =>
  tokens?.map((token, index) => <Fragment key={`${index}`}>{make(token)}</Fragment>);
