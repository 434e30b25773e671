/** A fingerprint of plain data: the same for the same content, regardless of the order of fields. */
import { createHash } from "node:crypto";

export const printOf = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(value, inOrder) ?? "")
    .digest("base64url");

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
