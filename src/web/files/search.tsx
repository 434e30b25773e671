/** Search in files by name and by line, and in memory notes also by meaning. Arrow keys move, Enter opens the file at the line. */
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import { after } from "../platform.ts";
import { useClient } from "../store/hooks.ts";
import type { SearchHit, Source } from "./source.ts";
import { iconOf } from "./tree.tsx";

interface Note {
  path: string;
  section: string;
  text: string;
}
interface Given {
  query: string;
  source: Source;
  choose(path: string, line?: number): void;
}

export function Hits({ query, source, choose }: Given) {
  const client = useClient();
  const [found, setFound] = useState<SearchHit>();
  const [notes, setNotes] = useState<Note[]>([]);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const fail = (error: unknown) => setProblem(error instanceof Problem ? error.message : String(error));
  useEffect(() => {
    let over = false;
    const cancel = after(200, () => {
      const meant =
        source.of === "memory"
          ? client.searchMemory({ params: { agent: source.agent }, body: { query, limit: 30 } })
          : Promise.resolve({ found: [] });
      Promise.all([source.find(query), meant])
        .then(([said, more]) => {
          if (over) return;
          setProblem("");
          setFound(said);
          setNotes(more.found);
        })
        .catch((error: unknown) => !over && fail(error));
    });
    return () => {
      over = true;
      cancel();
    };
  }, [query, source, client]);
  if (problem) return <p className="hint">{problem}</p>;
  if (!found) return <p className="hint">Searching…</p>;

  const goOn = async () => {
    setBusy(true);
    try {
      const more = await source.find(query, found.next!);
      setFound({ ...more, items: [...found.items, ...more.items], skipped: found.skipped + more.skipped });
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  const shown = new Set(found.items.map(({ path }) => path));
  const meant = notes.map((one) => ({ ...one, path: one.path.replace(/^memory\//, "") }));
  const others = meant.filter(({ path }) => !shown.has(path));
  const count = found.items.length + others.length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the rows in it
    <div className="hits" onKeyDown={walk}>
      <p className="hint" role="status">
        {count ? `${plural(count, "file")}${found.next ? " so far" : ""}` : "Nothing found"}
        {found.skipped ? `; ${plural(found.skipped, "file")} not searched (binary or too large)` : ""}
      </p>
      {found.items.map(({ path, lines, more }) => (
        <div key={path} className="hit-f">
          <button type="button" className="hit" onClick={() => choose(path)} title={path}>
            <Icon name={iconOf(path)} size={14} />
            <b>{marked(path, query)}</b>
          </button>
          {lines.map(({ line, text, from, to }) => (
            <button key={line} type="button" className="hit ln" onClick={() => choose(path, line)}>
              <i>{line}</i>
              <span>
                {text.slice(0, from)}
                <mark>{text.slice(from, to)}</mark>
                {text.slice(to)}
              </span>
            </button>
          ))}
          {more ? <p className="hint">and more lines</p> : null}
        </div>
      ))}
      {others.length ? <p className="hint">Similar in meaning</p> : null}
      {others.map(({ path, section, text }, index) => (
        <button key={index} type="button" className="hit note" onClick={() => choose(path)}>
          <b>
            {path}
            {section ? ` · ${section}` : ""}
          </b>
          <span>{text}</span>
        </button>
      ))}
      {found.next ? (
        <Button look="ghost" disabled={busy} onClick={() => void goOn()}>
          {busy ? "Searching…" : "Search further"}
        </Button>
      ) : null}
    </div>
  );
}

function marked(text: string, query: string): ReactNode {
  const at = text.toLowerCase().indexOf(query.toLowerCase());
  if (at === -1) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + query.length)}</mark>
      {text.slice(at + query.length)}
    </>
  );
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(".hit")];
  const at = rows.indexOf(event.target as HTMLButtonElement);
  if (at === -1 || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
  const next = rows[at + (event.key === "ArrowDown" ? 1 : -1)];
  event.preventDefault();
  if (next) next.focus();
  else if (at === 0)
    event.currentTarget.closest(".tree")?.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
}
