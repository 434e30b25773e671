/** The open file: its path, its preview, and the actions on it. */

import { type ReactNode, useEffect, useState } from "react";
import type { State } from "../../core/state.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { clock } from "../parts/text/words.ts";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { type Draft, draftOf } from "./drafts.ts";
import { Editor } from "./editor.tsx";
import { useFile } from "./file.ts";
import { History } from "./history.tsx";
import { fillsPanel, hasSource, kindOf, Preview } from "./preview.tsx";
import { publishedOf, Rail } from "./rail.tsx";
import { ReadOrSource } from "./read-or-source.tsx";
import type { Source } from "./source.ts";
import { ViewerActions } from "./viewer-actions.tsx";

interface Given {
  source: Source;
  path: string;
  /** The line that is shown. */
  line?: number | undefined;
  state?: State | undefined;
  /** What stands beside its name. */
  note?: ReactNode;
  close(): void;
}

export function Viewer({ source, path, line, state, note, close }: Given) {
  const { file, earlier, problem, again } = useFile(source, path);
  const [asSource, setAsSource] = useState(line !== undefined);
  const [history, setHistory] = useState(false);
  const published = publishedOf(source, path) !== undefined;
  const [rail, setRail] = useState(published);
  const key = source.key(path);
  const [draft, setDraft] = useState<Draft | undefined>(() => draftOf(key));
  useEffect(() => setDraft(draftOf(key)), [key]);
  useEffect(() => {
    if (line !== undefined) setAsSource(true);
  }, [line]);
  const there = file && file !== "gone" ? file : undefined;
  const fixed =
    source.fixed(path) ?? (there && (there.text === null || there.truncated) ? "Too large to edit here" : undefined);
  const edit = () => {
    if (fixed !== undefined || !there) return false;
    setHistory(false);
    setDraft({ text: there.text ?? "", base: { sha256: there.sha256, text: there.text ?? "" } });
    return true;
  };
  useKey(keyMap.edit, () => (draft ? false : edit()));
  const parts = path.split("/");
  const kind = there ? kindOf(there) : undefined;
  const hasVersions = source.fixed(path) === undefined || earlier !== undefined || isVersioned(source, path);
  const full = there && (history || fillsPanel(there, asSource));
  return (
    <div className={`pv ${rail && there && !draft ? "with-rail" : ""}`}>
      <div className="preview-head">
        <IconButton label="Back to the list" className="back-b" onClick={close}>
          <Icon name="left" />
        </IconButton>
        <span className="crumbs" title={path}>
          {parts.slice(0, -1).map((part, index) => (
            <span key={index} className="crumbs">
              {part}
              <Icon name="right" size={12} />
            </span>
          ))}
          <b>{parts.at(-1)}</b>
        </span>
        {note}
        <span className="grow" />
        {there && !draft && kind && hasSource(kind) && !history ? (
          <ReadOrSource asSource={asSource} set={setAsSource} />
        ) : null}
        {there && !draft && kind !== "other" && hasVersions ? (
          <Button
            look="ghost"
            className={`chg ${history ? "on" : ""}`}
            aria-label="Changes"
            aria-pressed={history}
            onClick={() => setHistory(!history)}
          >
            <Icon name="history" size={14} />
            <span>Changes</span>
          </Button>
        ) : null}
        {there && !draft && fixed === undefined ? (
          <Button onClick={edit}>
            <Icon name="pencil" size={14} />
            Edit <KeyCaps of={keyMap.edit} />
          </Button>
        ) : null}
        {there ? (
          <ViewerActions source={source} file={there} rail={rail} setRail={draft ? undefined : setRail} />
        ) : null}
      </div>
      {draft ? (
        <Editor
          key={key}
          source={source}
          path={path}
          draft={draft}
          disk={file}
          change={setDraft}
          again={again}
          done={() => setDraft(undefined)}
        />
      ) : (
        <>
          {there?.truncated ? (
            <div className="bar2">
              <Icon name="alert" size={14} /> Only the beginning is shown; download it to have all of it.
            </div>
          ) : earlier && there && !history ? (
            <div className="bar2" role="status">
              <Icon name="history" size={14} /> Changed at {clock(there.changed_at)}, while you looked at it.
            </div>
          ) : null}
          <div className={`preview-body ${full ? "tight" : ""}`}>
            {there ? (
              history ? (
                <History source={source} path={path} state={state} file={there} earlier={earlier} />
              ) : (
                <Preview source={source} file={there} asSource={asSource} line={line} />
              )
            ) : problem ? (
              <Failed what={`${parts.at(-1)} cannot be read`} problem={problem}>
                <Button onClick={() => void again()}>Try again</Button>
              </Failed>
            ) : file === "gone" ? (
              <Empty title="It is not there" icon="doc">
                <p>{path} was removed, or was never made.</p>
                <Button onClick={close}>Back to the list</Button>
              </Empty>
            ) : (
              <Loading rows={8} />
            )}
          </div>
          {rail && there ? <Rail source={source} file={there} state={state} /> : null}
        </>
      )}
    </div>
  );
}

/** Files whose versions the log knows, also of a run that is over. */
function isVersioned(source: Source, path: string): boolean {
  const place = source.placeIn(path);
  return !place || /^(documents\/[^/]+|nodes\/[^/]+\/_spec\.md)$/.test(place.path);
}
