/**
 * What the workspaces of one run share. Everything that is done to a workspace takes several steps, and a new run may begin between two of them; its
 * nodes may have the same ids. Whatever was begun for the run before then ends as `stale` at its next look at the state, before it can touch a folder of
 * the new run or tell its log anything.
 */
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";
import { createPlaces } from "./places.ts";
import type { Shared } from "./shared.ts";

export function ofRun(shared: Shared, run: string | undefined): Shared {
  const { live, home } = shared;
  const isOver = (): boolean => live.state().run?.id !== run;
  const assertCurrent = (): void => {
    if (isOver()) throw new Problem("stale", `${run ?? "what was before the first run"} of ${live.agent} is over`);
  };
  const pinned: Live = {
    ...live,
    state() {
      assertCurrent();
      return live.state();
    },
    async dispatch(command, options) {
      assertCurrent();
      return await live.dispatch(command, options);
    },
  };
  return {
    ...shared,
    live: pinned,
    isOver,
    places: createPlaces(home, pinned),
    async archiveOf(id) {
      assertCurrent();
      return await shared.archiveOf(id);
    },
  };
}
