/**
 * The scope of one caller: what it may read and write, by the paths that its tools are given.
 *
 * A relative path is in the caller's scratch: the working directory of bash, and what publish publishes. A few first steps are views of what others
 * made; they are matched exactly, so a name that only looks like one is a name in scratch, and `./documents` is always scratch. Everything is
 * resolved below the run's folder or the agent's home (lib/world.ts Within), so no link and no race leads anywhere else. Skills are outside both
 * and are resolved by their names (`skills/NAME/…`), and so is the project folder (`project/…`; without one that is a name in scratch like any
 * other).
 * Always holds: only scratch is written. Every refusal names what can be reached.
 */
import { workspaceAt, workspaceOf } from "../core/file/workspace.ts";
import type { State } from "../core/state.ts";
import { stepsOf } from "../lib/files/steps.ts";
import type { FileEntry, FileStat, Within } from "../lib/world.ts";
import type { Node } from "../schema/node.ts";
import { Problem, type ProblemCode } from "../schema/problem.ts";
import type { Thinker } from "../schema/worker.ts";

/** Below the run's folder. A worker without a node has one of its own. */
export function scratchOf({ kind, id, node }: Thinker): string {
  if (node !== undefined) return `nodes/${node}/scratch`;
  return kind === "coordinator" ? "scratch" : `workers/${id}/scratch`;
}

export type ScopeEntry = FileEntry & FileStat;

export interface Scope {
  /** Throws not_found if there is no such file. */
  read(path: string, most?: number): Promise<Buffer>;
  write(path: string, content: string): Promise<void>;
  /** Throws not_found if there is no such folder. */
  list(path: string): Promise<ScopeEntry[]>;
  stat(path: string): Promise<FileStat | null>;
  /** What the caller can read, for a message. */
  reach(): string;
  /** The views that have content. */
  views(): string[];
}

export interface ScopeOptions {
  me: Thinker;
  state(): State;
  /** The folder of the run. */
  run: Within;
  /** Awaited before scratch is used. */
  prepare?(): Promise<unknown>;
  /** Awaited before the workspace of another node is read. */
  recall?(workspace: string): Promise<void> | undefined;
  /** Told when something in scratch may have been written. */
  written?(): void;
  /** The home of the agent. */
  home: Within;
  /** The project folder, if any. */
  project?: Within;
  /** The skills that the caller may read; none if missing. */
  skills?: { names(): Promise<string[]>; folder(name: string): Promise<Within | undefined> };
}

/** Where a path leads. `names` are the folders of a virtual view. */
type Place = { in: Within; path: string; own: boolean; root?: boolean } | { names: string[] };

const ofRun = new Set(["_plan.md", "_output.md", "documents", "_messages"]);
const ofNode = new Set(["_spec.md", "_refs.json", "_status.md"]);
const ofHome = new Set(["SOUL.md", "GOAL.md", "MEMORY.md", "TODO.md", "memory"]);
/** How to change what a path only shows: with a tool, or not at all. */
export const keepers: Record<string, string> = {
  "_plan.md": "write_plan changes it",
  "_output.md": "finish writes it",
  documents: "documents belong to people, and only they change them; tell them with send_message what should change",
  _resources: "resources never change; resource_create keeps another one",
  published: "what is published never changes; write to your scratch and publish it",
  memory: "memory_write changes it",
  "MEMORY.md": "memory_write changes it",
  "TODO.md": "todo changes it",
  skills: "skills belong to the user, and only the user changes them",
  project:
    "the project folder belongs to the user and is read-only; change the same file in your scratch, which is a checkout of it, or copy it there",
};

