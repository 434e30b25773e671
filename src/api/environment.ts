/**
 * What the daemon takes from outside of the home: variables of the environment, of which it tells no more than whether they are the caller's,
 * and config.yaml. For the programs of this machine's user; neither a browser nor anybody who comes from elsewhere is answered.
 */
import { z } from "zod";
import { route } from "./route.ts";

export const environmentRoutes = {
  getEnvironment: route({
    method: "GET",
    path: "/environment",
    tag: "daemon",
    summary: "Get which of its environment variables the daemon has, and whether the current config.yaml is in effect",
    about:
      "A mark is HMAC-SHA256 of `agiraph-variable NAME VALUE` under the token, in hex: a caller who knows the value can compare it.",
    ok: 200,
    answer: z.object({
      variables: z.array(z.object({ name: z.string(), mark: z.string().nullable().describe("null: not set") })),
      config: z.object({
        problem: z.string().nullable().describe("What is wrong with config.yaml; the previous settings still apply"),
        restart: z.array(z.string()).describe("Edited keys of config.yaml that take effect after a restart"),
      }),
    }),
    local: true,
  }),
  setVariables: route({
    method: "PATCH",
    path: "/environment",
    tag: "daemon",
    summary: "Set environment variables of the daemon, such as a provider's key; kept in memory only",
    about: "Variables that neither a provider nor config.yaml uses are ignored.",
    body: z.object({ values: z.record(z.string().max(200), z.string().min(1).max(10_000)) }),
    ok: 200,
    answer: z.object({ changed: z.array(z.string()).describe("Names") }),
    example: { body: { values: { ANTHROPIC_API_KEY: "…" } }, answer: { changed: ["ANTHROPIC_API_KEY"] } },
    local: true,
  }),
};
