/** What a run has agreed on and kept: documents, resources, proposals. */
import { z } from "zod";
import { Document } from "../schema/document.ts";
import { Sha256 } from "../schema/ids.ts";
import { Proposal } from "../schema/proposal.ts";
import { Resource } from "../schema/resource.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const list = { method: "GET", tag: "records", params: OfAgent, ok: 200, errors: ["not_found"] } as const;

export const recordRoutes = {
  listDocuments: route({
    ...list,
    path: "/agents/{agent}/documents",
    summary: "The documents of the current run",
    about: "Their text is in the workspace: documents/NAME.",
    answer: z.object({ items: z.array(Document) }),
  }),
  listResources: route({
    ...list,
    path: "/agents/{agent}/resources",
    summary: "The resources of the current run",
    answer: z.object({ items: z.array(Resource) }),
  }),
  readResource: route({
    ...list,
    kind: "file",
    path: "/agents/{agent}/resources/{id}",
    summary: "One resource with its text, or its bytes with raw=1",
    params: OfAgent.extend({ id: Sha256 }),
    query: z.object({ raw: z.stringbool().default(false) }),
    answer: Resource.extend({
      text: z.string().nullable().describe("Null if it is no text"),
      truncated: z.boolean().describe("Only the beginning is here; `raw` has the rest"),
    }),
  }),
  listProposals: route({
    ...list,
    path: "/agents/{agent}/proposals",
    summary: "What was put to a vote in the current run",
    answer: z.object({ items: z.array(Proposal) }),
  }),
};
