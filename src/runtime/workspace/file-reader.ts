/**
 * The files of an agent as people may see them, by the two trees they are shown in: the *workspace* of a run, and the *memory* (soul, goal,
 * notes, things to do). Nothing else of the home can be named: not the log, not blobs, not another agent, and no link leads there.
 * What was saved of a workspace and lost since is brought back before anyone looks there.
 *
 * Refusals are Problems: `path_escapes` for what leads out or is no plain file, `not_found`, `too_large`.
 */
import { workspaceAt } from "../../core/file/workspace.ts";
import type { State } from "../../core/state.ts";
import { agentRoot, runRoot } from "../../home/layout.ts";
import type { FileEntry, FileStat, Within, World } from "../../lib/world.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import { digest } from "./publish.ts";

/** `run` is a run's workspace, the current one's if it is not said. */
export type Tree = { of: "workspace"; run?: string | undefined } | { of: "memory" };

export type ShownEntry = FileEntry & FileStat;
export type FileView =
  | { kind: "folder"; path: string; entries: ShownEntry[] }
  | { kind: "file"; path: string; content: Buffer; sha256: string; changed: number };

export interface ShownFiles {
  /** What is at a path; "" is the tree itself. */
  look(tree: Tree, path: string): Promise<FileView>;
  /** The folder that the tree lies in, and where in it the path leads. */
  locate(tree: Tree, path: string): { within: Within; path: string };
}

/** Those that lie beside the memory folder and are shown in it. */
const top = ["GOAL.md", "MEMORY.md", "SOUL.md", "TODO.md"];

export interface ShownFilesOptions {
  home: string;
  world: World;
  agent: string;
  state(): State;
  /** What was saved of a workspace of the current run is there again. */
  recall(id: string): Promise<void> | undefined;
}

export function createShownFiles({ home, world, agent, state, recall }: ShownFilesOptions): ShownFiles {
  function locate(tree: Tree, path: string): { within: Within; path: string } {
    if (tree.of === "memory") {
      const within = world.files.within(agentRoot(home, agent));
      if (top.includes(path) || path === "memory" || path.startsWith("memory/")) return { within, path };
      return { within, path: path ? `memory/${path}` : "memory" };
    }
    const { run, past } = state();
    const all = [...past.map(({ id }) => id), ...(run ? [run.id] : [])];
    const wanted = tree.run ?? run?.id;
    if (wanted === undefined) throw new Problem("not_found", `${agent} has no run yet, so it has no workspace`);
    if (!all.includes(wanted)) throw new Problem("not_found", `${agent} has no run ${wanted}; runs: ${all.join(", ")}`);
    return { within: world.files.within(runRoot(home, agent, wanted)), path };
  }

  async function recallAt(tree: Tree, path: string): Promise<void> {
    const run = state().run?.id;
    if (tree.of === "memory" || run === undefined || (tree.run ?? run) !== run) return;
    const id = workspaceAt(run, path);
    if (id !== undefined) await recall(id);
  }

  async function entriesOf(tree: Tree, within: Within, path: string): Promise<ShownEntry[]> {
    const entries = (await within.list(path)).map(shownEntry);
    if (tree.of !== "memory" || path !== "memory") return entries;
    const there = await Promise.all(top.map(async (name) => ({ name, stat: await within.stat(name) })));
    const beside = there.flatMap(({ name, stat }) => (stat?.kind === "file" ? [shownEntry({ name, ...stat })] : []));
    return [...beside, ...entries.filter(({ name }) => !top.includes(name))];
  }

  return {
    locate,
    look: (tree, given) =>
      asProblems(given, async () => {
        const { within, path } = locate(tree, given);
        await recallAt(tree, path);
        const stat = await within.stat(path);
        const isRoot = given === "" || (tree.of === "memory" && path === "memory");
        if (stat?.kind === "folder" || (!stat && isRoot))
          return { kind: "folder", path: given, entries: await entriesOf(tree, within, path) };
        const content = stat && (await within.read(path));
        if (!content) throw new Problem("not_found", `there is no ${given} in the ${tree.of} of ${agent}`);
        return { kind: "file", path: given, content, sha256: await digest(world, content), changed: stat.changed };
      }),
  };
}

const shownEntry = ({ name, kind, size, changed }: ShownEntry): ShownEntry => ({ name, kind, size, changed });

const codes: Record<string, ProblemCode> = {
  EINVAL: "path_escapes",
  ELOOP: "path_escapes",
  EMLINK: "path_escapes",
  EFTYPE: "path_escapes",
  ENOTDIR: "not_found",
  EISDIR: "invalid",
  EFBIG: "too_large",
  ENAMETOOLONG: "invalid",
};

/** What the disk refused because of the path, in words that name the path as it was given and nothing above it. */
export async function asProblems<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (error instanceof Problem || !(code in codes)) throw error;
    const said = code === "ENOTDIR" ? `there is no ${path}: part of the path is a file` : message;
    throw new Problem(codes[code]!, said, undefined, { cause: error });
  }
}
