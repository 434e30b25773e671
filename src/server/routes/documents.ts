/** One document over HTTP: read with its history, and written by the human. */
import type { documentRoutes } from "../../api/documents.ts";
import type { State } from "../../core/state.ts";
import { type Document, DocumentName } from "../../schema/document.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { shownText } from "../media.ts";
import { assertKnown } from "./agents.ts";

export const documentHandlers = ({ runtime }: Pick<Served, "runtime">): Handlers<typeof documentRoutes> => {
  const find = (agent: string, name: string): Promise<{ run: string | undefined; document: Document | undefined }> =>
    runtime.read(agent, ({ run, documents }: State) => ({ run: run?.id, document: documents.get(name) }));

  async function textOf(agent: string, sha256: string) {
    const content = await (await runtime.reading(agent)).blob(sha256);
    if (!content) throw new Problem("not_found", "its text is not on this disk");
    const { text, truncated } = shownText(content);
    return { text: text ?? "", truncated };
  }

  return {
    async readDocument({ params: { agent, document: name }, query: { version } }) {
      assertKnown(runtime, agent);
      const { run, document } = await find(agent, name);
      if (!document)
        throw new Problem("not_found", `there is no document ${name}; GET /agents/${agent}/documents lists them`);
      const { versions } = await runtime.reading(agent);
      const all = await versions.list({ of: "workspace", run }, `documents/${name}`);
      const history = all.flatMap(({ version, by, at, sha256 }) =>
        version === undefined || sha256 === undefined ? [] : [{ version, by, at, sha256 }],
      );
      const wanted = version === undefined ? document : history.find((one) => one.version === version);
      if (!wanted)
        throw new Problem("not_found", `${name} has no version ${version}; it is at version ${document.version}`);
      return { ...document, ...(await textOf(agent, wanted.sha256)), history };
    },

    async writeDocument({ params: { agent, document: name }, body: { content, base } }) {
      assertKnown(runtime, agent);
      const { error } = DocumentName.safeParse(name);
      if (error) throw new Problem("invalid", `${name} is not a valid document name: ${error.issues[0]?.message}`);
      const { document } = await find(agent, name);
      const replaces = base === document?.version ? document?.sha256 : undefined;
      try {
        if (document && replaces === undefined)
          throw new Problem("conflict", `${name} ${base ? `has changed since version ${base}` : "exists already"}`);
        if (!document && base) throw new Problem("not_found", `there is no document ${name}; leave base out`);
        await (await runtime.reading(agent)).owned.write({ of: "workspace" }, `documents/${name}`, content, replaces);
      } catch (problem) {
        if (!(problem instanceof Problem && problem.code === "conflict")) throw problem;
        const { document: newer } = await find(agent, name);
        if (!newer) throw problem;
        const { version, by } = newer;
        const { text } = await textOf(agent, newer.sha256);
        const what = `put your change into its text and write it with base ${version}`;
        throw new Problem("conflict", `${name} is at version ${version} by ${by}; ${what}`, { version, by, text });
      }
      return (await find(agent, name)).document!;
    },
  };
};
