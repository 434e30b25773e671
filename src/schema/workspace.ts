/**
 * Where participants work: what was saved of each workspace, a plain scratch or a checkout. And work on the user's repository or folder: the base of a
 * run, the checkouts of its nodes, what was merged and handed over.
 */
import { z } from "zod";
import { Version } from "./diff.ts";
import { NodeId, RunId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

/** A node's, the coordinator's, which has the name of the run, or that of a worker for the time in which it holds no node. */
const WorkspaceId = z
  .union([NodeId, RunId, z.string().regex(/^worker-[a-z0-9][a-z0-9-]{0,63}$/)])
  .describe("The node; the run for the coordinator's own; worker-NAME for what a worker has besides its nodes");

const LeftOut = z.object({ path: z.string(), why: z.string() });
const count = z.number().int().nonnegative();

const base = {
  kind: z.enum(["repository", "folder"]).describe("folder: one without git"),
  base: Version.describe("The version that the run started from"),
  branch: z.string().nullable().describe("The user's branch at that time; null if there was none"),
};

const opened = {
  from: Version.describe("The version that was checked out"),
  merging: z
    .object({ node: NodeId, theirs: Version, base: Version })
    .optional()
    .describe("What was merged into it, with conflicts for its worker to resolve"),
};

const kept = {
  version: Version,
  files: count.describe("How many differ from where it started; of a plain scratch, which starts empty, all"),
  added: count.optional().describe("Lines; missing for a plain scratch"),
  removed: count.optional(),
  left_out: z.array(LeftOut).max(20).describe("What was not saved, and why"),
  more_left_out: count,
  scratch: z.literal(true).optional().describe("A plain scratch, not a checkout of the user's files"),
  upto: count.optional().describe("What had ended by this event is in it; older events do not say"),
  copy: z
    .string()
    .max(64)
    .optional()
    .describe("The folder it was saved from, on one disk; one on another disk is another copy"),
};

const restored = {
  version: Version,
  why: z
    .enum(["missing", "damaged", "elsewhere"])
    .describe("The folder was gone; files in it were missing or broken; or it was last worked on in another copy"),
  files: count.describe("How many were put back"),
  paths: z.array(z.string()).max(20).describe("Some of them"),
  copy: kept.copy,
};

const handover = {
  as: z.enum(["merge", "branch", "patch"]),
  commit: Version,
  into: z.string().min(1).describe("The branch, the folder or the patch file that has it now"),
};

export const Handover = z.object({ ...handover, at: Time });

const handedOver = z.object({
  ...handover,
  run: RunId.optional().describe("Whose work it is; another run may have begun meanwhile. Default: the current one"),
});

export const RunWorkspace = z
  .object({
    ...base,
    integration: Version.nullable().describe("Everything that was merged so far; null before the first merge"),
    handovers: z.array(Handover),
  })
  .describe("The repository or folder that a run works on");
export type RunWorkspace = z.infer<typeof RunWorkspace>;

const Saved = z.object({ ...kept, at: Time }).describe("As it was saved last");
export type Saved = z.infer<typeof Saved>;

export const Workspace = z
  .object({
    ...opened,
    at: z.string().optional().describe("When it was opened"),
    seq: count.optional().describe("The event that says so"),
    kept: Saved.optional(),
    merged: z
      .object({ commit: Version, integration: Version })
      .optional()
      .describe("What was merged of it last, and the version of the integration branch that has it"),
  })
  .describe("The checkout of one node");
export type Workspace = z.infer<typeof Workspace>;

const workspaceEvents = {
  "workspace.based": z.object(base),
  "workspace.opened": z.object({ workspace: WorkspaceId, ...opened }),
  "workspace.kept": z
    .object({ workspace: WorkspaceId, ...kept })
    .describe("Saved as a version, whose bytes are durable"),
  "workspace.restored": z.object({ workspace: WorkspaceId, ...restored }).describe("Brought back as it was saved last"),
  "workspace.merged": z.object({
    workspace: WorkspaceId,
    commit: Version.describe("What was merged"),
    integration: Version.describe("The integration branch with it"),
  }),
  "workspace.handed_over": handedOver,
};

const workspaceCommands = {
  "workspace.base": z.object(base),
  "workspace.open": workspaceEvents["workspace.opened"],
  "workspace.keep": workspaceEvents["workspace.kept"],
  "workspace.restore": workspaceEvents["workspace.restored"],
  "workspace.merge": workspaceEvents["workspace.merged"].extend({
    onto: Version.describe("The integration branch that it was merged into; refused if it has moved since"),
  }),
  "workspace.hand_over": handedOver,
};

export const workspace = defineNoun({
  name: "workspace",
  events: workspaceEvents,
  commands: workspaceCommands,
  state: () => ({
    workspace: null as RunWorkspace | null,
    /** Checkouts, by node; the coordinator's by the run. Workers have none besides their nodes. */
    workspaces: new Map<string, Workspace>(),
    /** Plain scratches as they were saved last, by the same. */
    scratches: new Map<string, Saved>(),
    /** The last event that may have changed a workspace of either kind: a call that touched its files, a turn of a program. */
    worked: new Map<string, number>(),
  }),
  reference: { RunWorkspace, Workspace },
});
