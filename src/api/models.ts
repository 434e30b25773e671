/** Which models can be asked here, what they cost, and what was found on this machine. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { route } from "./route.ts";

export const OfferedModel = z
  .object({
    name: z.string().describe("As createAgent takes it: provider/model, or an alias of the config"),
    provider: z.string(),
    window: z.number().int().describe("Tokens it can be shown"),
    price: z
      .object({ input: z.number(), output: z.number() })
      .nullable()
      .describe("US dollars per million tokens; null if nobody knows"),
    usual: z.boolean().describe("The one that is asked if nobody says more"),
  })
  .describe("A model that can be asked as things are");
export type OfferedModel = z.infer<typeof OfferedModel>;

export const Offer = z.object({
  model: z.string().nullable().describe("What a new agent thinks with if nobody says more; null if there is none"),
  why: z.string(),
  models: z.array(OfferedModel),
  budget: BudgetLimit.describe(
    "What a new agent may spend unless it is given a budget; a missing field means no limit",
  ),
  providers: z.array(
    z.object({
      provider: z.string(),
      ready: z.boolean(),
      key_from: z.string().nullable().describe("The environment variable that holds its key; never the key"),
      key_variables: z.array(z.string()).describe("Those that may hold it"),
    }),
  ),
  ollama: z.array(z.string()).nullable().describe("Models of the Ollama on this machine; null if it does not answer"),
  programs: z.array(z.string()).describe("Agent programs on the path; none of them can be a worker yet"),
  program_versions: z.record(z.string(), z.string()).describe("As they say themselves; of those that have answered"),
  demo: z.object({ model: z.string(), goal: z.string() }).nullable().describe("A team that is played, not asked"),
});
export type Offer = z.infer<typeof Offer>;

export const modelRoutes = {
  listModels: route({
    method: "GET",
    path: "/models",
    tag: "daemon",
    summary: "Which models can be asked here, with prices, and what was found on this machine",
    about: "Nobody is asked but whether an Ollama runs on this machine.",
    ok: 200,
    answer: Offer,
  }),
};
