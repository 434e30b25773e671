/** Which models can be asked here, what they cost, and what was found on this machine. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { route } from "./route.ts";

export const OfferedModel = z
  .object({
    name: z.string().describe("As in createAgent: provider/model, or an alias from the config"),
    provider: z.string(),
    window: z.number().int().describe("Context window in tokens"),
    price: z
      .object({ input: z.number(), output: z.number() })
      .nullable()
      .describe("US dollars per million tokens; null if unknown"),
    usual: z.boolean().describe("Whether it is the default"),
  })
  .describe("An available model");
export type OfferedModel = z.infer<typeof OfferedModel>;

export const Offer = z.object({
  model: z.string().nullable().describe("The default model of new agents; null if there is none"),
  why: z.string(),
  models: z.array(OfferedModel),
  budget: BudgetLimit.describe("The default budget of new agents; a missing field means no limit"),
  providers: z.array(
    z.object({
      provider: z.string(),
      ready: z.boolean(),
      key_from: z.string().nullable().describe("The environment variable that holds its key; never the key"),
      key_variables: z.array(z.string()).describe("Variables that may hold it"),
    }),
  ),
  ollama: z.array(z.string()).nullable().describe("Models of the Ollama on this machine; null if it does not answer"),
  programs: z.array(z.string()).describe("Agent programs on the path; none of them can be a worker yet"),
  program_versions: z
    .record(z.string(), z.string())
    .describe("Reported by the programs themselves; only those that answered"),
  demo: z.object({ model: z.string(), goal: z.string() }).nullable().describe("A scripted team that calls no model"),
});
export type Offer = z.infer<typeof Offer>;

export const modelRoutes = {
  listModels: route({
    method: "GET",
    path: "/models",
    tag: "daemon",
    summary: "List the available models with prices, and what was found on this machine",
    about: "Calls nothing except a local Ollama, to see whether it runs.",
    ok: 200,
    answer: Offer,
  }),
};
