/** One row of a diff: the head of a file, a hunk, a line or two beside each other, or a note. Drawn again only when it changed. */
import { memo } from "react";
import type { Line } from "../../core/file/diff-line.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { FileDiff, Hunk } from "../../schema/diff.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import type { Token } from "../parts/text/highlight.ts";
import { CodeLine } from "./line.tsx";
import type { Layout, Row } from "./rows.ts";
import { Stat } from "./stat.tsx";

interface Acts {
  fold(file: number): void;
  comment(row: Row, line: Line): void;
}

interface Given {
  row: Exclude<Row, { kind: "talk" }>;
  file: FileDiff;
  layout: Layout;
  /** Colours of its lines, once they have come. */
  left: readonly Token[] | undefined;
  right: readonly Token[] | undefined;
  /** A line can be commented on. */
  talks: boolean;
  acts: Acts;
}

export const DiffRow = memo(({ row, file, layout, left, right, talks, acts }: Given) => {
  switch (row.kind) {
    case "gap":
      return null;
    case "file":
      return <Head file={file} folded={row.folded} fold={() => acts.fold(row.file)} />;
    case "hunk":
      return <HunkHead {...file.hunks[row.hunk]!} />;
    case "note":
      return (
        <div className="df-note">
          <span>{visibleLine(row.text)}</span>
          {row.unfold ? (
            <Button look="ghost" onClick={() => acts.fold(row.file)}>
              Show it
            </Button>
          ) : null}
        </div>
      );
    case "line": {
      const comment = talks ? (line: Line) => acts.comment(row, line) : undefined;
      return layout === "split" ? (
        <div className="ln two">
          <Half line={row.left} side="old" tokens={left} comment={comment} />
          <Half line={row.right} side="new" tokens={right} comment={comment} />
        </div>
      ) : (
        <One line={(row.left ?? row.right)!} tokens={row.left ? left : right} comment={comment} />
      );
    }
  }
});

const Head = ({ file, folded, fold }: { file: FileDiff; folded: boolean; fold(): void }) => (
  <div className={`df-h ${folded ? "shut" : ""}`}>
    <IconButton label={folded ? `Show ${file.path}` : `Fold ${file.path}`} aria-expanded={!folded} onClick={fold}>
      <Icon name={folded ? "right" : "down"} size={14} />
    </IconButton>
    <h3 className="mono ell" title={file.path}>
      {file.status === "renamed" && file.old_path ? <span className="dim">{visibleLine(file.old_path)} → </span> : null}
      {visibleLine(file.path)}
    </h3>
    {file.status === "modified" ? null : <span className={`df-s ${file.status}`}>{file.status}</span>}
    {file.binary ? <span className="dim">binary</span> : <Stat {...file} />}
  </div>
);

/** Where it is: the line, and the function if git knows one. */
function HunkHead({ header, new_start }: Hunk) {
  const name = visibleLine(header);
  return (
    <div className="hk ell">
      Line {new_start}
      {name ? <span>{name}</span> : null}
    </div>
  );
}

interface Piece {
  tokens: readonly Token[] | undefined;
  /** Missing where nothing can be said. */
  comment: ((line: Line) => void) | undefined;
}

const looks = { added: "add", removed: "del", context: "" } as const;
const said = { added: "added ", removed: "removed ", context: "" } as const;

function One({ line, tokens, comment }: Piece & { line: Line }) {
  const look = looks[line.kind];
  return (
    <div className={`ln one ${line.kind === "removed" ? "was" : ""}`}>
      <LineNumber of={line.old} line={line} comment={line.kind === "removed" ? comment : undefined} />
      <LineNumber of={line.new} line={line} comment={line.kind === "removed" ? undefined : comment} />
      <code className={look}>
        <span className="sr">{said[line.kind]}</span>
        <CodeLine line={line} tokens={tokens} />
      </code>
    </div>
  );
}

function Half({ line, side, tokens, comment }: Piece & { line: Line | undefined; side: "old" | "new" }) {
  if (!line)
    return (
      <>
        <i className="no nil" />
        <code className="nil" />
      </>
    );
  const look = looks[line.kind];
  const mine = line.kind === "context" ? side === "new" : true;
  return (
    <>
      <LineNumber of={line[side]} line={line} comment={mine ? comment : undefined} />
      <code className={look}>
        <span className="sr">{said[line.kind]}</span>
        <CodeLine line={line} tokens={tokens} />
      </code>
    </>
  );
}

/** The number of a line; pressed, it lets you comment on it. */
function LineNumber({ of, line, comment }: { of: number | undefined; line: Line } & Pick<Piece, "comment">) {
  const look = `no ${looks[line.kind]}`;
  if (of === undefined || !comment)
    return (
      <i className={look} aria-hidden="true">
        {of}
      </i>
    );
  return (
    <button
      type="button"
      className={look}
      tabIndex={-1}
      aria-label={`Comment on line ${of}`}
      title="Comment on this line"
      onClick={() => comment(line)}
    >
      {of}
    </button>
  );
}