export function createScope(options: ScopeOptions): Scope {
  const { me, state, run, home, skills, project, prepare, recall, written } = options;
  const leads = me.kind === "coordinator";
  const nodes = (): Node[] => [...state().nodes.values()];
  /** Its own, what it created, and the node that its node retries. */
  const mine = (node: Node): boolean =>
    node.creator === me.id ||
    ("worker" in node && node.worker === me.id) ||
    (me.node !== undefined && state().nodes.get(me.node)?.retry_of === node.id);

  async function place(given: string): Promise<Place> {
    const plain = given.startsWith("./");
    const steps = allowed(plain ? given.slice(2) : given);
    const [first = "", second, third] = steps;
    const at = (folder: Within, path: string): Place => ({ in: folder, path, own: false });
    const inWorkspace = async (path: string): Promise<Place> => {
      const workspace = workspaceAt(state().run!.id, path);
      if (workspace !== undefined) await recall?.(workspace);
      return at(run, path);
    };
    if (plain) return inScratch(steps);
    if (ofRun.has(first)) return at(run, given);
    if (first === "_resources") return at(run, ["resources", ...steps.slice(1)].join("/"));
    if (ofHome.has(first) && leads) return at(home, given);
    if (ofNode.has(first)) {
      if (!me.node) throw refuse("not_found", `you hold no node, so there is no ${first}`);
      return at(run, `nodes/${me.node}/${given}`);
    }
    if (first === "project" && project) return at(project, steps.slice(1).join("/"));
    if (first === "skills") {
      if (second === undefined) return { names: (await skills?.names()) ?? [] };
      const skill = await skills?.folder(second);
      if (skill) return at(skill, steps.slice(2).join("/"));
      const names = (await skills?.names()) ?? [];
      const there = names.length ? `skills: ${names.slice(0, 30).join(", ")}` : "there are no skills";
      throw refuse("not_found", `there is no skill ${JSON.stringify(second)}; ${there}`);
    }
    if (first === "workers") {
      if (second === undefined) return { names: [me.id] };
      if (second !== me.id) throw refuse("forbidden", `${given} belongs to another worker`);
      return await inWorkspace(steps.join("/"));
    }
    if (first === "published") {
      if (second === undefined) return { names: nodes().flatMap((node) => (isPublished(node) ? [node.id] : [])) };
      return at(run, ["nodes", published(second).id, "published", ...steps.slice(2)].join("/"));
    }
    if (first === "nodes") {
      if (second === undefined)
        return { names: nodes().flatMap((node) => (mine(node) || isPublished(node) ? [node.id] : [])) };
      if (third === "published") return at(run, `nodes/${published(second).id}/${steps.slice(2).join("/")}`);
      if (third === "failure_notes.md") return at(run, given);
      if (!mine(board(second)))
        throw refuse(
          "forbidden",
          `${second} is neither your node nor created by you; you can read only published/${second}/…`,
        );
      return await inWorkspace(steps.join("/"));
    }
    return inScratch(steps);
  }

  function allowed(path: string): string[] {
    try {
      return stepsOf(path);
    } catch (error) {
      throw refuse("path_escapes", (error as Error).message);
    }
  }

  async function inScratch(steps: readonly string[]): Promise<Place> {
    await prepare?.();
    return { in: run, path: [scratchOf(me), ...steps].join("/"), own: true, root: steps.length === 0 };
  }

  /** Then the project's files are in scratch too. */
  const isCheckout = (): boolean => state().workspaces.has(workspaceOf(state(), me) ?? "");

  function board(id: string): Node {
    const node = state().nodes.get(id);
    if (node) return node;
    const all = nodes().map((one) => one.id);
    throw refuse("not_found", `there is no node ${JSON.stringify(id)}; nodes: ${all.join(", ") || "none"}`);
  }

  function published(id: string): Node {
    const node = board(id);
    if (isPublished(node)) return node;
    throw refuse("not_found", `${id} is ${node.status} and has published nothing`);
  }

  const reach = (): string => {
    const shown = ["published/NODE/…", "documents/…", "_messages/…", "_resources/…", "_plan.md", `workers/${me.id}/…`];
    if (skills) shown.push("skills/NAME/…");
    if (project) shown.push("project/…");
    if (me.node) shown.push(...ofNode);
    if (leads) shown.push("SOUL.md", "GOAL.md", "MEMORY.md", "TODO.md", "memory/…");
    return [
      "relative paths are your scratch",
      `you can read ${shown.join(", ")}, and nodes/NODE/… of nodes that you made`,
    ].join("; ");
  };
  const refuse = (code: ProblemCode, why: string) => new Problem(code, `${why}. Allowed: ${reach()}.`);

  /** File system errors in our wording; the originals may contain paths of this machine. */
  async function attempt<T>(path: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (error instanceof Problem || !code) throw error;
      if (code === "ELOOP")
        throw refuse("path_escapes", `${JSON.stringify(path)} contains a link, and links are not followed`);
      if (code === "EMLINK" && project && path.startsWith("project/"))
        throw new Problem("invalid", `${JSON.stringify(path)} is a hard link; copy it into your scratch with bash`);
      const known = refusals[code];
      if (known) throw new Problem(known[0], `${JSON.stringify(path)} ${known[1]}`);
      throw new Problem("storage_failed", `${JSON.stringify(path)}: the disk says ${code}`, {}, { cause: error });
    }
  }

  async function neighbours(path: string): Promise<string> {
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
    const names = await list(folder).then(
      (found) => found.map(({ name, kind }) => (kind === "folder" ? `${name}/` : name)),
      () => [],
    );
    const where = folder === "." ? "your scratch" : folder;
    if (!names.length) return `${where} is empty or does not exist`;
    return `${where} has ${names.slice(0, 30).join(", ")}${names.length > 30 ? " …" : ""}`;
  }

  async function list(path: string): Promise<ScopeEntry[]> {
    const there = await place(path);
    if ("names" in there) return there.names.map((name) => ({ name, kind: "folder", size: 0, changed: 0 }));
    const found = await attempt(path, () => there.in.list(there.path));
    // Scratch is created on the first write; until then it is empty, not missing.
    if (found.length || there.root || (await attempt(path, () => there.in.stat(there.path)))) return found;
    throw new Problem("not_found", `there is no folder ${JSON.stringify(path)}. Allowed: ${reach()}.`);
  }

  return {
    async read(path, most) {
      const there = await place(path);
      if ("names" in there) throw new Problem("invalid", `${path} is a folder; list_files shows what is in it`);
      const content = await attempt(path, () => there.in.read(there.path, most));
      if (content) return content;
      throw new Problem("not_found", `there is no file ${JSON.stringify(path)}; ${await neighbours(path)}`);
    },
    async write(path, content) {
      const there = await place(path);
      if ("names" in there || !there.own) {
        const first = path.split("/")[0]!;
        const how = keepers[first] ?? "you can only read it";
        throw new Problem("forbidden", `${path} cannot be written: ${how}. ./${path} would be a file in your scratch.`);
      }
      try {
        await attempt(path, () => there.in.write(there.path, content));
      } finally {
        written?.(); // a write that failed may have happened all the same
      }
    },
    list,
    async stat(path) {
      const there = await place(path);
      if ("names" in there) return { kind: "folder", size: 0, changed: 0 };
      return await attempt(path, () => there.in.stat(there.path));
    },
    reach,
    views: () => [
      ...nodes().flatMap((node) => (isPublished(node) ? [`published/${node.id}`] : [])),
      "documents",
      ...(project && !isCheckout() ? ["project"] : []), // last: it may be larger than all others
    ],
  };
}

/** A name in scratch that must be written with ./ before it, or it would be a view. */
export const isView = (path: string): boolean => {
  const first = path.split("/")[0]!;
  return [ofRun, ofNode, ofHome].some((names) => names.has(first)) || others.includes(first);
};

const others = ["_resources", "workers", "published", "nodes", "skills", "project"];

const isPublished = (node: Node): boolean => node.status === "completed";

const refusals: Record<string, [ProblemCode, string]> = {
  EISDIR: ["invalid", "is a folder, not a file; list_files shows what is in it"],
  ENOTDIR: ["invalid", "uses a file as a folder"],
  EMLINK: ["invalid", "is a hard link; make it a separate file: cp a b && mv b a"],
  EFTYPE: ["invalid", "is a pipe, a socket or a device; only files are read and written"],
  EFBIG: ["too_large", "is too large for this; use bash to look at a part of it"],
  ENAMETOOLONG: ["invalid", "has a name that is too long"],
};
