/** Shell steps before a run: what is to be run, and what came of it. */
import { z } from "zod";
import { Sha256 } from "./ids.ts";

export const SetupName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,39}$/, "a letter, then letters, digits, _ and -, at most 40")
  .describe("The name of its output");

const Variable = z.string().regex(/^[A-Z_][A-Z0-9_]{0,79}$/, "the name of an environment variable");

export const SetupStep = z
  .strictObject({
    shell: z.string().min(1).max(20_000).describe("The command"),
    as: SetupName.optional(),
    timeout_seconds: z.number().positive().max(3_600).optional().describe("120 if missing"),
    env: z
      .record(Variable, z.string().max(100_000))
      .optional()
      .describe("Values that the command uses, as environment variables"),
    outputs: z
      .record(Variable, SetupName)
      .optional()
      .describe("Outputs of steps before it that the command uses, as environment variables"),
  })
  .describe("A shell command that runs in the sandbox before the run starts; after a crash it may run again");
export type SetupStep = z.infer<typeof SetupStep>;

export const SetupResult = z
  .object({
    step: z.number().int().positive().describe("Counted from 1"),
    as: SetupName.optional(),
    shell: z.string(),
    outcome: z
      .enum(["passed", "failed", "late", "errored", "unsafe"])
      .describe(
        "late: it took too long. errored: it could not be run. unsafe: there is no sandbox, and nobody allowed that",
      ),
    code: z.number().int().nullable().describe("Its exit code"),
    output: z.string().describe("What it printed; of a long text the beginning and the end"),
    size: z.number().int().nonnegative().describe("Characters of the whole output"),
    resource: Sha256.optional().describe("The whole output"),
    seconds: z.number().nonnegative(),
  })
  .describe("What came of a setup step");
export type SetupResult = z.infer<typeof SetupResult>;
