/** The open folders of a tree, each as last listed; listed again when files may have changed. */
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { useFileChanges } from "./changes.ts";
import type { Folder, Source } from "./source.ts";

export interface Listed {
  entries: Folder["entries"];
  truncated: boolean;
  problem?: Problem;
}

export interface Folders {
  /** By path; "" is the top. Missing while it is asked for. */
  listed: ReadonlyMap<string, Listed>;
  open: ReadonlySet<string>;
  toggle(path: string, open?: boolean): void;
  again(): void;
}

/** `begin`: the folders that are open at first, besides the top. */
export function useFolders(source: Source, begin: readonly string[]): Folders {
  const [listed, setListed] = useState<ReadonlyMap<string, Listed>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(["", ...begin]));
  const opened = useRef(open);
  opened.current = open;

  const list = useCallback(
    async (path: string): Promise<Listed> => {
      try {
        const found = await source.look(path);
        return found.kind === "folder" ? { entries: found.entries, truncated: found.truncated } : nothing;
      } catch (error) {
        const problem = error instanceof Problem ? error : new Problem("unreachable", String(error));
        return { ...nothing, problem };
      }
    },
    [source],
  );
  const load = useCallback(
    async (path: string) => {
      const found = await list(path);
      setListed((before) => new Map(before).set(path, found));
    },
    [list],
  );
  const again = useCallback(() => {
    for (const path of opened.current) void load(path);
  }, [load]);

  useEffect(again, [again]);
  useFileChanges(source.agent, again);

  return {
    listed,
    open,
    again,
    toggle(path, wanted = !open.has(path)) {
      if (wanted === open.has(path)) return;
      setOpen((before) => new Set(wanted ? [...before, path] : [...before].filter((one) => one !== path)));
      if (wanted) void load(path);
    },
  };
}

const nothing: Listed = { entries: [], truncated: false };
