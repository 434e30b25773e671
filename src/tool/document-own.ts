import { z } from "zod";
import { requireParticipant } from "../core/team/names.ts";
import { defineTool } from "../toolkit/tool.ts";
import { findDocument } from "./document-read.ts";

export const documentOwn = defineTool({
  name: "document_own",
  about:
    "Give a shared document to an owner, who alone writes it then (besides the coordinator and the human), or to everyone.",
  guidance: "",
  effect: "state",
  repeatable: true,
  offer: { when: ["document"], words: "shared document owner, lock a document" },
  input: z.object({
    name: z.string().min(1).max(120),
    owner: z.string().min(1).optional().describe("Id or name of a participant; everyone if missing"),
  }),
  async run({ name, owner: given }, context) {
    const { state, dispatch } = context;
    const document = findDocument(context, name).name;
    const owner = given === undefined ? undefined : requireParticipant(state(), given);
    await dispatch({ type: "document.own", document, ...(owner ? { owner: owner.id } : {}) });
    return `${document} belongs to ${owner?.name ?? "everyone"} now.`;
  },
});
