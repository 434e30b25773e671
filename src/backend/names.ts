/**
 * Names and ids in the form that every provider accepts: letters, digits, - and _, at most 64 of them. The same name always gives the same form,
 * whatever else is in the request, so that a conversation reads the same in every call.
 */
import { createHash } from "node:crypto";

const longest = 64;

/**
 * Distinct names stay distinct: a changed name gets a hash suffix of the whole. A name that every object has (`constructor`) is changed as well:
 * the SDK looks names up in plain objects.
 */
export function plainName(name: string): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_-]*$/.test(name) && name.length <= longest && !(name in Object.prototype)) return name;
  const cleaned = name.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?![a-zA-Z_])/, "_");
  return `${cleaned.slice(0, longest - 9)}_${markOf(name)}`;
}

/** For ids, which may begin with anything. */
function plainId(id: string): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id) && id.length <= longest) return id;
  return `${id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, longest - 9)}_${markOf(id)}`;
}

export const markOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** Gives each call of a conversation a unique id: models and scripts reuse the same ones in every turn. */
export function createIds(): (id: string) => string {
  const seen = new Map<string, number>();
  const taken = new Set<string>();
  return (given) => {
    const wish = plainId(given || "call");
    let id = wish;
    for (let n = seen.get(wish) ?? 1; taken.has(id); n++) {
      id = `${wish.slice(0, longest - 8)}_${n + 1}`;
      seen.set(wish, n + 1);
    }
    taken.add(id);
    return id;
  };
}
