/** What a run has agreed on and kept: documents, resources, proposals. */
import { z } from "zod";
import { Document } from "../schema/document.ts";
import { Sha256 } from "../schema/ids.ts";
import { Proposal } from "../schema/proposal.ts";
import { Resource } from "../schema/resource.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const list = { method: "GET", tag: "records", params: OfAgent, ok: 200, errors: ["not_found"] } as const;

const OfDocument = OfAgent.extend({ document: z.string().min(1).max(120).describe("Its name: decisions.md") });

/** Bytes of one resource that is given over HTTP: in base64 and with its title it stays below what a body may have. */
export const largestResource = 2_500_000;

export const recordRoutes = {
  listDocuments: route({
    ...list,
    path: "/agents/{agent}/documents",
    summary: "List the documents of the current run",
    about: "Their text is in the workspace: documents/NAME.",
    answer: z.object({ items: z.array(Document) }),
    tools: [
      { name: "document_list", title: "List shared documents", about: "Lists the shared documents of an agent's run." },
    ],
  }),
  changeDocument: route({
    method: "PATCH",
    path: "/agents/{agent}/documents/{document}",
    tag: "records",
    summary: "Give a document of the current run to an owner, or to everyone",
    about:
      "Only the owner, the lead and the human can write a document that has an owner; everyone can write one that has none.",
    params: OfDocument,
    body: z.strictObject({
      owner: z.string().min(1).nullable().describe("A participant, by id or name; null: everyone"),
    }),
    ok: 200,
    answer: Document,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { owner: "alice" } },
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
    tools: [
      {
        name: "proposal_list",
        title: "List proposals",
        about: "Lists what is put to a vote in an agent's run, who voted for what and why, and what was decided.",
      },
    ],
  }),
};
