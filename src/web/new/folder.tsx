/** A repository or folder of this machine that the new agent works on: typed with completion, or one of the last. The daemon says whether it may be given. */
import { useEffect, useRef, useState } from "react";
import type { FolderView } from "../../api/folders.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { optionAfter } from "../parts/controls/options.ts";
import { after } from "../platform.ts";
import { useClient } from "../store/hooks.ts";
import { recentFolders } from "./draft.ts";

interface Given {
  folder: string;
  choose(folder: string): void;
  /** What creating the agent said of it. */
  refused: string | undefined;
  close(): void;
}

const most = 8;

export function FolderField({ folder, choose, refused, close }: Given) {
  const client = useClient();
  const [view, setView] = useState<FolderView>();
  const [open, setOpen] = useState(folder === "");
  const [at, setAt] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    let over = false;
    const cancel = after(view ? 120 : 0, () => {
      client.lookAtFolder({ query: { path: folder.trim() || "~" } }).then(
        (seen) => {
          if (!over) setView(seen);
        },
        () => undefined,
      );
    });
    return () => {
      over = true;
      cancel();
    };
  }, [client, folder]);

  const recent = folder.trim()
    ? []
    : recentFolders().map((path) => ({ name: path, path, repository: false, recent: true }));
  const items = [...recent, ...(view?.items ?? []).map((one) => ({ ...one, recent: false }))].slice(0, most);
  const shown = open && items.length > 0;
  const take = (path: string, last: boolean) => {
    choose(last ? path : `${path}/`);
    setAt(-1);
    setOpen(!last);
    field.current?.focus();
  };
  const known = view && folder.trim() !== "" && trimmed(view.path) === trimmed(folder, view.path);
  const problem = refused ?? (known ? view.problem : null);
  // Whoever is still typing a name that begins something is not wrong yet: what is offered then lies beside it, not in it.
  const isBeginning = shown && items.some(({ path }) => !path.startsWith(`${trimmed(folder, view?.path)}/`));
  const bad = problem && (refused !== undefined || !isBeginning);
  return (
    <section className="sheet folder" id="new-folder" aria-label="Folder">
      <div className="field">
        <Icon name="files" size={14} />
        <input
          ref={field}
          role="combobox"
          aria-label="Your repository or folder"
          aria-expanded={shown}
          aria-controls="new-folders"
          aria-autocomplete="list"
          aria-activedescendant={shown && at >= 0 ? `new-folder-${at}` : undefined}
          aria-invalid={bad ? true : undefined}
          aria-describedby="new-folder-says"
          placeholder="~/code/shop"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          value={folder}
          onChange={(event) => {
            choose(event.target.value);
            setOpen(true);
            setAt(-1);
          }}
          onKeyDown={(event) => {
            const one = items[at];
            const next = optionAfter(event.key, at, items.length);
            if (next !== undefined) {
              event.preventDefault();
              setOpen(true);
              setAt(next);
            } else if (event.key === "Enter") {
              event.preventDefault();
              if (shown && one) take(one.path, true);
              else close();
            } else if (event.key === "Tab" && !event.shiftKey && shown && at >= 0 && one) {
              event.preventDefault();
              take(one.path, false);
            } else if (event.key === "Escape") {
              event.stopPropagation();
              if (shown) setOpen(false);
              else close();
            }
          }}
        />
        {folder ? (
          <IconButton
            label="No folder"
            onClick={() => {
              choose("");
              setOpen(true);
              field.current?.focus();
            }}
          >
            <Icon name="x" size={14} />
          </IconButton>
        ) : null}
      </div>
      {shown ? (
        <div className="folders" role="listbox" id="new-folders" aria-label="Folders">
          {items.map(({ name, path, repository, recent: last }, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active one
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field
            <div
              key={`${last}${path}`}
              id={`new-folder-${index}`}
              role="option"
              aria-selected={index === at}
              className={index === at ? "on" : ""}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(path, true)}
            >
              <Icon name={last ? "history" : "files"} size={14} />
              <span className={last ? "mono" : ""}>{name}</span>
              {repository ? <i>git</i> : null}
            </div>
          ))}
        </div>
      ) : null}
      <p id="new-folder-says" className={bad ? "bad" : "dim"} role={bad ? "alert" : undefined}>
        {problem ?? saying(view, known === true)}
      </p>
    </section>
  );
}

/** As the daemon writes it: whole, and without a slash at the end. */
function trimmed(path: string, whole = path): string {
  const typed = path.trim().replace(/(.)\/+$/, "$1");
  return typed.startsWith("~") && whole.endsWith(typed.slice(1)) ? whole : typed;
}

function saying(view: FolderView | undefined, known: boolean): string {
  if (!known || !view)
    return "The agent works in a new folder of its own. Give it a repository of yours, and its workers work on their own checkouts of it; you decide what is merged.";
  const { repository } = view;
  return repository
    ? `A git repository${repository.branch ? `, at ${repository.branch}` : ""}. Each worker gets a checkout and a branch of its own; yours changes only when you merge.`
    : "Not a git repository. Each worker gets its own copy; your files change only when you take the result over.";
}

/** A path as a chip says it. */
export const shortFolder = (folder: string): string =>
  folder.trim() ? folder.trim().replace(/\/+$/, "").split("/").at(-1) || "/" : "New folder";
