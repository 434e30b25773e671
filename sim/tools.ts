/** Tools that exist only here: an effect that must not happen twice, and a program that must not outlive its run. */
import { z } from "zod";
import { defineTool, type Tool } from "../src/toolkit/tool.ts";

/** `poked` is told of each execution with the call's key. */
export function simTools(poked: (key: string) => Promise<void>): Tool[] {
  return [
    defineTool({
      name: "poke",
      about: "Does something outside that cannot be undone.",
      guidance: "-",
      effect: "outside",
      repeatable: false,
      input: z.object({}),
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
      input: z.object({}),
      async run(_input, { run }) {
        const { code } = await run(["work"]);
        return `exit ${code}`;
      },
    }),
  ];
}
