/**
 * Accepts proposals for the soul by a rule that the human wrote into the config: those made of the human's own words, with at least so many pieces of
 * evidence. Without the rule nothing is ever accepted here.
 *
 * Level-triggered: open proposals are looked at after every change and after a restart. One that cannot be written is reported and stays open.
 */
import { Problem } from "../schema/problem.ts";
import type { Live } from "./live.ts";
import type { SoulFile } from "./workspace/soul-file.ts";

export interface SoulKeeperOptions {
  live: Live;
  soul(): SoulFile;
  /** Pieces of evidence that are enough; the human decides if missing. */
  enough: number | undefined;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

export function createSoulKeeper({ live, soul, enough, track, notice }: SoulKeeperOptions): { look(): void } {
  const tried = new Set<string>();

  async function accept(proposal: string): Promise<void> {
    try {
      await soul().accept(proposal, "rule");
    } catch (error) {
      if (live.signal.aborted) return;
      notice(error instanceof Problem ? error : new Problem("storage_failed", `SOUL.md: ${String(error)}`));
    }
  }

  return {
    look() {
      if (enough === undefined || live.state().agent?.status === "archived") return;
      for (const { id, status, basis, evidence } of live.state().soulProposals.values()) {
        if (status !== "open" || basis !== "words" || evidence.length < enough || tried.has(id)) continue;
        tried.add(id);
        track(accept(id));
      }
    },
  };
}
