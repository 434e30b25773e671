/** Where files come from: the workspace of a run, or the memory. What may be written by people is known here, so that nobody writes in vain. */
import { useMemo } from "react";
import type { z } from "zod";
import type { FileOrFolder as Shape } from "../../api/files.ts";
import type { FileVersion, FoundFile } from "../../api/find.ts";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import type { Client } from "../../client/index.ts";
import { DocumentName } from "../../schema/document.ts";
import { useClient } from "../store/hooks.ts";

export type FileOrFolder = z.infer<typeof Shape>;
export type File = Extract<FileOrFolder, { kind: "file" }>;
export type Folder = Extract<FileOrFolder, { kind: "folder" }>;
export type Version = z.infer<typeof FileVersion>;
export interface SearchHit {
  items: z.infer<typeof FoundFile>[];
  next: string | null;
  skipped: number;
}

/** A place in a run's workspace. */
export interface Place {
  run: string;
  path: string;
}

/** Where a file's bytes are. */
export interface Bytes {
  address(path: string): string;
  bytes(path: string): Promise<Blob>;
}

export interface Source extends Bytes {
  id: string;
  of: "workspace" | "memory" | "both";
  agent: string;
  look(path: string): Promise<FileOrFolder>;
  /** Null replaces nothing: the file is new. */
  write(path: string, text: string, replaces: string | null): Promise<{ sha256: string }>;
  /** Undefined if people may write it; else why not. */
  fixed(path: string): string | undefined;
  /** Where a new file of this name would lie. */
  placeOf(name: string): string;
  /** Words in names and texts. */
  find(query: string, cursor?: string): Promise<SearchHit>;
  /** Newest first. */
  versions(path: string): Promise<{ items: Version[]; more: boolean }>;
  /** Under what its draft is kept: the same wherever it is opened. */
  key(path: string): string;
  /** The whole of a path that is said in short. */
  full(path: string): string;
  /** Undefined if it lies in no run's workspace. */
  placeIn(path: string): Place | undefined;
}

export function useMemorySource(agent: string): Source {
  const client = useClient();
  return useMemo(() => memorySource(client, agent), [client, agent]);
}

const json = async (response: Promise<Response>): Promise<FileOrFolder> =>
  sorted((await (await response).json()) as FileOrFolder);
const blob = async (response: Promise<Response>): Promise<Blob> => await (await response).blob();
const matching = (replaces: string | null) => (replaces === null ? {} : { ifMatch: `"${replaces}"` });
const named = (name: string): string => (/\.\w+$/.test(name) ? name : `${name}.md`);

export function memorySource(client: Client, agent: string): Source {
  const params = { agent };
  return {
    id: `${agent}/memory`,
    of: "memory",
    agent,
    look: (path) => json(path ? client.readMemory({ params: { agent, path } }) : client.listMemory({ params })),
    write: (path, text, replaces) =>
      client.writeMemory({ params: { agent, path }, body: { text }, ...matching(replaces) }),
    address: (path) => addressOf(routes.readMemory, { params: { agent, path }, query: { raw: "1" } }),
    bytes: (path) => blob(client.readMemory({ params: { agent, path }, query: { raw: "1" } })),
    fixed: () => undefined,
    placeOf: named,
    find: (query, cursor) =>
      client.findInFiles({ params, query: { of: "memory", query, ...(cursor ? { cursor } : {}) } }),
    async versions(path) {
      const { items, next } = await client.listVersions({ params, query: { of: "memory", path } });
      return { items, more: next !== null };
    },
    key: (path) => `${agent}/memory//${path}`,
    full: (path) => path,
    placeIn: () => undefined,
  };
}

/** `fixed`: why nothing in it can be written, if so. */
export function workspaceSource(client: Client, agent: string, run: string, fixed: string | undefined): Source {
  const query = { run };
  const params = { agent };
  return {
    id: `${agent}/${run}`,
    of: "workspace",
    agent,
    look: (path) =>
      json(path ? client.readWorkspace({ params: { agent, path }, query }) : client.listWorkspace({ params, query })),
    write: (path, text, replaces) =>
      client.writeWorkspace({ params: { agent, path }, body: { text }, ...matching(replaces) }),
    address: (path) => addressOf(routes.readWorkspace, { params: { agent, path }, query: { ...query, raw: "1" } }),
    bytes: (path) => blob(client.readWorkspace({ params: { agent, path }, query: { ...query, raw: "1" } })),
    fixed(path) {
      if (fixed !== undefined) return fixed;
      if (/^nodes\/[^/]+\/_spec\.md$/.test(path)) return undefined;
      const [, name] = /^documents\/([^/]+)$/.exec(path) ?? [];
      if (name === undefined)
        return "This file belongs to the worker that made it. You can edit documents and node specs.";
      return DocumentName.safeParse(name).success ? undefined : "Not a valid document name";
    },
    placeOf: (name) => `documents/${named(name)}`,
    find: (words, cursor) =>
      client.findInFiles({ params, query: { run, query: words, ...(cursor ? { cursor } : {}) } }),
    async versions(path) {
      const { items, next } = await client.listVersions({ params, query: { run, path } });
      return { items, more: next !== null };
    },
    key: (path) => `${agent}/${run}//${path}`,
    full: (path) => path,
    placeIn: (path) => ({ run, path }),
  };
}

const first = ["SOUL.md", "GOAL.md", "MEMORY.md"];
const order = new Intl.Collator("en", { numeric: true });
const rank = ({ name, kind }: Folder["entries"][number]): number => {
  if (first.includes(name)) return first.indexOf(name) - 9;
  return name.startsWith("_") && kind === "file" ? 0 : kind === "folder" ? 1 : 2;
};

/** What a folder is about comes first, then folders, then files; numbers by their value, so n10 comes after n9. */
function sorted(found: FileOrFolder): FileOrFolder {
  if (found.kind === "file") return found;
  const entries = found.entries.toSorted((a, b) => rank(a) - rank(b) || order.compare(a.name, b.name));
  return { ...found, entries };
}
