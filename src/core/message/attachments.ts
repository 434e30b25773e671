/**
 * Attachments: resources that come with a message, as a field of it. Readers that only get text, above all models, see one line for each at its
 * end: what it is and how to get it.
 *
 * Not here: logs in which those lines are all there is (schema/message.ts).
 */
import { Problem } from "../../schema/problem.ts";
import type { Attachment, Resource } from "../../schema/resource.ts";
import { resourceFile } from "../file/resource.ts";
import type { State } from "../state.ts";

/** A message as text alone. */
export function wholeText({
  text,
  attachments = [],
}: {
  text: string;
  attachments?: readonly Attachment[] | undefined;
}) {
  if (attachments.length === 0) return text;
  return [text.trimEnd(), ...attachments.map(lineOf)].filter(Boolean).join("\n");
}

const plain = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

function lineOf({ id, title, type, size }: Attachment): string {
  const file = `_resources/${resourceFile({ id, title })}`;
  return `[attached: ${plain(title)} (${plain(type)}, ${size} bytes); the whole is resource ${id}, also readable as ${file}]`;
}

/** The run's resources with these ids, or a Problem that lists those that exist. */
export function attachmentsOf(state: State, ids: readonly string[]): Attachment[] {
  return [...new Set(ids)].map((id) => {
    const found = state.resources.get(id);
    if (found) return attachmentOf(found);
    const known = [...state.resources.values()].slice(-10).map((one) => `${one.id.slice(0, 12)} (${one.title})`);
    throw new Problem("not_found", `there is no resource ${id} in this run; resources: ${known.join(", ") || "none"}`);
  });
}

const attachmentOf = ({ id, title, type, size }: Resource): Attachment => ({ id, title, type, size });
