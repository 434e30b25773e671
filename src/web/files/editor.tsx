/**
 * A file of people, edited. Saving names the version that the draft began from; if another one is there now, nothing is written and what each
 * changed is shown: then one takes the other's, keeps one's own over it, or goes on with both in one text. What is not saved is kept as a
 * draft (drafts.ts), so nobody has to be asked before leaving.
 */
import { useEffect, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { Clash } from "./clash.tsx";
import { Diff } from "./diff-view.tsx";
import { type Draft, keepDraft } from "./drafts.ts";
import { isMarked, merge } from "./merge.ts";
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
  const key = source.key(path);
  useEffect(() => keepDraft(key, draft), [key, draft]);
  // Who has changed nothing yet goes on from what is there now.
  useEffect(() => {
    if (moved && !changed && !clash && onDisk?.text != null)
      change({ text: onDisk.text, base: { sha256: onDisk.sha256, text: onDisk.text } });
  }, [moved, changed, clash, onDisk]);

  const leave = () => {
    keepDraft(key, undefined);
    change(undefined);
    done();
  };
  const save = async (replaces = draft.base?.sha256 ?? null) => {
    if (saving) return;
    setSaving(true);
    try {
      await source.write(path, draft.text, replaces);
      say({ look: "done", text: `Saved ${name}. Agents see it from their next turn.` });
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
  const theirs = onDisk?.text ?? "";
  const base = onDisk ? { sha256: onDisk.sha256, text: theirs } : null;
  const together = () => {
    setClash(false);
    setDiffers(false);
    change({ text: onDisk ? merge(draft.base?.text ?? "", draft.text, theirs).text : draft.text, base });
  };

  const marked = isMarked(draft.text);
  const unsaveable =
    !changed && draft.base !== null ? "No changes to save" : marked ? "It still contains conflict markers" : undefined;
  useKey(keyMap.save, () => {
    if (clash) return false;
    if (unsaveable === undefined) void save();
  });
  if (clash)
    return (
      <Clash
        name={name}
        gone={!onDisk}
        base={draft.base?.text ?? ""}
        mine={draft.text}
        theirs={theirs}
        saving={saving}
        takeTheirs={leave}
        together={together}
        keepMine={() => void save(onDisk?.sha256 ?? null)}
      />
    );
  return (
    <>
      <div className={`bar2 ${moved && changed ? "conflict" : ""}`} role={moved && changed ? "alert" : undefined}>
        <Icon name={moved && changed ? "alert" : "pencil"} size={14} />
        <span className="grow">
          {moved && changed
            ? onDisk
              ? `Somebody else changed ${name}. Your text is kept as a draft.`
              : `${name} was deleted. Your text is kept as a draft.`
            : marked
              ? "Both changed the same lines: resolve the marked conflicts, then save"
              : changed
                ? "Not saved; kept as a draft in this browser"
                : draft.base
                  ? "No changes yet"
                  : "A new file"}
        </span>
        {moved && changed ? <Button onClick={() => setClash(true)}>See both</Button> : null}
        {changed && draft.base ? (
          <Button look="ghost" aria-pressed={differs} onClick={() => setDiffers(!differs)}>
            {differs ? "Edit" : "What I changed"}
          </Button>
        ) : null}
        <Button onClick={leave}>{changed ? "Discard" : "Close"}</Button>
        <Button
          look="solid"
          onClick={() => void save()}
          disabled={saving || unsaveable !== undefined}
          title={unsaveable}
        >
          Save <KeyCaps of={keyMap.save} />
        </Button>
      </div>
      <div className={`preview-body ${differs ? "" : "tight"}`}>
        {differs ? (
          <Diff before={draft.base?.text ?? ""} after={draft.text} />
        ) : (
          <div className="edit">
            <textarea
              aria-label={`Text of ${name}`}
              spellCheck={false}
              // biome-ignore lint/a11y/noAutofocus: who opens the editor writes in it; typed elsewhere, letters are keys
              autoFocus
              value={draft.text}
              onChange={({ target }) => change({ ...draft, text: target.value })}
            />
          </div>
        )}
      </div>
    </>
  );
}
