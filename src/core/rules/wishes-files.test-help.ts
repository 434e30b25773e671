/** Wishes of documents, resources and workspaces. */
import { hash, junk, titles } from "./draws.test-help.ts";
import type { Makers } from "./wishes.test-help.ts";

export const filesWishes = {
  "document.write": (d, { documents }) => ({
    document: d.pick(d.known(documents.keys()), ...titles),
    sha256: hash(d.int(10)),
    size: 1,
    owner: d.some(0.3, d.who()),
    expected_version: d.some(0.2, d.int(3)),
  }),
  "document.own": (d, { documents }) => ({ document: d.known(documents.keys()), owner: d.some(0.8, d.who()) }),
  "document.remove": (d, { documents }) => ({ document: d.known(documents.keys()) }),
  "resource.create": (d) => ({ resource: hash(d.int(10)), title: d.text(), size: 1, preview: "" }),
  "file.write": (d) => ({ path: d.pick("GOAL.md", ...junk), sha256: hash(d.int(10)) }),
  "file.edit": (d) => ({ path: d.pick("GOAL.md", ...junk), sha256: d.pick(null, hash(d.int(10))) }),
  "workspace.base": (d) => ({
    kind: d.pick("repository", "folder"),
    base: hash(d.int(2)),
    branch: d.pick(null, "main"),
  }),
  "workspace.open": (d) => ({
    workspace: d.pick("r1", d.known(d.live())),
    from: hash(d.int(2)),
    merging: d.some(0.1, { node: d.known(d.live()), theirs: hash(3), base: hash(1) }),
  }),
  "workspace.keep": (d, { workspaces, seq }) => ({
    ...(d.chance() < 0.5
      ? { workspace: d.known(workspaces.keys()) }
      : { workspace: d.pick("r1", d.known(d.live()), `worker-${d.who()}`), scratch: true, upto: d.int(seq + 1) }),
    version: hash(d.int(4)),
    files: d.int(3),
    added: d.int(3),
    removed: d.int(3),
    left_out: d.chance() < 0.2 ? [{ path: "a", why: "large" }] : [],
    more_left_out: 0,
  }),
  "workspace.restore": (d) => ({
    workspace: d.pick("r1", d.known(d.live())),
    version: hash(d.int(4)),
    why: d.pick("missing", "damaged", "elsewhere"),
    files: 1,
    paths: ["a"],
    copy: d.pick("c1", "c2"),
  }),
  "workspace.merge": (d, { workspace, workspaces }) => ({
    workspace: d.known(workspaces.keys()),
    commit: hash(d.int(4)),
    integration: hash(d.int(6)),
    onto: d.chance() < 0.8 ? (workspace?.integration ?? workspace?.base ?? hash(0)) : hash(9),
  }),
  "workspace.hand_over": (d) => ({ as: d.pick("merge", "branch", "patch"), commit: hash(d.int(4)), into: "main" }),
} satisfies Partial<Makers>;
