/** Changes to the user's repository or folder: what each node changed, what was merged, and what reaches the user's own branch. */

import { z } from "zod";
import { commandRef } from "../lib/command-line.ts";
import { Change, Diff, Version } from "../schema/diff.ts";
import { NodeId, ParticipantId, RunId, Time } from "../schema/ids.ts";
import { OfAgent } from "./agents.ts";
import { BoardNode, OfNode } from "./board.ts";
import { route } from "./route.ts";

const LeftOut = z
  .object({ path: z.string(), why: z.string() })
  .describe("A file of a workspace that was not saved with it");

const NodeChange = z
  .object({
    node: NodeId.nullable().describe("Null: the coordinator's own"),
    name: z.string(),
    status: BoardNode.shape.status,
    worker: ParticipantId.nullable(),
    change: Change.nullable().describe("Null: nothing was changed so far"),
    published: z.boolean().describe("False: as it was saved last, of a node that is at work, failed or was cancelled"),
    evidence: z.enum(["verified", "reviewed", "claimed"]).optional(),
    merged: Version.nullable().describe("The version of the integration branch that has it; null: none has"),
    through: NodeId.optional().describe(
      "The node that was merged and contains it, such as one that resolved its conflict",
    ),
    left_out: z.array(LeftOut),
    updated_at: Time.nullable(),
  })
  .describe("What one node changed");
export type NodeChange = z.infer<typeof NodeChange>;

const Handover = z
  .object({
    as: z.enum(["merge", "branch", "patch"]),
    commit: Version,
    into: z.string().describe("The branch, or the patch file, that has it now"),
    at: Time,
  })
  .describe("Merged work that the human took over");

export const Changes = z
  .object({
    run: RunId.nullable(),
    runs: z.array(RunId).describe("All runs of the agent, oldest first; each has its own changes"),
    workspace: z
      .object({
        kind: z.enum(["repository", "folder"]).describe("folder: one without git"),
        folder: z.string().describe("The user's folder"),
        base: Version.nullable().describe("The version that the run started from; null before anyone has worked"),
        branch: z
          .string()
          .nullable()
          .describe("The user's branch at that time; null if HEAD was detached, or without git"),
      })
      .nullable()
      .describe("Null if the agent works on no repository or folder; `why` says so"),
    why: z.string().optional().describe("Why there is no workspace"),
    integration: Change.nullable().describe("Everything that was merged so far, against the base"),
    nodes: z.array(NodeChange).describe("In the order of the board"),
    unmerged: z
      .array(NodeId)
      .describe("Nodes whose published changes are not in the integration branch, unless a retry replaced them"),
    handovers: z.array(Handover),
  })
  .describe("The changes of one run");
export type Changes = z.infer<typeof Changes>;

const OfRun = z.object({ run: RunId.optional().describe("Default: the current run") });

const MergeAnswer = z
  .object({
    as: z.enum(["merge", "branch", "patch"]),
    commit: Version,
    into: z.string().describe("The user's branch, the new branch, or the path of the patch file"),
    files: z.number().int(),
    added: z.number().int(),
    removed: z.number().int(),
    unmerged: z.array(NodeId).describe("Nodes whose published changes are not part of it; empty with `node`"),
    text: z.string().describe("What happened, in a sentence"),
  })
  .describe("What became of the merged work");

export const changeRoutes = {
  getChanges: route({
    method: "GET",
    path: "/agents/{agent}/changes",
    tag: "changes",
    summary: "What the nodes of a run changed in the user's repository or folder",
    params: OfAgent,
    query: OfRun,
    ok: 200,
    answer: Changes,
    errors: ["not_found"],
    tools: [
      {
        name: "changes_get",
        title: "List changes to files of your user",
        about: `What an agent that works on a repository or folder of your user changed, node by node: which files, what was merged into its integration branch, what stands behind it. What becomes of it is your user's decision: on the page, or with ${commandRef("merge")}.`,
      },
    ],
  }),
  getDiff: route({
    method: "GET",
    path: "/agents/{agent}/diff",
    tag: "changes",
    summary: "The diff of everything that was merged into the integration branch",
    params: OfAgent,
    query: OfRun,
    ok: 200,
    answer: Diff,
    errors: ["not_found", "wrong_state"],
    tools: [
      {
        name: "changes_diff",
        title: "Read the diff of merged work",
        about:
          "The lines that an agent changed in the files of your user: everything that was merged so far. node_diff has one node.",
      },
    ],
  }),
  getNodeDiff: route({
    method: "GET",
    path: "/agents/{agent}/board/{node}/diff",
    tag: "changes",
    summary: "The diff of what a node changed",
    about: "Of a node that is at work, failed or was cancelled: as its workspace was saved last.",
    params: OfNode,
    query: OfRun.extend({
      against: z
        .enum(["base", "integration"])
        .default("base")
        .describe("base: where the node started; integration: what was merged so far"),
    }),
    ok: 200,
    answer: Diff,
    errors: ["not_found", "wrong_state"],
    tools: [
      {
        name: "node_diff",
        title: "Read the diff of a node",
        about:
          "The lines that one node changed in the files of your user. Comment on one with agent_send to its worker, beginning with FILE:LINE.",
      },
    ],
  }),
  mergeChanges: route({
    method: "POST",
    path: "/agents/{agent}/merge",
    tag: "changes",
    summary: "Take over merged work: merge it into the user's branch, or make a branch or a patch file of it",
    about:
      "`merge` changes the user's branch, and the files of a checkout that has it; local edits there are never overwritten: the answer is 409 " +
      "`conflict` with the files. `branch` makes a new branch in the user's repository. `patch` writes a file and leaves the repository as it is.",
    params: OfAgent,
    body: z.strictObject({
      as: z.enum(["merge", "branch", "patch"]).default("merge"),
      node: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe("Only what this node changed; default: everything that was merged"),
      into: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("With merge: the branch; default: the user's branch at the start"),
      name: z.string().min(1).max(200).optional().describe("With branch: its name; with patch: the name of the file"),
    }),
    ok: 200,
    answer: MergeAnswer,
    errors: ["not_found", "wrong_state", "conflict", "name_taken", "invalid"],
    example: { body: { as: "branch", name: "todo-list" } },
  }),
};
