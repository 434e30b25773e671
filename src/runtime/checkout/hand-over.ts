/**
 * Lets the user have what was made: a merge into their files, a branch or a patch file. Only when the user said so, now or with `--merge auto`.
 *
 * It is about the run that is current when it is asked for, and is completed and recorded as such even if another begins meanwhile: what the user has
 * is in the log.
 */
import { join } from "node:path";
import { requireWorkspace } from "../../core/file/workspace.ts";
import type { State } from "../../core/state.ts";
import { runRoot } from "../../home/layout.ts";
import type { Change } from "../../schema/diff.ts";
import { Problem } from "../../schema/problem.ts";
import { changeBetween } from "./change.ts";
import { requireChange } from "./merge.ts";
import type { Shared } from "./shared.ts";

export type HandOverWish = { node?: string } & (
  | { as: "merge"; into?: string }
  | { as: "branch"; name: string }
  | { as: "patch"; name: string }
);

export interface HandingOver {
  /** Lets the user have it. */
  handOver(wish: HandOverWish, actor?: string): Promise<{ commit: string; into: string; change: Change }>;
  /** The same for what was merged, if the user said so beforehand. What became of it, in a sentence; empty if nothing did. */
  handOverByItself(actor: string): Promise<string>;
}

export function createHandingOver({ home, world, live, places, port, inOrder, commitOf }: Shared): HandingOver {
  const { agent, state } = live;
  const { files } = world;

  async function handOver(wish: HandOverWish, actor = "human") {
    const asked = state();
    const { branch } = requireWorkspace(asked);
    const run = places.run();
    const { base, commit: version } = wish.node === undefined ? mergedOf(asked) : requireChange(asked, wish.node);
    const workspaces = await port();
    const made = await changeBetween(workspaces, base, version);
    const commit = commitOf(`Merge work of ${agent}`, agent);
    return await inOrder("merges", async () => {
      if (wish.as === "patch") {
        const path = join(runRoot(home, agent, run), wish.name);
        await files.write(path, await workspaces.patch(base, version));
        return await record("patch", version, path);
      }
      const given = { base, version, commit };
      const over =
        wish.as === "branch"
          ? await workspaces.handOver({ ...given, as: "branch", name: wish.name })
          : await workspaces.handOver({ ...given, as: "merge", into: wish.into ?? branch ?? undefined });
      await world.point?.("handed.over");
      return await record(wish.as, over.version, over.into);
    });

    async function record(as: "merge" | "branch" | "patch", commit: string, into: string) {
      await live.dispatch({ type: "workspace.hand_over", as, commit, into, run }, { actor });
      return { commit, into, change: made };
    }
  }

  return {
    handOver,
    async handOverByItself(actor) {
      const { agent: one, workspace } = state();
      if (one?.merge !== "auto" || !workspace?.integration) return "";
      try {
        const { into } = await handOver({ as: "merge" }, actor);
        return `The changes were merged into ${into}.`;
      } catch (problem) {
        if (!(problem instanceof Problem) || problem.code === "stale" || live.signal.aborted) throw problem;
        return `The changes were not merged into the user's files: ${problem.message}`;
      }
    },
  };
}

function mergedOf(state: State): { base: string; commit: string } {
  const { base, integration } = requireWorkspace(state);
  if (integration !== null) return { base, commit: integration };
  throw new Problem(
    "wrong_state",
    "nothing was merged yet; name a node, or let the coordinator merge what was published",
  );
}
