/** Validates an agent id before it becomes a folder name. */
import { AgentId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";

export function isAgent(id: string): boolean {
  return AgentId.safeParse(id).success;
}

/** Returns the id. Throws `path_escapes` (path traversal) if it could lead out of its folder, `invalid` for any other bad id. */
export function checkAgent(id: string): string {
  if (isAgent(id)) return id;
  const escapes = id === "" || /[/\\:\0]|^\.+$/.test(id);
  throw new Problem(
    escapes ? "path_escapes" : "invalid",
    `${JSON.stringify(id)} is not an agent: ids are lower-case letters, digits and hyphens, at most 64 characters`,
    { agent: id },
  );
}
