/** A tree of files with the one that is open beside it. The address names it: `…/files#nodes/n1-a/published/report.md`. */
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty } from "../parts/states.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { useKey } from "../shell/keys.tsx";
import { keepDraft } from "./drafts.ts";
import { useFolders } from "./folders.ts";
import { Hits } from "./search.tsx";
import type { Source } from "./source.ts";
import { Tree } from "./tree.tsx";
import { Viewer } from "./viewer.tsx";

interface Given {
  source: Source;
  state?: State | undefined;
  /** Why nothing can be made here; missing: it can. */
  fixed?: string | undefined;
  /** What stands where nothing is open. */
  about: ReactNode;
  placeholder: string;
  /** Opened if the address names none and it is there. */
  first?: string;
}

export function Browser({ source, state, fixed, about, placeholder, first }: Given) {
  const [path, open] = usePath();
  const folders = useFolders(source);
  const [query, setQuery] = useState("");
  const [making, setMaking] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useKey("/", "Find in files", () => field.current?.focus());
  const { toggle } = folders;
  const steps = path.split("/").slice(0, -1);
  const above = steps.map((_, index) => steps.slice(0, index + 1).join("/")).join("\n");
  useEffect(() => {
    for (const folder of above ? above.split("\n") : []) toggle(folder, true);
  }, [above, source]);
  const top = folders.listed.get("");
  const has = first !== undefined && top?.entries.some(({ name }) => name === first);
  const shown = path || (has && matchMedia("(min-width: 721px)").matches ? first : "");
  return (
    <div className={`fi ${path ? "open" : ""}`}>
      <nav className="tree" aria-label="Files">
        <div className="tree-h">
          <label className="find">
            <Icon name="search" size={14} />
            <input
              ref={field}
              type="search"
              aria-label={placeholder}
              placeholder={placeholder}
              value={query}
              onChange={({ target }) => setQuery(target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Escape") return;
                setQuery("");
                event.currentTarget.blur();
              }}
            />
            {query ? null : <kbd className="hide-phone">/</kbd>}
          </label>
          <IconButton label={fixed ?? "New file"} disabled={fixed !== undefined} onClick={() => setMaking(true)}>
            <Icon name="plus" />
          </IconButton>
        </div>
        {query.trim() ? (
          <Hits query={query.trim()} source={source} folders={folders} choose={open} />
        ) : (
          <Tree folders={folders} state={state} chosen={shown} choose={open} />
        )}
      </nav>
      {shown ? (
        <Viewer key={`${source.id}//${shown}`} source={source} path={shown} close={() => open("")} />
      ) : (
        <div className="pv">
          <div className="pv-h" />
          <Empty title={source.of === "memory" ? "Memory" : "Files"} icon={source.of === "memory" ? "memory" : "files"}>
            {about}
          </Empty>
        </div>
      )}
      <NewFile
        open={making}
        close={() => setMaking(false)}
        make={(name) => {
          const at = source.placeOf(name);
          keepDraft(source.id, at, { text: "", base: null });
          setMaking(false);
          open(at);
        }}
        where={source.of === "memory" ? "In the memory of the agent" : "A document of this run, for everyone in it"}
      />
    </div>
  );
}

function NewFile(given: { open: boolean; close(): void; make(name: string): void; where: string }) {
  const { open, close, make, where } = given;
  const [name, setName] = useState("");
  const good = /^[\p{L}\p{N}_][\p{L}\p{N}._ /-]*$/u.test(name.trim()) && !name.includes("..");
  return (
    <Dialog open={open} label="New file" close={close} className="ask-stop">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (good) make(name.trim());
        }}
      >
        <h2>New file</h2>
        <label className="fld">
          <span>Name</span>
          <input
            className="inp"
            value={name}
            autoFocus
            placeholder="decisions.md"
            onChange={({ target }) => setName(target.value)}
          />
          <small>{where}.</small>
        </label>
        <div className="dialog-f">
          <Button look="ghost" onClick={close}>
            Leave it
          </Button>
          <span className="grow" />
          <Button look="solid" type="submit" disabled={!good} title={good ? undefined : "A name of letters and digits"}>
            Write it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The path in the address. */
function usePath(): [string, (path: string) => void] {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const open = (path: string) => void navigate({ to: ".", hash: path.split("/").map(encodeURIComponent).join("/") });
  return [decoded(hash), open];
}

function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
