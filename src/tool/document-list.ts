import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const documentList = defineTool({
  name: "document_list",
  about: "List the shared documents of this run.",
  guidance: "",
  effect: "reads",
  repeatable: true,
  offer: { when: ["document", "leaderless"], words: "shared documents, wiki" },
  input: z.object({}),
  async run(_, { state }) {
    const called = (id: string) => state().participants.get(id)?.name ?? id;
    const lines = [...state().documents.values()].map(
      ({ name, version, size, by, owner }) =>
        `${name}: version ${version} by ${called(by)}, ${size} bytes${owner ? `, owned by ${called(owner)}` : ""}`,
    );
    return lines.join("\n") || "There are no documents.";
  },
});
