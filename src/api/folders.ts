/** Folders of this machine, for choosing one that a new agent may read. Names of folders only: no files, nothing hidden. */
import { z } from "zod";
import { route } from "./route.ts";

const Repository = z
  .object({ branch: z.string().nullable().describe("Null if none is checked out, or the repository is elsewhere") })
  .describe("It is a git repository");

export const FolderView = z.object({
  path: z.string().describe("The full path; ~ is expanded"),
  problem: z.string().nullable().describe("Why an agent cannot be given this folder; null if it can"),
  repository: Repository.nullable(),
  items: z
    .array(z.object({ name: z.string(), path: z.string(), repository: z.boolean() }))
    .describe("The folders in it; if it does not exist, those beside it with this prefix. At most 50"),
});
export type FolderView = z.infer<typeof FolderView>;

export const folderRoutes = {
  lookAtFolder: route({
    method: "GET",
    path: "/folders",
    tag: "agents",
    summary: "Look up a folder of this machine, and whether a new agent may read it",
    about: "Returns only names of folders. A folder is refused as by `folder` of createAgent, with the same message.",
    query: z.object({ path: z.string().max(4_096).default("~").describe("Absolute, or starting with ~") }),
    ok: 200,
    answer: FolderView,
  }),
};
