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
    summary:
      "Which environment variables the daemon has of those that it asks for, and whether config.yaml as it is now is in use",
    about:
      "A mark is HMAC-SHA256 of `agiraph-variable NAME VALUE` under the token, in hex: a caller who has the value sees whether it is the same.",
    ok: 200,
    answer: z.object({
      variables: z.array(z.object({ name: z.string(), mark: z.string().nullable().describe("null: it is not set") })),
      config: z.object({
        problem: z.string().nullable().describe("What is wrong with config.yaml; what was read before still holds"),
        restart: z.array(z.string()).describe("Keys of config.yaml that were edited and count after a restart only"),
      }),
    }),
    local: true,
  }),
  setVariables: route({
    method: "PATCH",
    path: "/environment",
    tag: "daemon",
    summary:
      "Set environment variables of the daemon, such as the key of a provider; they are in memory only, until it ends",
    about: "Those that neither a provider nor config.yaml asks for are left out.",
    body: z.object({ values: z.record(z.string().max(200), z.string().min(1).max(10_000)) }),
    ok: 200,
    answer: z.object({ changed: z.array(z.string()).describe("Names") }),
    example: { body: { values: { ANTHROPIC_API_KEY: "…" } }, answer: { changed: ["ANTHROPIC_API_KEY"] } },
    local: true,
  }),
};
