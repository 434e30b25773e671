/** What is looked at: the content that is about to be published, as publish.ts or whoever else lays it out has it. */
import type { CheckResult } from "../../schema/evidence.ts";
import type { Draft } from "../workspace/publish.ts";

/** What a check says of it. */
export type Said = Pick<CheckResult, "outcome" | "output"> & Partial<Pick<CheckResult, "findings">>;

/** The text of one of its files, if it has it. Larger ones are not read. */
export async function textIn(
  draft: Draft,
  path: string,
  most: number,
): Promise<{ text: string } | { missing: string }> {
  const file = await draft.stat(path);
  if (file?.kind !== "file") return { missing: `${path} is not among the published files (${namesIn(draft)})` };
  if (file.size > most) return { missing: `${path} has ${file.size} bytes; more than ${most} cannot be looked at` };
  return { text: (await draft.read(path)).toString() };
}

export function namesIn({ files }: Draft): string {
  const names = files.slice(0, 20).map(({ path }) => path);
  return `${names.join(", ") || "none"}${files.length > 20 ? ` and ${files.length - 20} more` : ""}`;
}
