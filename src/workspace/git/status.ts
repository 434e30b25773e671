/** What differs between a checkout and what was saved of it last, as `git status --porcelain=v2` says it. */
import { unquote } from "./quote.ts";

export interface StatusEntry {
  path: string;
  kind: "changed" | "deleted" | "repository" | "unreadable";
}

export function parseStatus(output: string): StatusEntry[] {
  return output.split("\n").flatMap((line): StatusEntry[] => {
    const [, state, tracked, fresh] = /^(?:1 (..)(?: \S+){6} (.+)|\? (.+))$/.exec(line) ?? [];
    const name = tracked ?? fresh;
    if (name === undefined) return [];
    const path = unquote(name);
    if (path === null) return [{ path: name, kind: "unreadable" }];
    if (path.endsWith("/")) return [{ path: path.slice(0, -1), kind: "repository" }];
    return [{ path, kind: state?.[1] === "D" ? "deleted" : "changed" }];
  });
}
