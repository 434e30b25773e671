/** Templates for the soul of a new agent. */
import { z } from "zod";
import { route } from "./route.ts";

export const SoulTemplate = z
  .object({
    name: z.string(),
    from: z.enum(["home", "example"]).describe("souls/ in the home, or included with Agiraph"),
    about: z.string().describe("Its first sentence"),
    text: z.string().describe("For `soul` of createAgent, as it is or changed"),
  })
  .describe("A template for the soul of a new agent");
export type SoulTemplate = z.infer<typeof SoulTemplate>;

export const soulTemplateRoutes = {
  listSouls: route({
    method: "GET",
    path: "/souls",
    tag: "agents",
    summary: "List the templates for the soul of a new agent",
    about: "The home's first choice is `souls/NAME.md`; it takes precedence over an example of the same name.",
    ok: 200,
    answer: z.object({ items: z.array(SoulTemplate) }),
  }),
};
