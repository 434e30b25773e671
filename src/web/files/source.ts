/** Where files come from: the workspace of a run, or the memory. What may be written by people is known here, so that nobody writes in vain. */
import { useMemo } from "react";
import type { z } from "zod";
import type { FileOrFolder as Shape } from "../../api/files.ts";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import type { Client } from "../../client/index.ts";
import { DocumentName } from "../../schema/document.ts";
import { useClient } from "../store/hooks.ts";

type FileOrFolder = z.infer<typeof Shape>;
export type File = Extract<FileOrFolder, { kind: "file" }>;
export type Folder = Extract<FileOrFolder, { kind: "folder" }>;

export interface Source {
  /** Under what drafts and what was seen are kept. */
  id: string;
  of: "workspace" | "memory";
  agent: string;
  look(path: string): Promise<FileOrFolder>;
  /** Null replaces nothing: the file is new. */
  write(path: string, text: string, replaces: string | null): Promise<{ sha256: string }>;
  /** Its bytes. */
  address(path: string): string;
  bytes(path: string): Promise<Blob>;
  /** Undefined if people may write it; else why not. */
  fixed(path: string): string | undefined;
  /** Where a new file of this name would lie. */
  placeOf(name: string): string;
}

export function useSource(of: Source["of"], agent: string, run: string | undefined, current: boolean): Source {
  const client = useClient();
  return useMemo(
    () => (of === "memory" ? memory(client, agent) : workspace(client, agent, run, current)),
    [client, of, agent, run, current],
  );
}

const json = async (response: Promise<Response>): Promise<FileOrFolder> =>
  (await (await response).json()) as FileOrFolder;
const blob = async (response: Promise<Response>): Promise<Blob> => await (await response).blob();
const matching = (replaces: string | null) => (replaces === null ? {} : { ifMatch: `"${replaces}"` });

function memory(client: Client, agent: string): Source {
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
    placeOf: (name) => (/\.\w+$/.test(name) ? name : `${name}.md`),
  };
}

function workspace(client: Client, agent: string, run: string | undefined, current: boolean): Source {
  const query = run === undefined ? {} : { run };
  return {
    id: `${agent}/${run ?? ""}`,
    of: "workspace",
    agent,
    look: (path) =>
      json(
        path
          ? client.readWorkspace({ params: { agent, path }, query })
          : client.listWorkspace({ params: { agent }, query }),
      ),
    write: (path, text, replaces) =>
      client.writeWorkspace({ params: { agent, path }, body: { text }, ...matching(replaces) }),
    address: (path) => addressOf(routes.readWorkspace, { params: { agent, path }, query: { ...query, raw: "1" } }),
    bytes: (path) => blob(client.readWorkspace({ params: { agent, path }, query: { ...query, raw: "1" } })),
    fixed(path) {
      if (!current) return "This run is over; its files stay as they are";
      if (/^nodes\/[^/]+\/_spec\.md$/.test(path)) return undefined;
      const [, name] = /^documents\/([^/]+)$/.exec(path) ?? [];
      if (name === undefined) return "It belongs to whoever made it; people write documents and the specs of nodes";
      return DocumentName.safeParse(name).success ? undefined : "No name of a document";
    },
    placeOf: (name) => `documents/${/\.\w+$/.test(name) ? name : `${name}.md`}`,
  };
}
