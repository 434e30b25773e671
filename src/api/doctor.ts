/** What the daemon finds on its machine and in its home: the doctor's findings, for pages and programs. Keys by the name of their variable only. */

import { z } from "zod";
import { commandRef } from "../lib/command-line.ts";
import { route } from "./route.ts";

export const Finding = z
  .object({
    what: z.string().describe("Node, home, sandbox, a provider, model, a channel …"),
    state: z.enum(["fine", "note", "wrong"]).describe("note: it works, with a remark"),
    found: z.string(),
    remedy: z.string().optional().describe("How to fix it"),
  })
  .describe("One check");
export type Finding = z.infer<typeof Finding>;

export const doctorRoutes = {
  doctor: route({
    method: "GET",
    path: "/doctor",
    tag: "daemon",
    summary: "Check home, config, sandbox, keys (by name), models, tools and channels",
    about: `Checks each time with a real write and a real sandbox. No model is called unless \`call=true\`, which costs a little. The same as ${commandRef("doctor")}.`,
    query: z.object({ call: z.enum(["true", "false"]).default("false") }),
    ok: 200,
    answer: z.object({ findings: z.array(Finding) }),
  }),
};
