/** Stores a text as a resource, under its hash, where everyone in the run can read it. Idempotent. */
import { firstLine } from "../lib/text/text.ts";
import type { ToolContext } from "./tool.ts";

const shown = 200;

export async function keepText(
  { blobs, dispatch }: ToolContext,
  {
    content,
    title = firstLine(content, 80) || "A long message",
    type = "text/plain",
    nth = 0,
  }: { title?: string; content: string; type?: string; nth?: number },
): Promise<string> {
  const resource = await blobs.put(content);
  const preview = content.slice(0, shown).toWellFormed();
  const size = new TextEncoder().encode(content).length;
  await dispatch({ type: "resource.create", resource, title, size, preview, media_type: type }, nth);
  return resource;
}
