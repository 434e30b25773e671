/** What stands behind all that was merged: as much as behind its weakest part, unless checks on the whole say more. */
import type { NodeChange } from "../../api/changes.ts";
import type { State } from "../../core/state.ts";
import type { Evidence } from "../../schema/evidence.ts";

const ranks = ["claimed", "reviewed", "verified"] as const;

/** Undefined if nothing was merged. */
export function mergedEvidence(
  nodes: readonly Pick<NodeChange, "merged" | "evidence">[],
  whole: Evidence | undefined,
): Evidence | undefined {
  const merged = nodes.filter((one) => one.merged).map(({ evidence }) => evidence ?? "claimed");
  const weakest = ranks.find((rank) => merged.includes(rank));
  return ranks.findLast((rank) => rank === weakest || rank === whole);
}

/** Of a run that is open again nothing is said: what it says of the answer before may be outdated. */
export const wholeEvidence = (state: State | undefined): Evidence | undefined =>
  state?.run?.status === "completed" ? state.run.evidence : undefined;
