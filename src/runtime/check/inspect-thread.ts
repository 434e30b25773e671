/**
 * Looks at one text: does it match a JSON schema, does it match a pattern, which links does it have. Runs in a worker thread (lib/world.ts, Threads):
 * texts, schemas and patterns are others', and one of a few characters can take for ever.
 */
import { z } from "zod";
import { parseLinks } from "./links.ts";

export type Job =
  | { do: "schema"; text: string; schema: Record<string, unknown> }
  | { do: "pattern"; text: string; pattern: string }
  | { do: "links"; text: string; html: boolean };

/** `broken`: the schema or the pattern itself is not valid. Otherwise what is wrong with the text; nothing if all is well. */
export type Answer = { broken: string } | { wrong: string[] } | ReturnType<typeof parseLinks>;

export default function inspect(job: Job): Answer {
  if (job.do === "links") return parseLinks(job.text, job.html);
  return job.do === "schema" ? matchSchema(job.text, job.schema) : matchPattern(job.text, job.pattern);
}

function matchSchema(text: string, schema: Record<string, unknown>): Answer {
  let shape: z.ZodType;
  try {
    shape = z.fromJSONSchema(schema);
  } catch (error) {
    return { broken: `the JSON schema cannot be used: ${messageOf(error)}` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { wrong: [`it is not valid JSON: ${messageOf(error)}`] };
  }
  const read = shape.safeParse(value);
  if (read.success) return { wrong: [] };
  const { issues } = read.error;
  const lines = issues.slice(0, most).map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
  return { wrong: issues.length > most ? [...lines, `and ${issues.length - most} more`] : lines };
}

function matchPattern(text: string, pattern: string): Answer {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, "mu");
  } catch (error) {
    return { broken: `the pattern cannot be used: ${messageOf(error)}` };
  }
  return { wrong: expression.test(text) ? [] : [`nothing in it matches /${pattern}/`] };
}

const most = 50;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
