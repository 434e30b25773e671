/**
 * Resources that go with a message stand in its text, one line each, in the words that a long message uses for its rest: whoever reads the
 * text, a model too, knows what there is and how to get it. `attachedIn` takes them out again, for those who show them as cards.
 *
 * Text is data: that a line names a resource does not mean that there is one. Who opens it asks for it by its hash.
 */
import { Problem } from "../schema/problem.ts";
import type { Resource } from "../schema/resource.ts";
import { resourceFile } from "./resource.ts";
import type { State } from "./state.ts";

export type Attached = Pick<Resource, "id" | "title" | "type" | "size">;

export function withAttached(text: string, attached: readonly Attached[]): string {
  if (attached.length === 0) return text;
  return [text.trimEnd(), ...attached.map(lineOf)].filter(Boolean).join("\n");
}

const plain = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

function lineOf({ id, title, type, size }: Attached): string {
  const file = `_resources/${resourceFile({ id, title })}`;
  return `[attached: ${plain(title)} (${plain(type)}, ${size} bytes); the whole is resource ${id}, also readable as ${file}]`;
}

const line =
  /^\[attached: (.{1,200}) \(([^()]{1,100}), (\d{1,12}) bytes\); the whole is resource ([0-9a-f]{64}), also readable as [^\]\s]+\]$/;

/** The text without those lines at its end, and what they name. */
export function attachedIn(text: string): { text: string; attached: Attached[] } {
  const lines = text.split("\n");
  const attached: Attached[] = [];
  for (let found = line.exec(lines.at(-1) ?? ""); found; found = line.exec(lines.at(-1) ?? "")) {
    const [, title = "", type = "", size = "", id = ""] = found;
    attached.unshift({ id, title, type, size: Number(size) });
    lines.pop();
  }
  return { text: lines.join("\n"), attached };
}

/** Those of the run by their ids, or a Problem that names what there is. */
export function requireResources(state: State, ids: readonly string[]): Resource[] {
  return [...new Set(ids)].map((id) => {
    const found = state.resources.get(id);
    if (found) return found;
    const known = [...state.resources.values()].slice(-10).map((one) => `${one.id.slice(0, 12)} (${one.title})`);
    throw new Problem("not_found", `there is no resource ${id} in this run; there are ${known.join(", ") || "none"}`);
  });
}
