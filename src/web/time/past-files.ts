/**
 * The files of an agent as they were after an event, as far as its log knows them: soul, goal and memory, documents with the version of that
 * time, what nodes had published, specs, resources. Pure. Not here: scratch files and workers' memories, of which the log knows no content.
 *
 * Always holds: what is listed was there then. `from` says where its text of that time is: an event that wrote it, the disk (nothing changed it
 * since), a resource, or nowhere (it was written over and not kept).
 */
import type { Event } from "../../schema/event.ts";

export const groups = ["Soul, goal and memory", "Documents", "Published", "Specs", "Resources", "Other files"] as const;
export type Group = (typeof groups)[number];

export interface FileThen {
  /** Relative to the agent's home; of a resource its id. */
  path: string;
  group: Group;
  name: string;
  /** Whose folder it lies in, if in a run's. */
  run?: string;
  node?: string;
  /** The event that wrote it. */
  seq: number;
  at: string;
  by: string;
  from: "event" | "disk" | "resource" | "nowhere";
  version?: number;
  sha256?: string;
  size?: number;
  type?: string;
}

export function filesAt(events: readonly Event[], seq: number): FileThen[] {
  const files = new Map<string, FileThen>();
  for (let index = 0; index < Math.min(seq, events.length); index++) {
    const event = events[index]!;
    for (const [path, made] of changesIn(event))
      if (made) files.set(path, { ...placed(path), seq: event.seq, at: event.ts, by: event.actor, ...made });
      else files.delete(path);
  }
  // What is on the disk is what was there only if nothing touched it since.
  for (let index = seq; index < events.length; index++)
    for (const [path] of changesIn(events[index]!)) {
      const was = files.get(path);
      if (was?.from === "disk") files.set(path, { ...was, from: was.sha256 === undefined ? "nowhere" : "event" });
    }
  return [...files.values()].sort(inOrder);
}

type Made = Pick<FileThen, "from"> & Partial<FileThen>;

/** What an event did to files: made or replaced, or (nothing) took away. */
function changesIn({ type, data, run }: Event): [path: string, made?: Made][] {
  switch (type) {
    case "document.written": {
      const { document, version, sha256, size } = data;
      return [[`runs/${run}/documents/${document}`, { from: "event", version, sha256, size }]];
    }
    case "document.removed":
      return [[`runs/${run}/documents/${data.document}`]];
    case "file.written":
      return [[data.path, { from: "disk", sha256: data.sha256 }]];
    case "file.edited":
      return data.sha256 === null ? [[data.path]] : [[data.path, { from: "event", sha256: data.sha256 }]];
    case "memory.written":
      return data.participant === "coordinator" ? [[data.path, { from: "disk" }]] : [];
    case "node.completed":
      return data.files.map(({ path, ...file }) => [
        `runs/${run}/nodes/${data.node}/published/${path}`,
        { from: "disk", by: data.worker, ...file },
      ]);
    case "resource.created": {
      const { resource, title, size, type: media } = data;
      const named = { group: "Resources" as const, name: title, type: media };
      return [[resource, { from: "resource", sha256: resource, size, ...named, ...(run ? { run } : {}) }]];
    }
    default:
      return [];
  }
}

function placed(path: string): Pick<FileThen, "path" | "group" | "name" | "run" | "node"> {
  const [, run, rest = ""] = /^runs\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (run === undefined) return { path, group: "Soul, goal and memory", name: path };
  const [, node, inner = ""] = /^nodes\/([^/]+)\/(.+)$/.exec(rest) ?? [];
  if (node !== undefined && inner.startsWith("published/"))
    return { path, group: "Published", name: inner.slice("published/".length), run, node };
  if (node !== undefined && inner === "_spec.md") return { path, group: "Specs", name: `${node}.md`, run, node };
  if (rest.startsWith("documents/")) return { path, group: "Documents", name: rest.slice("documents/".length), run };
  return { path, group: "Other files", name: rest, run };
}

const order = new Intl.Collator("en", { numeric: true });
const rank = ({ group }: FileThen): number => groups.indexOf(group);
const first = ["SOUL.md", "GOAL.md", "MEMORY.md"];
const top = ({ path }: FileThen): number => (first.includes(path) ? first.indexOf(path) : first.length);

/** By group; in it the newest run first, then by node and name. */
function inOrder(a: FileThen, b: FileThen): number {
  return (
    rank(a) - rank(b) ||
    top(a) - top(b) ||
    order.compare(b.run ?? "", a.run ?? "") ||
    order.compare(a.node ?? "", b.node ?? "") ||
    order.compare(a.name, b.name)
  );
}
