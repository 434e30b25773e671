/**
 * A file of people, edited. Saving names the version that the draft began from; if another one is there now, nothing is written and both are
 * shown: then one takes the other's, keeps one's own over it, or goes on with both before one's eyes.
 */
import { useEffect, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { Diff } from "./diff-view.tsx";
import { type Draft, keepDraft } from "./drafts.ts";
import type { File, Source } from "./source.ts";

interface Given {
  source: Source;
  path: string;
  draft: Draft;
  /** As it is on the disk now, as far as is known. */
  disk: File | "gone" | undefined;
  change(draft: Draft | undefined): void;
  /** Looks at the disk. */
  again(): Promise<File | "gone" | undefined>;
  done(): void;
}

export function Editor({ source, path, draft, disk, change, again, done }: Given) {
  const { say } = useToasts();
  const [saving, setSaving] = useState(false);
  const [differs, setDiffers] = useState(false);
  const [clash, setClash] = useState(false);
  const name = path.split("/").at(-1)!;
  const onDisk = disk === "gone" || disk === undefined ? null : disk;
  const moved = clash || (onDisk?.sha256 ?? null) !== (draft.base?.sha256 ?? null);
  const changed = draft.text !== (draft.base?.text ?? "");
  useEffect(() => keepDraft(source.id, path, draft), [source, path, draft]);

  const leave = () => {
    keepDraft(source.id, path, undefined);
    change(undefined);
    done();
  };
  const save = async (replaces = draft.base?.sha256 ?? null) => {
    if (saving) return;
    setSaving(true);
    try {
      await source.write(path, draft.text, replaces);
      say({ look: "done", text: `Saved ${name}. Agents see it from their next turn on.` });
      setClash(false);
      await again();
      leave();
    } catch (error) {
      if (error instanceof Problem && error.code === "conflict") {
        await again();
        setClash(true);
      } else say({ look: "failure", text: error instanceof Error ? error.message : String(error) });
    } finally {
      setSaving(false);
    }
  };
  const rebase = () => {
    setClash(false);
    change({ text: draft.text, base: onDisk ? { sha256: onDisk.sha256, text: onDisk.text ?? "" } : null });
  };

  if (moved && (clash || changed))
    return (
      <>
        <div className="bar2 conflict" role="alert">
          <Icon name="alert" />
          <span className="grow">
            {onDisk ? `${name} was changed by somebody else meanwhile.` : `${name} is not there any more.`} Nothing was
            written over.
          </span>
          <Button onClick={leave}>Take theirs</Button>
          <Button onClick={rebase}>Go on with mine</Button>
          <Button look="solid" disabled={saving} onClick={() => void save(onDisk?.sha256 ?? null)}>
            Save mine over it
          </Button>
        </div>
        <div className="pv-b tight">
          <div className="both">
            <div>
              <h3>On the disk now</h3>
              <pre data-testid="theirs">{onDisk?.text ?? ""}</pre>
            </div>
            <div>
              <h3>Yours</h3>
              <pre data-testid="mine">{draft.text}</pre>
            </div>
          </div>
        </div>
      </>
    );
  return (
    <>
      <div className="bar2">
        <Icon name="pencil" size={14} />
        <span className="grow">{changed ? "Not saved yet" : draft.base ? "Nothing changed yet" : "A new file"}</span>
        {changed && draft.base ? (
          <Button look="ghost" aria-pressed={differs} onClick={() => setDiffers(!differs)}>
            {differs ? "Edit" : "What I changed"}
          </Button>
        ) : null}
        <Button onClick={leave}>{changed ? "Discard" : "Close"}</Button>
        <Button
          look="solid"
          onClick={() => void save()}
          disabled={saving || (!changed && draft.base !== null)}
          title={changed ? undefined : "Nothing was changed"}
        >
          Save<kbd>⌘S</kbd>
        </Button>
      </div>
      <div className={`pv-b ${differs ? "" : "tight"}`}>
        {differs ? (
          <Diff before={draft.base?.text ?? ""} after={draft.text} />
        ) : (
          <div className="edit">
            <textarea
              aria-label={`Text of ${name}`}
              spellCheck={false}
              value={draft.text}
              onChange={({ target }) => change({ ...draft, text: target.value })}
              onKeyDown={(event) => {
                if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "s") return;
                event.preventDefault();
                if (changed || !draft.base) void save();
              }}
            />
          </div>
        )}
      </div>
    </>
  );
}
