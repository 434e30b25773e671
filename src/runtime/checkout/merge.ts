/** Merges what was published into the integration branch, one after the other; what was merged before is found done. */

import { integrationOf, requireWorkspace } from "../../core/file/workspace.ts";
import type { State } from "../../core/state.ts";
import type { Change } from "../../schema/diff.ts";
import { Problem } from "../../schema/problem.ts";
import type { Merged } from "../../workspace/workspaces.ts";
import type { Shared } from "./shared.ts";

export type MergeChange = (
  id: string,
  change: Pick<Change, "base" | "commit">,
  message: string,
  actor: string,
) => Promise<Merged>;

export function createMerging({ world, live, places, port, inOrder, commitOf }: Shared): MergeChange {
  const { state } = live;
  return (id, { base, commit }, message, actor) =>
    inOrder("merges", async () => {
      const before = state().workspaces.get(id)?.merged;
      if (before?.commit === commit) return { version: before.integration };
      const workspaces = await port();
      const onto = integrationOf(requireWorkspace(state()));
      const merged = await workspaces.merge({ ours: onto, theirs: commit, base }, commitOf(message, actor));
      if ("conflicts" in merged) return merged;
      await world.point?.("merge.made");
      await workspaces.setBranch(places.branchOf("integration"), merged.version);
      await live.dispatch(
        { type: "workspace.merge", workspace: id, commit, integration: merged.version, onto },
        { actor },
      );
      return merged;
    });
}

/** What a node published, if it changed the user's files. */
export function changeOf({ nodes }: State, id: string): Change | undefined {
  const node = nodes.get(id);
  return node?.status === "completed" ? node.change : undefined;
}

export function requireChange(state: State, id: string): Change {
  const change = changeOf(state, id);
  if (change) return change;
  const node = state.nodes.get(id);
  const why = node?.status === "completed" ? "changed nothing in the repository" : `is ${node?.status}`;
  throw new Problem("wrong_state", `${id} ${why}; only what a node published can be merged`);
}
