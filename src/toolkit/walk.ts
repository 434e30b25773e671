/** Everything below a folder, in order, within limits. */
import { walkTree } from "../lib/files/tree.ts";
import { isView, type Scope, type ScopeEntry } from "./scope.ts";

const deepest = 32;

/** Folders that other tools manage: listed, and shown only when asked for by path. */
const closed = /(^|\/)(\.git|node_modules)$/;
export const isClosed = (path: string): boolean => closed.test(path);

/** Paths are as the caller would give them. Folders come before their content. Links and the like are listed, never followed. */
export const walk = (scope: Scope, folder: string): AsyncGenerator<ScopeEntry & { path: string }> =>
  walkTree((path) => scope.list(path), {
    from: folder,
    enter: ({ path }) => !isClosed(path) && path.split("/").length <= deepest,
  });

/** A path in scratch without the ./ that it does not need. */
export const shown = (path: string): string => (path.startsWith("./") && !isView(path.slice(2)) ? path.slice(2) : path);

/** A folder as models write it: with or without a slash at its end. */
export const folderOf = (path: string | undefined): string => (path ?? "").replace(/\/+$/, "") || ".";
