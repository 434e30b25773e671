/**
 * Makes the workspace of a participant ready when somebody first uses it: a checkout of the user's files is made, and what was lost since it was saved is
 * brought back (recall.ts). A plain scratch that was never saved needs nothing.
 *
 * Always holds: nobody touches a scratch before it is complete and the log says what it was made from. Every step may be interrupted and is done
 * again or found done.
 */
import { join } from "node:path";
import { integrationOf, requireWorkspace, worksOnFolder } from "../../core/file/workspace.ts";
import { Problem } from "../../schema/problem.ts";
import type { Workspace } from "../../schema/workspace.ts";
import type { Source, Workspaces } from "../../workspace/workspaces.ts";
import type { Copies } from "./copies.ts";
import { changeOf } from "./merge.ts";
import { createRecall } from "./recall.ts";
import type { Shared } from "./shared.ts";

/** The files of a workspace are there. True if it is a checkout of the user's files. Once in this process, unless it fails. */
export type OpenWorkspace = (id: string) => Promise<boolean>;

export function createOpening(shared: Shared, copies: Copies): OpenWorkspace {
  const { world, live, withheld, notice, places, port } = shared;
  const { files } = world;
  const { state } = live;
  const recall = createRecall(shared, copies);
  const opened = new Map<string, Promise<boolean>>();

  async function open(id: string): Promise<boolean> {
    if (!withheld && worksOnFolder(state(), id) && (await checkOut(id))) return true;
    await recall.recallScratch(id);
    return false;
  }

  /** False if it works in a plain scratch instead. */
  async function checkOut(id: string): Promise<boolean> {
    const marker = join(places.rootOf(id), "checkout.json");
    const before = state().workspaces.get(id);
    const isThere = (await files.list(places.scratchOf(id), 1)).length > 0;
    const why = before && (await recall.isLost(id));
    if (before && !why) {
      await recall.mend(id);
      return true;
    }
    const marked = before ? undefined : await files.read(marker);
    // Files that came before the agent had a folder to work on, or this version of the program.
    if (!before && isThere && !marked) return false;
    const workspaces = await based().catch((problem) => {
      if (!(problem instanceof Problem) || !["wrong_state", "too_large"].includes(problem.code)) throw problem;
      notice(new Problem(problem.code, `${id} works in an empty folder: ${problem.message}`));
      return undefined;
    });
    if (!workspaces) return false;
    const source: Workspace = before ?? (marked && isThere ? JSON.parse(String(marked)) : sourceOf(id));
    const version = before?.kept?.version ?? source.from;
    // One that the log does not know was touched by nobody, and a power loss may have taken files of it.
    if (why || !before) {
      const merging = version === source.from ? source.merging : undefined;
      const from: Source = { version, merging, branch: places.branchOf(id) };
      await recall.replace(id, async (folder) => {
        await workspaces.checkOut(places.nameOf(id), from, folder);
        await files.write(marker, JSON.stringify({ from: source.from, merging: source.merging }));
      });
    }
    if (!before) await live.dispatch({ type: "workspace.open", workspace: id, ...source });
    else if (why) await recall.record(id, why, version);
    return true;
  }

  /** Once the run has its base. */
  async function based(): Promise<Workspaces> {
    const workspaces = await port();
    if (state().workspace) return workspaces;
    const { version, branch } = await workspaces.base();
    await live.dispatch({ type: "workspace.base", kind: workspaces.kind, base: version, branch });
    return workspaces;
  }

  /** What a new checkout starts from. */
  function sourceOf(id: string): Workspace {
    const workspace = requireWorkspace(state());
    const { base, resolves } = state().nodes.get(id) ?? {};
    const integration = integrationOf(workspace);
    const conflict = resolves === undefined ? undefined : changeOf(state(), resolves);
    if (conflict)
      return { from: integration, merging: { node: resolves!, theirs: conflict.commit, base: conflict.base } };
    if (base === "base") return { from: workspace.base };
    return { from: (base === undefined ? undefined : changeOf(state(), base)?.commit) ?? integration };
  }

  return (id) => {
    const key = places.nameOf(id);
    const known =
      opened.get(key) ??
      open(id).catch((error) => {
        opened.delete(key);
        throw error;
      });
    opened.set(key, known);
    return known;
  };
}
