/** A tree of files with the one that is open beside it. The address names it: `…/files#nodes/n1-a/published/report.md`. */
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import type { State } from "../../core/state.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { FindField } from "../parts/controls/find-field.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Empty } from "../parts/status/states.tsx";
import { keepDraft } from "./drafts.ts";
import { type Folders, useFolders } from "./folders.ts";
import { NewFile } from "./new-file.tsx";
import { Hits } from "./search.tsx";
import type { Source } from "./source.ts";
import { Tree } from "./tree.tsx";
import { Viewer } from "./viewer.tsx";

interface Given {
  source: Source;
  state?: State | undefined;
  /** Of the agent. */
  status?: string | undefined;
  /** Why nothing can be made here; missing: it can. */
  fixed?: string | undefined;
  /** What stands where nothing is open. */
  about: ReactNode;
  placeholder: string;
  /** Opened if the address names none and it is there. */
  first?: string;
  /** Folders that are open at first. */
  begin?: readonly string[];
}

const none: readonly string[] = [];

export function Browser({ source, state, status, fixed, about, placeholder, first, begin = none }: Given) {
  const [said, line, open] = usePath();
  const path = source.full(said);
  const folders = useFolders(source, begin);
  const [query, setQuery] = useState("");
  const [making, setMaking] = useState(false);
  const { listed } = folders;
  useOpened(path, begin, folders);
  const folderOf = first?.split("/").slice(0, -1).join("/") ?? "";
  const has = first !== undefined && listed.get(folderOf)?.entries.some(({ name }) => name === first.split("/").at(-1));
  const shown = path || (has && matchMedia("(min-width: 721px)").matches ? first : "");
  return (
    <div className={`fi ${path ? "open" : ""}`}>
      <nav className="tree" aria-label="Files">
        <div className="tree-h">
          <FindField
            label={placeholder}
            query={query}
            change={setQuery}
            pressed={(event) => {
              const hit = event.currentTarget.closest(".tree")?.querySelector<HTMLButtonElement>(".hit");
              if (event.key === "Escape") setQuery("");
              else if (event.key === "ArrowDown" && hit) {
                hit.focus();
                event.preventDefault();
              } else if (event.key === "Enter") hit?.click();
            }}
          />
          <IconButton
            label="Reload: files written by programs show up only after the next event"
            onClick={() => folders.again()}
          >
            <Icon name="again" />
          </IconButton>
          <IconButton label={fixed ?? "New file"} disabled={fixed !== undefined} onClick={() => setMaking(true)}>
            <Icon name="plus" />
          </IconButton>
        </div>
        {query.trim() ? (
          <Hits key={source.id} query={query.trim()} source={source} choose={open} />
        ) : (
          <Tree source={source} folders={folders} state={state} status={status} chosen={shown} choose={open} />
        )}
      </nav>
      {shown ? (
        <Viewer
          key={`${source.id}//${shown}`}
          source={source}
          path={shown}
          line={line}
          state={state}
          close={() => open("")}
        />
      ) : (
        <div className="pv">
          <div className="preview-head" />
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
          keepDraft(source.key(at), { text: "", base: null });
          setMaking(false);
          open(at);
        }}
        where={source.of === "memory" ? "In the memory of the agent" : "A document of this run, for everyone in it"}
        what="New file"
      />
    </div>
  );
}

/** Opens what leads to a file, the folder of the run that is now, and its nodes once there are some. */
function useOpened(path: string, begin: readonly string[], { open, listed, toggle }: Folders): void {
  const steps = path.split("/").slice(0, -1);
  const above = [...begin, ...steps.map((_, index) => steps.slice(0, index + 1).join("/"))].join("\n");
  useEffect(() => {
    for (const folder of above ? above.split("\n") : []) toggle(folder, true);
  }, [above]);
  const nodes = begin.find((one) => listed.get(one)?.entries.some(({ name }) => name === "nodes"));
  useEffect(() => {
    if (nodes !== undefined && !open.has(`${nodes}/nodes`)) toggle(`${nodes}/nodes`, true);
  }, [nodes]);
}

/** The path in the address, and the line that it names: `#documents/plan.md?line=12`. */
function usePath(): [string, number | undefined, (path: string, line?: number) => void] {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const open = (path: string, line?: number) => {
    const at = path.split("/").map(encodeURIComponent).join("/");
    void navigate({ to: ".", hash: line === undefined ? at : `${at}?line=${line}` });
  };
  const [, path = "", line] = /^(.*?)(?:\?line=(\d{1,7}))?$/s.exec(hash) ?? [];
  return [decoded(path), line === undefined ? undefined : Number(line), open];
}

function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
