/** Which models and agent programs can be used here, what they cost, and what was found on this machine. */
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

export const OfferedProgram = z
  .object({
    name: z.string().describe("claude-code, codex …; as a model it stands for its own default model"),
    title: z.string(),
    state: z
      .enum(["ready", "checking", "missing", "broken", "login", "blocked"])
      .describe(
        "checking: its version is not known yet; broken: it does not print its version; login: it has neither a login nor a key; blocked: it cannot be started here",
      ),
    version: z.string().nullable(),
    tested: z.boolean().describe("Whether this version was tested with Agiraph"),
    login: z
      .enum(["login", "gateway", "key", "unknown"])
      .nullable()
      .describe(
        "login: its own; gateway: Agiraph calls the model with your key, which the program never sees; key: a variable that is handed to it",
      ),
    models: z
      .array(z.string())
      .describe("Names for createAgent, with others of the form NAME/MODEL; none unless it is ready"),
    about: z.string().describe("What was found, for a person; never a secret"),
    remedy: z.string().nullable().describe("What to do to make it ready"),
    command: z
      .string()
      .nullable()
      .describe("The command for that, if there is one: it installs the program or logs in"),
  })
  .describe("An agent program (CLI) with a loop of its own, such as Claude Code");
export type OfferedProgram = z.infer<typeof OfferedProgram>;

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
  programs: z.array(OfferedProgram).describe("Agent programs, installed or not"),
  demo: z.object({ model: z.string(), goal: z.string() }).nullable().describe("A scripted team that calls no model"),
});
export type Offer = z.infer<typeof Offer>;

export const modelRoutes = {
  listModels: route({
    method: "GET",
    path: "/models",
    tag: "daemon",
    summary: "List the available models with prices, and what was found on this machine",
    about:
      "Calls nothing except a local Ollama, to see whether it runs. Agent programs are only asked for their version; one that takes longer is `checking`.",
    ok: 200,
    answer: Offer,
  }),
};
