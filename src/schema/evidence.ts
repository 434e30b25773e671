/** What stands behind a result: the checks it is given, their results, and what follows from them: verified, reviewed or claimed. */
import { z } from "zod";
import { NodeId, Sha256, Time } from "./ids.ts";

const path = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^(?!\/)(?!(.*\/)?\.\.?(\/|$))[^\0]*[^/\0]$/, "a path inside of what is published, such as report.md");
const seconds = z.number().positive().max(1_800).optional().describe("Time limit; 300 if missing");
const size = z.number().int().nonnegative().max(1_000_000_000).optional();

const kinds = [
  z.strictObject({ run: z.string().min(1).max(20_000).describe("A shell command; exit code 0 passes"), seconds }),
  z.strictObject({
    file: path.describe("A file that must be there"),
    schema: z.record(z.string(), z.unknown()).optional().describe("A JSON schema that it must match"),
    matches: z.string().min(1).max(2_000).optional().describe("A regular expression that its text must match"),
    min_bytes: size,
    max_bytes: size,
  }),
  z.strictObject({
    links: z.union([z.literal(true), path]).describe("Every link resolves: in all Markdown and HTML, or in this file"),
  }),
  z.strictObject({
    tests: z
      .union([z.literal(true), z.string().min(1).max(20_000)])
      .describe("The project's own tests pass: found by its files, or by this command"),
    seconds,
  }),
  z.strictObject({
    review: z
      .union([z.literal(true), z.string().min(1).max(20_000)])
      .describe("Somebody else judges it against the acceptance text, and this question if given"),
    by: z.string().min(1).max(200).optional().describe("A worker or provider/model; the agent's model if missing"),
  }),
] as const;

export const Check = z
  .union(kinds, {
    error:
      "a check is one of {run, seconds?}, {file, schema?, matches?, min_bytes?, max_bytes?}, {links: true or FILE}, {tests: true or COMMAND, seconds?}, {review: true or QUESTION, by?}",
  })
  .describe("What the runtime does at publish to prove the result");
export type Check = z.infer<typeof Check>;
export const Checks = z
  .array(Check)
  .max(20)
  .refine((all) => JSON.stringify(all).length <= 50_000, "all checks together have at most 50,000 characters");

/** As a model gives them: their kinds are in the description that a tool adds, which costs a fraction of their schema in every prompt. */
export const GivenChecks = z.array(z.record(z.string(), z.unknown())).pipe(Checks);

export const IfUnverified = z
  .enum(["complete", "fail"])
  .describe("What becomes of a result that does not pass its checks: completed as claimed, or failed");

export const Evidence = z
  .enum(["verified", "reviewed", "claimed"])
  .describe(
    "verified: checks passed on this very content. reviewed: somebody other than its author judged it. claimed: only its author says so",
  );
export type Evidence = z.infer<typeof Evidence>;

const Outcome = z
  .enum(["passed", "failed", "errored"])
  .describe("errored: the check itself could not be done, so it says nothing about the content");

export const Finding = z
  .object({ file: z.string().max(1_000).optional(), text: z.string().min(1).max(2_000) })
  .describe("A remark of a reviewer");
export type Finding = z.infer<typeof Finding>;

/** Which check, on which content. */
export const which = {
  node: NodeId.optional().describe("Missing: the answer of the run"),
  check: z.number().int().positive().describe("Its number in the list, from 1"),
  on: Sha256.describe(
    "The hash of the content it was done on: of the list of files, what a change starts from, and the summary if there is a review",
  ),
};
/** What came of it. */
export const result = {
  what: Check,
  outcome: Outcome,
  by: z.string().min(1).max(200).describe("runtime, a worker, or a model"),
  output: z.string().max(4_000).describe("Shortened if it is long"),
  whole: Sha256.optional().describe("The whole output, if it is longer"),
  findings: z.array(Finding).max(50).optional(),
  seconds: z.number().nonnegative(),
};

export const CheckResult = z
  .object({ check: which.check, on: which.on, ...result, at: Time })
  .describe("The result of a check");
export type CheckResult = z.infer<typeof CheckResult>;
