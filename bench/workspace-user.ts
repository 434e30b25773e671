/** The workspaces of a user's folder, as a bench opens them. */
import { join } from "node:path";
import { machine } from "../src/lib/machine/index.ts";
import { openWorkspaces } from "../src/workspace/open.ts";

export const openUser = (user: string, room: string) =>
  openWorkspaces({
    world: machine,
    folder: user,
    root: join(room, "ours"),
    blobs: { put: async () => "", get: async () => null },
    ignore: [],
    tag: `bench-${process.pid}`,
    signal: new AbortController().signal,
  });
