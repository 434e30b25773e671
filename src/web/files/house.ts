/**
 * Everything of an agent in one tree, as the page of files shows it: soul, goal and memory first, then a folder per run, the newest first.
 * A path without a run is one of the current run, as other pages say it.
 */
import { useMemo } from "react";
import type { Client } from "../../client/index.ts";
import type { State } from "../../core/state.ts";
import { useClient } from "../store/hooks.ts";
import { memorySource, type SearchHit, type Source, workspaceSource } from "./source.ts";

const top = ["SOUL.md", "GOAL.md", "MEMORY.md"];

interface RunOf {
  id: string;
  started_at: string;
}

export function useHouse(agent: string, state: State | undefined): Source {
  const client = useClient();
  const now = state?.run;
  const runs: RunOf[] = state ? [...(now ? [now] : []), ...state.past.toReversed()] : [];
  const said = runs.map(({ id, started_at }) => `${id} ${started_at}`).join("\n");
  const open = now?.status === "open" && state?.agent?.status !== "archived" ? now.id : undefined;
  return useMemo(() => house(client, agent, runs, open), [client, agent, said, open]);
}

function house(client: Client, agent: string, runs: readonly RunOf[], open: string | undefined): Source {
  const memory = memorySource(client, agent);
  const over = "This run is over; its files are read-only";
  const works = runs.map(({ id }) => workspaceSource(client, agent, id, id === open ? undefined : over));
  const full = (path: string): string => {
    const [step = ""] = path.split("/");
    return path === "" || top.includes(path) || runs.some(({ id }) => id === step) ? path : `${runs[0]?.id}/${path}`;
  };
  /** Whose it is, and its path there. */
  function at(given: string): [Source, string] {
    const path = full(given);
    if (top.includes(path)) return [memory, path];
    const [run = "", ...rest] = path.split("/");
    return [works[runs.findIndex(({ id }) => id === run)] ?? memory, rest.join("/")];
  }
  const inTop = (path: string): boolean => top.includes(path);

  return {
    id: `${agent}/files`,
    of: "both",
    agent,
    full,
    async look(path) {
      if (path !== "") {
        const [source, inner] = at(path);
        return { ...(await source.look(inner)), path };
      }
      const found = await memory.look("");
      const files = found.kind === "folder" ? found.entries.filter(({ name }) => inTop(name)) : [];
      const folders = runs.map(({ id, started_at }) => ({
        name: id,
        kind: "folder" as const,
        size: 0,
        changed_at: started_at,
      }));
      return { kind: "folder", path: "", entries: [...files, ...folders], truncated: false };
    },
    write: (path, text, replaces) => at(path)[0].write(at(path)[1], text, replaces),
    address: (path) => at(path)[0].address(at(path)[1]),
    bytes: (path) => at(path)[0].bytes(at(path)[1]),
    fixed: (path) => at(path)[0].fixed(at(path)[1]),
    placeOf: (name) => `${runs[0]?.id}/${works[0]?.placeOf(name)}`,
    versions: (path) => at(path)[0].versions(at(path)[1]),
    key: (path) => at(path)[0].key(at(path)[1]),
    placeIn: (path) => at(path)[0].placeIn(at(path)[1]),
    /** The three of the memory, then run by run: a cursor is of one of them, and says of which. */
    async find(query, cursor = "0:") {
      const parts = [memory, ...works];
      let [index, inner] = [Number(cursor.split(":")[0]), cursor.slice(cursor.indexOf(":") + 1)];
      const found: SearchHit = { items: [], next: null, skipped: 0 };
      for (let part = parts[index]; part; part = parts[index]) {
        const said = await part.find(query, inner || undefined);
        const items = part === memory ? said.items.filter(({ path }) => inTop(path)) : said.items;
        const run = runs[index - 1]?.id;
        found.items.push(...items.map((one) => (run ? { ...one, path: `${run}/${one.path}` } : one)));
        found.skipped += part === memory ? 0 : said.skipped;
        if (part === memory || said.next === null) [index, inner] = [index + 1, ""];
        else inner = said.next;
        if (found.items.length >= 50 || said.next !== null) break;
      }
      return { ...found, next: index < parts.length ? `${index}:${inner}` : null };
    },
  };
}
