/** The files that were there after an event, as far as the log knows them, with the one that is open beside the list. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { useTreeKeys } from "../files/tree-keys.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { iconOf } from "../parts/files/file-icon.ts";
import { Empty } from "../parts/status/states.tsx";
import { plural } from "../parts/text/words.ts";
import { useCalm } from "./calm.ts";
import { FileThenView } from "./file-then.tsx";
import { type FileThen, filesAt, type Group } from "./past-files.ts";
import "../style/files.css";

interface Given {
  agent: string;
  events: readonly Event[];
  state: State;
  /** The path of the one that is open. */
  file: string | undefined;
  open(path: string | undefined): void;
}

export function FilesThen({ agent, events, state, file, open }: Given) {
  const then = useCalm(state);
  const known = events.length;
  const files = useMemo(() => filesAt(events, then.seq), [events, known, then]);
  const one = files.find(({ path }) => path === file);
  return (
    <div className={`fi ${file === undefined ? "" : "open"}`} data-then={then.seq}>
      <nav className="tree then" aria-label="Files then">
        {files.length ? <List files={files} run={then.run?.id} chosen={file} choose={open} /> : null}
        <p className="hint">
          {files.length ? "" : "No files yet at that time. "}
          The log does not record scratch files, nor what workers keep in their memory: they are not shown.
        </p>
      </nav>
      {one ? (
        <FileThenView key={one.path} agent={agent} file={one} state={then} close={() => open(undefined)} />
      ) : (
        <div className="pv">
          <div className="preview-head">
            {file === undefined ? null : (
              <button type="button" className="ib back-b" aria-label="Back to the list" onClick={() => open(undefined)}>
                <Icon name="left" />
              </button>
            )}
          </div>
          {file === undefined ? (
            <Empty title={plural(files.length, "file")} icon="files">
              <p>Choose a file to read it as it was then.</p>
            </Empty>
          ) : (
            <Empty title="It did not exist" icon="doc">
              <p>At this moment there was no {file.split("/").at(-1)}: it came later, or had been taken away.</p>
            </Empty>
          )}
        </div>
      )}
    </div>
  );
}

interface Listed {
  files: readonly FileThen[];
  /** Of that time. */
  run: string | undefined;
  chosen: string | undefined;
  choose(path: string): void;
}

/** Only what is seen is drawn: a run may have thousands. */
function List({ files, run, chosen, choose }: Listed) {
  const box = useRef<HTMLDivElement>(null);
  const keys = useTreeKeys();
  const rows = useMemo(() => withHeads(files), [files]);
  const high = matchMedia("(max-width: 720px)").matches ? 40 : 27;
  const drawn = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (typeof rows[index] === "string" ? 28 : high),
    getItemKey: (index) => (typeof rows[index] === "object" ? rows[index].path : rows[index]!),
    overscan: 12,
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the rows in it
    <div className="tree-v" ref={box} onKeyDown={keys}>
      <ul className="rows" style={{ height: drawn.getTotalSize() }}>
        {drawn.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]!;
          const style = { transform: `translateY(${start}px)` };
          if (typeof row === "string")
            return (
              <li key={key} className="vrow tree-g" style={style}>
                {row}
              </li>
            );
          const { path, name, node, version } = row;
          const note = [
            row.run === run ? "" : row.run,
            row.group === "Published" ? node?.split("-")[0] : "",
            version && `v${version}`,
          ];
          return (
            <li key={key} className="vrow" style={style}>
              <button
                type="button"
                className={`tr flat ${path === chosen ? "on" : ""}`}
                data-path={path}
                aria-current={path === chosen ? "true" : undefined}
                title={path}
                onClick={() => choose(path)}
              >
                <Icon name={iconOf(name)} />
                <span className="name">{name}</span>
                <span className="note">{note.filter(Boolean).join(" ")}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function withHeads(files: readonly FileThen[]): (Group | FileThen)[] {
  return files.flatMap((file, index) => (files[index - 1]?.group === file.group ? [file] : [file.group, file]));
}
