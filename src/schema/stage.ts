/** Nodes that reconvene together under a contract. */
import { z } from "zod";
import { NodeId, StageId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

/** The longer names of the three policies in the specification are accepted. */
const policies = { all_must_complete: "all", majority_must_complete: "majority", any_completes: "any" } as const;

export const Policy = z.preprocess(
  (given) => (typeof given === "string" && given in policies ? policies[given as keyof typeof policies] : given),
  z.enum(["all", "majority", "any"]),
);
export type Policy = z.infer<typeof Policy>;

export const Contract = z.object({
  policy: z.enum(["all", "majority", "any"]),
  max_turns: z.number().int().positive(),
  timeout_seconds: z.number().positive(),
});

const shared = { id: StageId, name: z.string(), contract: Contract, started_at: Time };

export const Stage = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("running") }),
  z.object({ ...shared, status: z.literal("reconvening"), completed: z.array(NodeId), since: Time }),
  z.object({ ...shared, status: z.literal("completed"), assessment: z.string(), ended_at: Time }),
]);
export type Stage = z.infer<typeof Stage>;

const stageEvents = {
  "stage.started": z.object({ stage: StageId, name: z.string(), contract: Contract }),
  "stage.reconvened": z.object({
    stage: StageId,
    completed: z.array(NodeId),
    open: z.array(NodeId),
    checkpointed: z.array(NodeId).optional(),
  }),
  "stage.completed": z.object({ stage: StageId, assessment: z.string() }),
};

const stageCommands = {
  "stage.start": z.object({
    name: z.string().min(1).max(100),
    policy: Policy.default("all"),
    max_turns: z.number().int().positive().default(20),
    timeout_seconds: z.number().positive().default(600),
  }),
  "stage.complete": z.object({ assessment: z.string().min(1).max(20_000) }),
};

export const stage = defineNoun({
  name: "stage",
  events: stageEvents,
  commands: stageCommands,
  state: () => ({ stages: new Map<StageId, Stage>() }),
  reference: { Stage },
});
