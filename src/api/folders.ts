/** Folders of this machine, for choosing one that a new agent may read. Names of folders only: no files, nothing hidden. */
import { z } from "zod";
import { route } from "./route.ts";

const Repository = z
  .object({ branch: z.string().nullable().describe("Null if none is checked out, or it lies elsewhere") })
  .describe("It is a git repository");

export const FolderView = z.object({
  path: z.string().describe("What was asked about, whole: ~ is your home"),
  problem: z.string().nullable().describe("Why it cannot be given to an agent; null if it can"),
  repository: Repository.nullable(),
  items: z
    .array(z.object({ name: z.string(), path: z.string(), repository: z.boolean() }))
    .describe("The folders in it; if it is not there, those beside it that begin so. At most 50"),
});
export type FolderView = z.infer<typeof FolderView>;

export const folderRoutes = {
  lookAtFolder: route({
    method: "GET",
    path: "/folders",
    tag: "agents",
    summary: "A folder of this machine, and whether a new agent may be given it",
    about:
      "Only names of folders are told. What is refused is what `folder` of createAgent refuses, in the same words.",
    query: z.object({ path: z.string().max(4_096).default("~").describe("Absolute, or from ~") }),
    ok: 200,
    answer: FolderView,
  }),
};
