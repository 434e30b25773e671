import { z } from "zod";
import { findNode } from "../core/lookup.ts";
import { lead, leads } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { isMergeApproved } from "../core/team/binding.ts";
import { isSingle } from "../core/team/worker.ts";
import { type Node, nodeCommands } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";

export const merge = defineTool({
  name: "merge",
  about:
    "Merge what a node changed in the user's files into the run's integration branch, which later nodes start from.",
  guidance:
    "Read what the node changed first (published/NODE/changes.patch), or let a reviewer's node do that; merge only what is right. " +
    "If it conflicts with what was merged before, nothing is merged and a node is created whose checkout has both sides in it, with the same checks: when its worker has resolved it, merge that node. " +
    "What is never merged is not part of the result; the user decides what happens to the integration branch.",
  effect: "outside",
  repeatable: true,
  offer: { when: ["folder"], words: "git, integrate, branch, pull request, commit" },
  needs: "folder",
  input: z.object({
    node: z.string().min(1).describe("The completed node whose change is merged"),
    message: z.string().min(1).max(2_000).optional().describe("What the change does, for the history"),
    worker: nodeCommands["node.create"].shape.worker.describe(
      "Who resolves a conflict; if missing, whoever made the change",
    ),
  }),
  async run({ node: given, message, worker }, context) {
    const found = findNode(context.state(), given);
    const { id: node, checks } = found;
    assertMay(context, node);
    const merged = await context.merge(node, message);
    if ("version" in merged) return `${node} is merged; the integration branch is at ${merged.version.slice(0, 12)}.`;
    const files = merged.conflicts.join(", ");
    const { made } = await context.dispatch({
      type: "node.create",
      name: `merge ${node}`,
      task: `Resolve the conflicts between ${node} and what was merged before, in ${files}. Your checkout has both sides in these files, between <<<<<<< and >>>>>>>. Keep what both sides wanted, remove the marks, see that everything still works, and publish.`,
      acceptance: "No conflict mark is left, and both changes do what they did before.",
      resolves: node,
      ...(checks?.length ? { checks } : {}),
      worker: worker ?? authorOf(context.state(), found),
    });
    return `Not merged: it conflicts with what was merged before, in ${files}. ${made.node} was created to resolve it; merge ${made.node} when it is completed.`;
  },
});

/** Who made it, if that is somebody who can see both sides: not a program that does one thing, nor a single call. */
function authorOf({ participants }: State, node: Node): string | undefined {
  const author = "worker" in node && node.worker ? participants.get(node.worker) : undefined;
  return author?.kind === "harnessed" && !author.retired && !isSingle(author) ? author.id : undefined;
}

/**
 * Whoever leads, and a worker for what its own node builds on or has given to others; for what resolves a conflict, whoever may merge that. Where there
 * is no coordinator, anyone may merge what was approved by a binding vote.
 */
function assertMay({ me, node: own, state }: ToolContext, node: string): void {
  const { nodes } = state();
  const mine = own === undefined ? undefined : nodes.get(own);
  const may = (id: string): boolean => {
    const { parent, resolves } = nodes.get(id) ?? {};
    return mine?.depends_on.includes(id) || (mine && parent === own) || (resolves !== undefined && may(resolves));
  };
  if (leads(state(), me) || may(node)) return;
  if (lead(state()))
    throw new Problem(
      "forbidden",
      `${node} is not yours to merge; the coordinator merges it, or a node that depends on it`,
    );
  if (isMergeApproved(state(), node)) return;
  throw new Problem(
    "forbidden",
    `${node} is not yours to merge and nobody leads this run; put it to the vote first: proposal_create with binding {effect: merge, of: ${node}}`,
  );
}
