/** The file that is open: where it lies, how it is read, what can be done with it. */
import { useEffect, useState } from "react";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Failed, Loading } from "../parts/states.tsx";
import { clock } from "../parts/words.ts";
import { useKey } from "../shell/keys.tsx";
import { Diff } from "./diff-view.tsx";
import { type Draft, draftOf } from "./drafts.ts";
import { Editor } from "./editor.tsx";
import { useFile } from "./file.ts";
import { hasSource, kindOf, Preview } from "./preview.tsx";
import type { Source } from "./source.ts";

export function Viewer({ source, path, close }: { source: Source; path: string; close(): void }) {
  const { file, earlier, problem, again } = useFile(source, path);
  const [asSource, setAsSource] = useState(false);
  const [differs, setDiffers] = useState(false);
  const [draft, setDraft] = useState<Draft | undefined>(() => draftOf(source.id, path));
  useEffect(() => setDraft(draftOf(source.id, path)), [source, path]);
  const there = file && file !== "gone" ? file : undefined;
  const fixed =
    source.fixed(path) ?? (there && (there.text === null || there.truncated) ? "Too large to edit here" : undefined);
  const edit = () => {
    if (fixed !== undefined || !there) return false;
    setDraft({ text: there.text ?? "", base: { sha256: there.sha256, text: there.text ?? "" } });
    return true;
  };
  useKey("e", "Edit the file", () => (draft ? false : edit()));
  const parts = path.split("/");
  const kind = there ? kindOf(there) : undefined;
  const framed = !asSource && (kind === "html" || kind === "pdf");
  return (
    <div className="pv">
      <div className="pv-h">
        <IconButton label="Back to the list" className="back-b" onClick={close}>
          <Icon name="left" />
        </IconButton>
        <span className="crumbs">
          {parts.slice(0, -1).map((part, index) => (
            <span key={index} className="crumbs">
              {part}
              <Icon name="right" size={12} />
            </span>
          ))}
          <b title={path}>{parts.at(-1)}</b>
        </span>
        <span className="grow" />
        {there && !draft && earlier && kind !== "other" ? (
          <Button look="ghost" aria-pressed={differs} onClick={() => setDiffers(!differs)}>
            <Icon name="history" size={14} />
            {differs ? "Read" : "What changed"}
          </Button>
        ) : null}
        {there && !draft && kind && hasSource(kind) && !differs ? (
          <span className="seg sm">
            <button type="button" className={asSource ? "" : "on"} onClick={() => setAsSource(false)}>
              Read
            </button>
            <button type="button" className={asSource ? "on" : ""} onClick={() => setAsSource(true)}>
              Source
            </button>
          </span>
        ) : null}
        {there && !draft && fixed === undefined ? (
          <Button onClick={edit}>
            <Icon name="pencil" size={14} />
            Edit<kbd>E</kbd>
          </Button>
        ) : null}
        {there ? (
          <a className="ib" href={source.address(path)} download={parts.at(-1)} aria-label="Download" title="Download">
            <Icon name="dl" />
          </a>
        ) : null}
      </div>
      {draft ? (
        <Editor
          key={`${source.id}//${path}`}
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
          ) : null}
          {earlier && there && !differs ? (
            <div className="bar2" role="status">
              <Icon name="history" size={14} /> Changed at {clock(there.changed_at)}, while you looked at it.
            </div>
          ) : null}
          <div className={`pv-b ${framed && there && !differs ? "tight" : ""}`}>
            {there ? (
              differs && earlier ? (
                <Diff before={earlier.text ?? ""} after={there.text ?? ""} />
              ) : (
                <Preview source={source} file={there} asSource={asSource} />
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
        </>
      )}
    </div>
  );
}
