/** The folders of a tree that are open, each as it was last listed; looked at again when files may have changed. */
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
  /** Every file below, by path; at most some thousands. */
  walk(): Promise<string[]>;
  again(): void;
}

const mostFolders = 400;

export function useFolders(source: Source): Folders {
  const [listed, setListed] = useState<ReadonlyMap<string, Listed>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([""]));
  const opened = useRef(open);
  opened.current = open;

  const list = useCallback(
    async (path: string): Promise<Listed> => {
      try {
        const found = await source.look(path);
        return found.kind === "folder" ? { entries: sorted(found.entries), truncated: found.truncated } : nothing;
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

  useEffect(() => {
    setListed(new Map());
    again();
  }, [again]);
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
    async walk() {
      const found: string[] = [];
      const folders = [""];
      for (let index = 0; index < folders.length && index < mostFolders; index++) {
        const path = folders[index]!;
        for (const { name, kind } of (await list(path)).entries) {
          const at = path ? `${path}/${name}` : name;
          if (kind === "folder") folders.push(at);
          else if (kind === "file") found.push(at);
        }
      }
      return found;
    },
  };
}

const nothing: Listed = { entries: [], truncated: false };

/** Folders first; numbers by their value, so n10 comes after n9. */
const order = new Intl.Collator("en", { numeric: true });
const sorted = (entries: Folder["entries"]) =>
  entries.toSorted((a, b) =>
    (a.kind === "folder") === (b.kind === "folder") ? order.compare(a.name, b.name) : a.kind === "folder" ? -1 : 1,
  );
