/** Tools that exist only here: an effect that must not happen twice, and a program that must not outlive its run. */
import { z } from "zod";
import { defineTool, type Tool } from "../src/toolkit/tool.ts";

/** Made once: zod compiles a parser for each schema. What models are shown would be derived anew in each life of a process. */
const nothing = z.object({});
const schema = { type: "object", properties: {} };

/** `poked` is told of each execution with the call's key. */
export function simTools(poked: (key: string) => Promise<void>): Tool[] {
  return [
    defineTool({
      name: "poke",
      about: "Does something outside that cannot be undone.",
      guidance: "-",
      effect: "outside",
      repeatable: false,
      input: nothing,
      schema,
      async run(_input, { key }) {
        await poked(key);
        return "poked";
      },
    }),
    defineTool({
      name: "program",
      about: "Runs a program.",
      guidance: "-",
      effect: "outside",
      repeatable: false,
      input: nothing,
      schema,
      async run(_input, { run }) {
        const { code } = await run(["work"]);
        return `exit ${code}`;
      },
    }),
  ];
}
