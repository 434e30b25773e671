/**
 * The workspaces of one agent (src/workspace), wired to the log: plain scratches, and checkouts of the user's repository or folder.
 *
 * Every workspace is saved while it is worked in (keep.ts), and brought back when it was lost (recall.ts). A checkout is made when somebody first uses
 * it (open.ts), published (result.ts), merged into the integration branch (merge.ts), and handed over to the user (hand-over.ts). A version is
 * durable before the log names it.
 */
import { integrationOf, requireWorkspace } from "../../core/file/workspace.ts";
import type { Change, Diff } from "../../schema/diff.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Merged, Workspaces } from "../../workspace/workspaces.ts";
import { changeBetween } from "./change.ts";
import { createCopies } from "./copies.ts";
import { createHandingOver, type HandingOver } from "./hand-over.ts";
import { createKeeping, type Keeping } from "./keep.ts";
import { createMerging, requireChange } from "./merge.ts";
import { ofRun } from "./of-run.ts";
import { createOpening } from "./open.ts";
import { mergedResult, ownConflict, type Result, resultOf } from "./result.ts";
import { type CheckoutsOptions, createShared, type Shared } from "./shared.ts";

export interface Checkouts
  extends HandingOver,
    Pick<Keeping, "touched" | "working" | "wasTouched" | "told" | "recover" | "unsaved"> {
  /** The scratch of a participant is there. True if it is a checkout of the user's files. */
  ready(me: Thinker): Promise<boolean>;
  /** The same for a workspace by its id. */
  open(id: string): Promise<boolean>;
  /** What was saved of its workspace is there again; undefined if it is known to be. Never throws. */
  resume(me: Thinker): Promise<void> | undefined;
  /** The same for a workspace by its id, before somebody reads it who does not work there. Does nothing for one that was never saved. */
  recall(id: string): Promise<void> | undefined;
  /** What a participant made, as it can be published; nothing if its scratch is not a checkout. */
  result(me: Thinker, summary: string): Promise<Result | undefined>;
  /** Merges what a node published into the integration branch. */
  merge(node: string, actor: string, message?: string): Promise<Merged>;
  /** The same for what the coordinator changed itself. Throws `conflict` unless the integration branch is then what was examined. */
  mergeOwn(result: Result, actor: string): Promise<void>;
  change(from: string, to: string): Promise<Change>;
  diff(from: string, to: string): Promise<Diff>;
  kind(): Promise<Workspaces["kind"]>;
  /** Folders of the user's besides the one that was given, which the worker's own git reads. */
  alsoRead(): Promise<readonly string[]>;
  /** What was begun is over: saved, merged, handed over. */
  idle(): Promise<void>;
  /** Why there is none, if so. */
  missing(): Promise<string | undefined>;
}

function partsOf(shared: Shared) {
  const copies = createCopies(shared);
  const open = createOpening(shared, copies);
  return { shared, open, keeping: createKeeping(shared, copies, open), mergeChange: createMerging(shared) };
}

export function createCheckouts(options: CheckoutsOptions): Checkouts {
  const shared = createShared(options);
  const { live, port, places } = shared;
  const { state } = live;
  let latest: { run: string | undefined; parts: ReturnType<typeof partsOf> } | undefined;
  /** Of the run that is current now. */
  function current(): ReturnType<typeof partsOf> {
    const run = state().run?.id;
    if (latest?.run !== run || !latest) latest = { run, parts: partsOf(ofRun(shared, run)) };
    return latest.parts;
  }
  const { handOver, handOverByItself } = createHandingOver(shared);

  /** Whoever asked is told in any case; what is wrong with the disk only the human can mend. */
  async function telling<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Problem && error.code === "storage_failed" && !live.signal.aborted) options.notice(error);
      throw error;
    }
  }

  async function mergeOwn({ change, own }: Result, actor: string): Promise<void> {
    const { shared: ofThisRun, mergeChange } = current();
    if (own?.files.length) {
      const merged = await mergeChange(places.run(), own, "Work of the coordinator", actor);
      if ("conflicts" in merged) throw ownConflict(merged.conflicts);
    }
    const workspaces = await port();
    const now = await workspaces.contentOf(integrationOf(requireWorkspace(ofThisRun.live.state())));
    if (now === (await workspaces.contentOf(change.commit))) return;
    throw new Problem("conflict", "something else was merged while this was examined; finish again");
  }

  const recalled = new Set<string>();
  const isKnown = (id: string): boolean => state().workspaces.has(id) || state().scratches.has(id);

  async function ready(me: Thinker): Promise<boolean> {
    const id = places.idOf(me);
    return id !== undefined && (await current().open(id));
  }

  function recall(id: string): Promise<void> | undefined {
    const name = isKnown(id) ? places.nameOf(id) : undefined;
    if (name === undefined || recalled.has(name)) return undefined;
    // If it fails, whoever uses it next tries again, and is told why not.
    return current()
      .open(id)
      .then(
        () => void recalled.add(name),
        () => undefined,
      );
  }

  return {
    ready: (me) => telling(() => ready(me)),
    open: (id) => telling(() => current().open(id)),
    resume(me) {
      const id = places.idOf(me);
      return id === undefined ? undefined : recall(id);
    },
    recall,
    touched: (me) => current().keeping.touched(me),
    working: (me) => current().keeping.working(me),
    wasTouched: (participant) => current().keeping.wasTouched(participant),
    told: (events) => current().keeping.told(events),
    recover: () => current().keeping.recover(),
    unsaved: () => current().keeping.unsaved(),
    result: (me, summary) =>
      telling(async () => {
        const { shared: ofThisRun, keeping } = current();
        const merged = await mergedResult(ofThisRun, me);
        if (merged) return merged;
        return (await ready(me)) ? await resultOf(ofThisRun, keeping.keep, me, summary) : undefined;
      }),
    merge: (node, actor, message) =>
      telling(async () => {
        const change = requireChange(state(), node);
        return await current().mergeChange(
          node,
          change,
          message ?? `Merge ${node}: ${state().nodes.get(node)?.name}`,
          actor,
        );
      }),
    mergeOwn: (result, actor) => telling(() => mergeOwn(result, actor)),
    change: async (from, to) => await changeBetween(await port(), from, to),
    diff: async (from, to) => (await port()).diff(from, to),
    handOver,
    handOverByItself,
    idle: shared.idle,
    kind: async () => (await port()).kind,
    alsoRead: async () => (await port()).alsoRead,
    async missing() {
      try {
        await port();
        return undefined;
      } catch (problem) {
        if (problem instanceof Problem && problem.code === "wrong_state") return problem.message;
        throw problem;
      }
    },
  };
}
