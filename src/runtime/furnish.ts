/** Brings the files of an agent in line with its log when it is opened; if the disk refuses, again later. It may be interrupted anywhere. */
import { goalOf, soulOf } from "../guard/texts.ts";
import { agentRoot } from "../home/layout.ts";
import { Problem } from "../schema/problem.ts";
import type { OpenAgent } from "./agent.ts";
import { setTriggers } from "./config-triggers.ts";
import type { RuntimeOptions } from "./options.ts";
import { sweepDrafts } from "./workspace/drafts.ts";

export type Furnish = (opened: OpenAgent, options?: { isNew?: boolean }) => Promise<void>;

/** How long after a failure the files are looked at again. */
const againMs = 30_000;

export function createFurnish(
  { world, home, triggers = [], notice }: RuntimeOptions,
  isStillOpen: (opened: OpenAgent) => boolean,
): Furnish {
  const began = world.clock.now();
  /** Agents whose folders were swept of what an earlier process left; a new one has nothing. */
  const swept = new Set<string>();

  async function furnish(opened: OpenAgent, { isNew = false } = {}): Promise<void> {
    const { live, edits, projector, indexing } = opened;
    const { agent } = live.state();
    if (isNew) swept.add(live.agent);
    const indexed = indexing?.ready();
    // Its files stay as they are; but what it said is found, also when the index had to be made anew.
    if (!agent || agent.status === "archived") return await indexed;
    try {
      if (!swept.has(live.agent)) {
        await sweepDrafts(world.files, agentRoot(home, live.agent), live.state().run?.id, began);
        swept.add(live.agent);
      }
      if (!live.state().files.has("GOAL.md")) await edits.write("GOAL.md", goalOf(agent.goal), { unless: "there" });
      if (!live.state().files.has("SOUL.md")) await edits.write("SOUL.md", soulOf(agent), { unless: "there" });
      setTriggers(live, triggers, (problem) => notice(live.agent, problem));
      await edits.notice();
      await projector.verify();
    } catch (error) {
      if (live.signal.aborted) return;
      notice(live.agent, error instanceof Problem ? error : new Problem("storage_failed", String(error)));
      world.clock.after(againMs, () => isStillOpen(opened) && opened.track(furnish(opened)));
    }
    await indexed;
  }
  return furnish;
}
