/**
 * How a model calls a tool that is not in its prompt. Providers accept only calls of tools that the request lists, and a list that changes costs the whole
 * cached prefix; so the list has this one, and a call through it is recorded as a call of the tool that it names (backend/indirect.ts). What comes
 * here named no tool.
 */
import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { discovery } from "../schema/tool.ts";
import { defineTool } from "../toolkit/tool.ts";

export const useTool = defineTool({
  name: discovery.use,
  about: `Call a tool that ${discovery.find} described.`,
  guidance: "",
  effect: "reads",
  repeatable: true,
  offer: { always: "everyone" },
  input: z.object({
    tool: z.string().min(1).max(128).describe("Its name"),
    input: z.record(z.string(), z.unknown()).describe("Its input, as described"),
  }),
  async run() {
    throw new Problem(
      "invalid",
      `name the tool in \`tool\` and give its input in \`input\`; ${discovery.find} describes tools`,
    );
  },
});
