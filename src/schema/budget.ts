/** Money and tokens: what may be spent, what is reserved for running calls, what is spent. */
import { z } from "zod";
import { NodeId, ParticipantId } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const amount = z.number().nonnegative().finite();

export const Amount = z.object({ usd: amount, tokens: amount }).describe("An amount of money and tokens");
export type Amount = z.infer<typeof Amount>;

export const Allowance = z
  .object({
    output: z.number().int().positive().describe("Tokens of its answer, reasoning included"),
    searches: z.number().int().nonnegative().describe("Web searches that the provider makes itself"),
  })
  .describe("What one call may use: it is reserved before the call, and sent with it as its limit");
export type Allowance = z.infer<typeof Allowance>;

export const BudgetLimit = z
  .object({
    usd: amount.optional(),
    tokens: amount.optional(),
    turns: amount.optional().describe("Maximum number of model calls"),
    seconds: amount.optional().describe("Total duration of all turns"),
  })
  .describe("What may be spent; a missing field means no limit");
export type BudgetLimit = z.infer<typeof BudgetLimit>;

/** As people write it: null removes a limit that would apply otherwise. */
export const BudgetWish = z.strictObject({
  usd: amount.nullable().optional(),
  tokens: amount.nullable().optional(),
  turns: amount.nullable().optional(),
  seconds: amount.nullable().optional(),
});
export type BudgetWish = z.infer<typeof BudgetWish>;

export const BudgetScope = z
  .discriminatedUnion("of", [
    z.object({ of: z.literal("agent") }),
    z.object({ of: z.literal("run") }),
    z.object({ of: z.literal("day") }),
    z.object({ of: z.literal("node"), node: NodeId }),
    z.object({ of: z.literal("worker"), worker: ParticipantId }),
  ])
  .describe("What a budget is for. A call counts against every scope above it");
export type BudgetScope = z.infer<typeof BudgetScope>;

export const Account = z.object({
  limit: BudgetLimit,
  spent: Amount.extend({ turns: amount, seconds: amount }),
  reserved: Amount,
});
export type Account = z.infer<typeof Account>;

export const Used = z
  .object({
    calls: z.number().int().nonnegative(),
    unpriced: z.number().int().nonnegative().describe("Calls without a known price"),
    input: z.number().int().nonnegative(),
    output: z.number().int().nonnegative(),
    cache_read: z.number().int().nonnegative(),
    cache_write: z.number().int().nonnegative(),
    usd: amount,
  })
  .describe("The usage of a model");
export type Used = z.infer<typeof Used>;

const budgetEvents = {
  "budget.set": z.object({ scope: BudgetScope, limit: BudgetLimit }),
};

const budgetCommands = {
  "budget.set": z.object({ scope: BudgetScope, limit: BudgetLimit }),
};

export const budget = defineNoun({
  name: "budget",
  events: budgetEvents,
  commands: budgetCommands,
  state: () => ({
    accounts: new Map<string, Account>(),
    /** The usage that providers reported, by model, over the agent's life. */
    usage: new Map<string, Used>(),
  }),
});
