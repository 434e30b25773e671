/** The text of a workflow file: read, checked and written. */
import { z } from "zod";
import { Sha256 } from "../schema/ids.ts";
import { WorkflowName } from "../schema/workflow.ts";
import { route } from "./route.ts";
import { WorkflowLine } from "./workflows.ts";

const mostText = 262_144;
const OfWorkflow = z.object({ workflow: z.string().min(1).max(64).describe("Its name") });

export const WorkflowFile = z
  .object({
    name: WorkflowName,
    from: z.enum(["home", "example"]),
    path: z.string(),
    text: z.string(),
    sha256: Sha256.describe("Its version, for If-Match"),
  })
  .describe("A workflow file");

export const CheckedWorkflow = z
  .object({
    workflow: WorkflowLine.nullable().describe("What the text declares; null if it has problems"),
    problems: z
      .array(
        z.object({
          line: z.number().int().nullable().describe("Null if it is about the whole file"),
          column: z.number().int().nullable(),
          message: z.string().describe("What is wrong, and what was probably meant"),
        }),
      )
      .describe("Empty if it can be run"),
  })
  .describe("A checked workflow text");
export type CheckedWorkflow = z.infer<typeof CheckedWorkflow>;

export const workflowFileRoutes = {
  readWorkflow: route({
    method: "GET",
    path: "/workflows/{workflow}",
    tag: "agents",
    summary: "Read the text of a workflow file",
    params: OfWorkflow,
    ok: 200,
    answer: WorkflowFile,
    errors: ["not_found"],
  }),
  checkWorkflow: route({
    method: "POST",
    path: "/workflows/check",
    tag: "agents",
    summary: "Check the text of a workflow without saving it",
    about: "Nothing is run. Every problem has its line and column where they are known.",
    body: z.strictObject({
      text: z.string().max(mostText),
      name: WorkflowName.default("workflow").describe("Its name if the text gives none"),
    }),
    ok: 200,
    answer: CheckedWorkflow,
    example: { body: { text: "agents:\n  coder: Writes code\n" } },
  }),
  writeWorkflow: route({
    method: "PUT",
    path: "/workflows/{workflow}",
    tag: "agents",
    summary: "Write a workflow file of the home",
    about:
      "With `If-Match` it replaces that version, without it there must be no file yet; otherwise 409 `conflict`. With the version of an example it " +
      "becomes a copy of it in the home. A text with problems is saved too, and cannot be run.",
    params: OfWorkflow,
    body: z.strictObject({ text: z.string().max(mostText) }),
    ok: 200,
    answer: WorkflowFile,
    errors: ["conflict", "forbidden", "too_large", "storage_failed"],
    example: { body: { text: "agents:\n  coder: Writes code\n" } },
  }),
};
