/** Documents, resources and proposals over HTTP. */
import { largestResource, type recordRoutes } from "../../api/records.ts";
import { resourceIn } from "../../core/file/resource.ts";
import { requireParticipant } from "../../core/team/names.ts";
import type { Reading } from "../../runtime/queries.ts";
import { Problem } from "../../schema/problem.ts";
import type { Resource } from "../../schema/resource.ts";
import { bytesAnswer } from "../bytes.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { mediaOf, mediaOfType, shownText, textOf } from "../media.ts";
import { assertKnown } from "./agents.ts";

export const recordHandlers = ({ runtime }: Served): Handlers<typeof recordRoutes> => {
  async function list<T>(agent: string, of: "documents" | "resources" | "proposals"): Promise<{ items: T[] }> {
    assertKnown(runtime, agent);
    return { items: await runtime.read(agent, (state) => [...state[of].values()] as T[]) };
  }
  return {
    listDocuments: ({ params: { agent } }) => list(agent, "documents"),
    async changeDocument({ params: { agent, document }, body: { owner }, key }) {
      assertKnown(runtime, agent);
      const given =
        owner === null ? {} : { owner: await runtime.read(agent, (state) => requireParticipant(state, owner).id) };
      await runtime.send(agent, { type: "document.own", document, ...given }, byHuman(key));
      return await runtime.read(agent, ({ documents }) => documents.get(document)!);
    },
    listResources: ({ params: { agent } }) => list(agent, "resources"),
    listProposals: ({ params: { agent } }) => list(agent, "proposals"),
    async createResource({ params: { agent }, body: { title, type, text, base64 = "" }, key }) {
      assertKnown(runtime, agent);
      const content = text === undefined ? Buffer.from(base64, "base64") : Buffer.from(text);
      if (content.length > largestResource)
        throw new Problem(
          "too_large",
          `${title} has ${content.length} bytes; at most ${largestResource} are allowed. Put larger files in the agent's project folder`,
        );
      const said = textOf(content);
      const { keep } = await runtime.reading(agent);
      const preview = (said ?? "").slice(0, shown).toWellFormed();
      return await keep(
        { title, type: typeOf(type ?? mediaOf(title, content).type, said !== null), content, preview },
        byHuman(key),
      );
    },
    async readResource({ params: { agent, id }, query: { raw }, request }) {
      assertKnown(runtime, agent);
      const reading = await runtime.reading(agent);
      const content = await reading.blob(id);
      const resource =
        content && ((await runtime.read(agent, ({ resources }) => resources.get(id))) ?? (await inLog(reading, id)));
      if (!resource || !content)
        throw new Problem("not_found", `${agent} has no resource ${id}; GET /agents/${agent}/resources lists them`);
      if (!raw) return { ...resource, ...shownText(content) };
      return bytesAnswer(request, { name: resource.title, content, sha256: id, media: mediaOfType(resource.type) });
    },
  };
};

const shown = 200;

/** Of an earlier run: the state has those of the current one, the log all of them. Called only if the content exists. */
async function inLog({ events }: Pick<Reading, "events">, id: string): Promise<Resource | undefined> {
  for await (const some of events(0))
    for (const event of some)
      if (event.type === "resource.created" && event.data.resource === id) return resourceIn(event);
  return undefined;
}

/** Bytes that are not text are not served as text. */
function typeOf(said: string, isText: boolean): string {
  const [type = ""] = said.split(";");
  if (type === "application/octet-stream" && isText) return "text/plain";
  return isText || !/^text\//i.test(type) ? type.trim() : "application/octet-stream";
}
