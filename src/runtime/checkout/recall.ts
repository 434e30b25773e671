/**
 * Brings a workspace back as it was saved last, when somebody first uses it after this process has opened the agent.
 *
 * Whole: if its folder is missing or empty, or is not the copy that was saved last. In part: if nobody has worked in it since it was saved, and yet
 * files are missing, or differ without having been changed since then, as after a power loss. What was changed later is left alone, whoever did it.
 * The log says what was brought back, and whoever works there is told.
 */
import { join } from "node:path";
import { isSettled, savedOf } from "../../core/file/workspace.ts";
import type { EventOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Saved } from "../../schema/workspace.ts";
import type { Copies } from "./copies.ts";
import type { Shared } from "./shared.ts";

type Why = EventOf<"workspace.restored">["data"]["why"];

export interface Recall {
  /** Why the whole has to be brought back, if so. */
  isLost(id: string): Promise<Why | undefined>;
  /** Puts what `lay` makes in a new folder into the place of the workspace. */
  replace(id: string, lay: (folder: string) => Promise<void>): Promise<void>;
  record(id: string, why: Why, version: string, paths?: readonly string[]): Promise<void>;
  /** Puts back what is missing or broken in a folder that is there. */
  mend(id: string): Promise<void>;
  /** The same for a plain scratch as a whole, if need be. */
  recallScratch(id: string): Promise<void>;
}

const mostNamed = 20;

export function createRecall({ world, live, places, archiveOf, notice }: Shared, copies: Copies): Recall {
  const { files } = world;
  const { state } = live;

  async function isLost(id: string): Promise<Why | undefined> {
    const saved = savedOf(state(), id);
    const isThere = (await files.list(places.scratchOf(id), 1)).length > 0;
    if (!isThere) return saved?.files === 0 && saved.scratch ? undefined : "missing";
    return saved && !(await copies.isSource(id, saved)) ? "elsewhere" : undefined;
  }

  async function replace(id: string, lay: (folder: string) => Promise<void>): Promise<void> {
    const [scratch, half] = [places.scratchOf(id), join(places.rootOf(id), "opening")];
    await files.remove(half);
    await lay(half);
    await world.point?.("checkout.made");
    await files.remove(scratch);
    await files.move(half, scratch);
    await world.point?.("checkout.moved");
  }

  async function record(id: string, why: Why, version: string, paths: readonly string[] = []): Promise<void> {
    const copy = await copies.of(id);
    const count = paths.length || (savedOf(state(), id)?.files ?? 0);
    const what = { version, why, files: count, paths: paths.slice(0, mostNamed), copy };
    await live.dispatch({ type: "workspace.restore", workspace: id, ...what });
    await world.point?.("workspace.restored");
  }

  async function mend(id: string): Promise<void> {
    const saved = savedOf(state(), id);
    const last = saved ? { ...saved, upto: await copies.savedUpto(id, saved) } : checkedOut(id);
    if (last?.upto === undefined || !isSettled(state(), id, last.upto)) return;
    const archive = await archiveOf(id);
    const folder = places.scratchOf(id);
    const found = await archive.differences(places.nameOf(id), folder, last.version);
    const broken = found.filter(({ changed }) => changed === null || changed <= Date.parse(last.at));
    if (!broken.length) return;
    const paths = broken.map(({ path }) => path);
    const done = await archive.putBack(last.version, paths, folder);
    if (done.length) await record(id, "damaged", last.version, done);
  }

  /** As it was made, if nothing was saved of it since. One with a conflict in it is no version. */
  function checkedOut(id: string): { version: string; upto: number | undefined; at: string } | undefined {
    const { from, merging, at, seq: upto } = state().workspaces.get(id) ?? {};
    return from === undefined || merging || at === undefined ? undefined : { version: from, upto, at };
  }

  async function restoreScratch(id: string, why: Why, { version }: Saved): Promise<void> {
    const archive = await archiveOf(id);
    await replace(id, (folder) => archive.restore(version, folder));
    await record(id, why, version);
  }

  return {
    isLost,
    replace,
    record,
    mend,
    async recallScratch(id) {
      const saved = savedOf(state(), id);
      if (!saved?.scratch) return;
      const why = await isLost(id);
      if (!why) return await mend(id);
      await restoreScratch(id, why, saved).catch((problem) => {
        // What is lost for good must not keep anyone from working.
        if (!(problem instanceof Problem) || problem.code === "closed" || live.signal.aborted) throw problem;
        notice(new Problem(problem.code, `${id} could not be restored as it was saved: ${problem.message}`));
      });
    },
  };
}
