/** Participants: workers, the coordinator and the human. */
import { z } from "zod";
import { Reason } from "./agent.ts";
import { Amount, BudgetLimit } from "./budget.ts";
import { Full, Shortened } from "./context.ts";
import { Name, NodeId, ParticipantId, Time } from "./ids.ts";
import { kit } from "./kit.ts";
import { Wait } from "./node.ts";
import { defineNoun } from "./noun.ts";
import { Counted, Kept, Stop, Turn } from "./turn.ts";
import type { Upcasters } from "./upcast.ts";

export const Entry = z
  .object({
    seq: z.number().int().positive(),
    from: z.string(),
    kind: z.enum(["message", "assigned", "ended", "answer", "fire", "nudge", "stage", "vote"]),
    text: z.string(),
    priority: z.enum(["immediate", "background"]).optional().describe("Normal if missing"),
    quotes: z.string().optional().describe("Foreign text that comes with it, marked as data"),
    deferred: z.number().int().positive().optional().describe("How often its reader put it off"),
  })
  .describe("An inbox entry: an event addressed to this participant and not handled yet");
export type Entry = z.infer<typeof Entry>;

export const Line = z
  .discriminatedUnion("role", [
    z.object({ role: z.literal("inbox"), entries: z.array(Entry) }),
    z.object({
      role: z.literal("assistant"),
      turn: z.string(),
      text: z.string(),
      calls: z.array(z.object({ id: z.string(), tool: z.string(), input: z.unknown() })),
      stop: Stop.optional(),
      kept: Kept.optional(),
    }),
    z.object({
      role: z.literal("tool"),
      turn: z.string(),
      call: z.string(),
      tool: z.string(),
      outcome: z.string(),
      result: z.string(),
    }),
  ])
  .describe("One line of a participant's conversation with its backend");
export type Line = z.infer<typeof Line>;

const shared = {
  id: ParticipantId,
  name: Name,
  read: z.number().int().nonnegative().describe("Everything in the inbox up to this seq is handled"),
  unread: z.array(Entry),
};

export const Repeat = z
  .object({ call: z.number().int(), said: z.number().int(), times: z.number().int().positive() })
  .describe("A tool call as a fingerprint of its tool and input, of its last result, and how often it was made");
export type Repeat = z.infer<typeof Repeat>;

export const Stall = z
  .object({
    alone: z.number().int().nonnegative().describe("Turns since the last new message"),
    nudges: z.number().int().nonnegative().describe("Reminders of its node since it last called a tool"),
    repeats: z.array(Repeat).describe("Its latest different calls since its last mail"),
    fruitless: z.number().int().nonnegative().describe("Turns on its node since the last progress"),
    fruitful: z.boolean().describe("Its running turn made progress"),
    compactions: z
      .number()
      .int()
      .nonnegative()
      .describe("Compactions in a row with hardly a turn between them; reset when the agent is resumed"),
  })
  .describe("Counts of the stall detector: signs that it acts without progress, or does not act");
export type Stall = z.infer<typeof Stall>;

export const Deferred = z
  .object({ entry: Entry, until: Time.optional().describe("It comes back then; if missing, when its reader is idle") })
  .describe("An entry that its reader put off");
export type Deferred = z.infer<typeof Deferred>;

const thinking = {
  turn: Turn.optional().describe("The running turn"),
  turns: z.number().int().nonnegative(),
  next: z.enum(["rest", "continue"]).describe("Whether it continues without new messages"),
  wait: Wait.optional(),
  node: NodeId.optional().describe("The node it holds"),
  done: z.array(NodeId),
  conversation: z.array(Line),
  quiet: z.boolean().optional().describe("It was woken only by a trigger, and has done nothing yet"),
  tokens: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe("Measured tokens of the last call: its prompt and its answer"),
  session: z
    .object({ driver: z.string(), id: z.string(), node: NodeId.optional(), counted: Counted.optional() })
    .optional()
    .describe("The conversation of the program that drives it, in the program's own keeping"),
  needs: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe("Tokens to allow for its next answer, estimated from earlier ones"),
  queued: z
    .object({ wanted: Amount, account: z.string(), at: Time, since: Time })
    .optional()
    .describe("Its next turn waits for budget reserved by others' calls"),
  deferred: z.array(Deferred).min(1).optional(),
  offered: z
    .array(z.string())
    .optional()
    .describe("Tools that its task showed to be needed, in this order after the others"),
  found: z.array(z.string()).optional().describe("Tools that were described to it in its conversation"),
  full: Full.optional(),
  shortened: Shortened.optional(),
  retired: z.boolean(),
  stall: Stall,
};

const spawner = ParticipantId.optional().describe(
  "The worker that brought it for sub-nodes of its node; missing if the coordinator or a person did",
);

export const Participant = z.discriminatedUnion("kind", [
  z.object({ ...shared, kind: z.literal("human") }),
  z.object({ ...shared, ...thinking, kind: z.literal("coordinator"), model: z.string().optional() }),
  z.object({ ...shared, ...thinking, ...kit, spawner }).extend({ kind: z.literal("harnessed") }),
  z.object({ ...shared, ...thinking, ...kit, spawner }).extend({ kind: z.literal("autonomous") }),
]);
export type Participant = z.infer<typeof Participant>;
export type Thinker = Exclude<Participant, { kind: "human" }>;
export type Worker = Extract<Participant, { kind: "harnessed" | "autonomous" }>;

export const WorkerStatus = z.enum(["idle", "busy", "waiting", "retired"]);
export type WorkerStatus = z.infer<typeof WorkerStatus>;

const workerEvents = {
  "worker.spawned": z.object({ worker: ParticipantId, name: Name, ...kit, spawner, budget: BudgetLimit.optional() }),
  "worker.retired": z.object({ worker: ParticipantId, reason: z.string() }),
  "worker.nudged": z.object({ worker: ParticipantId, node: NodeId, text: z.string().optional() }),
  "worker.urged": z.object({
    worker: ParticipantId,
    node: NodeId,
    turns: z.number().int().positive(),
    max_turns: z.number().int().positive(),
  }),
  "worker.halted": z.object({ worker: ParticipantId, reason: Reason }),
  "worker.parked": z
    .object({ worker: ParticipantId, node: NodeId, wait: Wait })
    .describe("It waits for something that may still happen, and keeps its node"),
  "worker.unparked": z.object({ worker: ParticipantId, reason: z.string() }),
};

export const workerCommands = {
  "worker.spawn": z.object({
    name: Name,
    ...kit,
    role: kit.role.default(""),
    kind: kit.kind.optional(),
    agent_command: z.string().min(1).max(2_000).optional().describe("The same as the model command:…"),
    budget: BudgetLimit.optional(),
  }),
  "worker.retire": z.object({ worker: z.string().min(1), reason: z.string().max(2_000).default("no longer needed") }),
  "worker.unpark": z.object({ worker: ParticipantId, reason: z.string() }),
};

const workerUpcasters: Upcasters = {
  "worker.spawned": [
    /** 2: a program is a driver like any other, named by `model`. */
    ({ agent_command: command, ...data }) => {
      const isProgram = data.kind === "autonomous" && typeof command === "string";
      return {
        ...data,
        kind: isProgram ? "autonomous" : "harnessed",
        ...(isProgram ? { model: `command:${command}` } : {}),
      };
    },
  ],
};

export const worker = defineNoun({
  name: "worker",
  events: workerEvents,
  commands: workerCommands,
  upcasters: workerUpcasters,
  state: () => ({ participants: new Map<ParticipantId, Participant>() }),
  reference: { Participant },
});
