/** What an agent has spent, and on what. */
import { z } from "zod";
import type { State } from "../core/state.ts";
import { Amount, BudgetLimit, Used } from "../schema/budget.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const count = z.number().int().nonnegative();
const by = z.record(z.string(), Amount);

export const Cost = z
  .object({
    usd: z.number(),
    reserved_usd: z.number().describe("Reserved for calls in progress"),
    input_tokens: count,
    output_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    calls: count,
    unpriced_calls: count.describe("Calls without a known price"),
    by: z.object({
      worker: by.describe("In the current run"),
      node: by.describe("In the current run"),
      model: z.record(z.string(), Used),
      day: by.describe("Days in UTC"),
    }),
    budget: BudgetLimit.describe("The agent's budget; a missing field means no limit"),
    limits: z.record(z.string(), BudgetLimit).describe("Other budgets, by account: run, day, node:n1-…, worker:alice"),
  })
  .describe("What an agent has spent in total");
export type Cost = z.infer<typeof Cost>;

/** From the state alone: the same on both sides of the wire. */
export function costView({ accounts, usage }: State): Cost {
  const models = [...usage.values()];
  const sum = (unit: keyof Used) => models.reduce((total, used) => total + used[unit], 0);
  const own = accounts.get("agent");
  const under = (noun: string) =>
    Object.fromEntries(
      [...accounts].flatMap(
        ([
          key,
          {
            spent: { usd, tokens },
          },
        ]) => (key.startsWith(`${noun}:`) ? [[key.slice(noun.length + 1), { usd, tokens }]] : []),
      ),
    );
  return {
    usd: own?.spent.usd ?? 0,
    reserved_usd: own?.reserved.usd ?? 0,
    input_tokens: sum("input"),
    output_tokens: sum("output"),
    cache_read_tokens: sum("cache_read"),
    cache_write_tokens: sum("cache_write"),
    calls: sum("calls"),
    unpriced_calls: sum("unpriced"),
    by: { worker: under("worker"), node: under("node"), model: Object.fromEntries(usage), day: under("day") },
    budget: own?.limit ?? {},
    limits: Object.fromEntries(
      [...accounts].flatMap(([key, { limit }]) => (key !== "agent" && Object.keys(limit).length ? [[key, limit]] : [])),
    ),
  };
}

export const costRoutes = {
  getCost: route({
    method: "GET",
    path: "/agents/{agent}/cost",
    tag: "cost",
    summary: "Get an agent's cost by worker, node, model and day",
    params: OfAgent,
    ok: 200,
    answer: Cost,
    errors: ["not_found"],
  }),
};
