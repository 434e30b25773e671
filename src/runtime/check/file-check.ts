/** A file that must be there, have a size, match a pattern or a JSON schema. Only the draft is read, so nothing can change it meanwhile. */
import type { World } from "../../lib/world.ts";
import type { Check } from "../../schema/evidence.ts";
import type { Draft } from "../workspace/publish.ts";
import { namesIn, type Said, textIn } from "./draft.ts";
import { inspect } from "./inspect.ts";

export async function checkFile(
  world: World,
  draft: Draft,
  check: Extract<Check, { file: string }>,
  signal: AbortSignal,
): Promise<Said> {
  const { file: path, schema, matches, min_bytes, max_bytes } = check;
  const file = await draft.stat(path);
  if (file?.kind !== "file")
    return { outcome: "failed", output: `${path} is not among the published files (${namesIn(draft)})` };
  const wrong: string[] = [];
  if (min_bytes !== undefined && file.size < min_bytes)
    wrong.push(`it has ${file.size} bytes; at least ${min_bytes} are needed`);
  if (max_bytes !== undefined && file.size > max_bytes)
    wrong.push(`it has ${file.size} bytes; at most ${max_bytes} are allowed`);
  if (schema || matches !== undefined) {
    const read = await textIn(draft, path, mostBytes);
    if ("missing" in read) return { outcome: "errored", output: read.missing };
    for (const job of [
      ...(matches === undefined ? [] : [{ do: "pattern" as const, text: read.text, pattern: matches }]),
      ...(schema ? [{ do: "schema" as const, text: read.text, schema }] : []),
    ]) {
      const answer = await inspect(world, job, signal);
      if ("broken" in answer) return { outcome: "errored", output: answer.broken };
      if ("wrong" in answer) wrong.push(...answer.wrong);
    }
  }
  return wrong.length
    ? { outcome: "failed", output: wrong.map((line) => `${path}: ${line}`).join("\n") }
    : { outcome: "passed", output: `${path}: ${file.size} bytes` };
}

const mostBytes = 16 * 1024 * 1024;
