/** What a run has agreed on and kept: documents, resources, proposals. */
import { z } from "zod";
import { Document } from "../schema/document.ts";
import { Sha256 } from "../schema/ids.ts";
import { Proposal } from "../schema/proposal.ts";
import { Resource } from "../schema/resource.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const list = { method: "GET", tag: "records", params: OfAgent, ok: 200, errors: ["not_found"] } as const;

/** Bytes of one resource that is given over HTTP: in base64 and with its title it stays below what a body may have. */
export const largestResource = 2_500_000;

export const recordRoutes = {
  listDocuments: route({
    ...list,
    path: "/agents/{agent}/documents",
    summary: "List the documents of the current run",
    about: "Their text is in the workspace: documents/NAME.",
    answer: z.object({ items: z.array(Document) }),
  }),
  listResources: route({
    ...list,
    path: "/agents/{agent}/resources",
    summary: "List the resources of the current run",
    answer: z.object({ items: z.array(Resource) }),
  }),
  createResource: route({
    method: "POST",
    path: "/agents/{agent}/resources",
    tag: "records",
    summary: "Upload a resource to the current run: text, or bytes in base64",
    about:
      "Its id is the hash of its content; the same content is the same resource. Attach it to a message with `resources` of `send`; agents read it with resource_read, or as a file in _resources. " +
      `At most ${largestResource} bytes. The agent needs a run; a completed one is reopened by the message.`,
    params: OfAgent,
    body: z
      .strictObject({
        title: Resource.shape.title.describe("Usually the file name"),
        type: Resource.shape.type.optional().describe("Media type; default: from the file extension and the content"),
        text: z.string().min(1).optional(),
        base64: z.base64().min(1).optional().describe("The bytes, instead of `text`"),
      })
      .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), {
        message: "give either text or base64",
        path: ["text"],
      }),
    ok: 201,
    answer: Resource,
    errors: ["not_found", "wrong_state", "too_large", "key_reused"],
    example: { body: { title: "prices.csv", type: "text/csv", text: "chip,price\nH100,25000\n" } },
    tools: [
      {
        name: "resource_create",
        title: "Give an agent a file",
        about:
          "Gives the current run of an agent a text, or bytes in base64. Tell the agent of it with agent_send and the id in resources.",
      },
    ],
  }),
  readResource: route({
    ...list,
    kind: "file",
    path: "/agents/{agent}/resources/{id}",
    summary: "Get a resource with its text, or its bytes with raw=1; also of earlier runs",
    params: OfAgent.extend({ id: Sha256 }),
    query: z.object({ raw: z.stringbool().default(false) }),
    answer: Resource.extend({
      text: z.string().nullable().describe("Null if it is not text"),
      truncated: z.boolean().describe("Truncated; use `raw` for the rest"),
    }),
  }),
  listProposals: route({
    ...list,
    path: "/agents/{agent}/proposals",
    summary: "List the proposals of the current run",
    answer: z.object({ items: z.array(Proposal) }),
  }),
};
