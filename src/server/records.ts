/** Documents, resources and proposals over HTTP. */
import type { recordRoutes } from "../api/records.ts";
import { Problem } from "../schema/problem.ts";
import { assertKnown } from "./agents.ts";
import { bytesAnswer } from "./bytes.ts";
import type { Handlers } from "./handler.ts";
import type { Served } from "./house.ts";
import { mediaOfType, shownText } from "./media.ts";

export const recordHandlers = ({ runtime }: Served): Handlers<typeof recordRoutes> => {
  async function list<T>(agent: string, of: "documents" | "resources" | "proposals"): Promise<{ items: T[] }> {
    assertKnown(runtime, agent);
    return { items: await runtime.read(agent, (state) => [...state[of].values()] as T[]) };
  }
  return {
    listDocuments: ({ params: { agent } }) => list(agent, "documents"),
    listResources: ({ params: { agent } }) => list(agent, "resources"),
    listProposals: ({ params: { agent } }) => list(agent, "proposals"),
    async readResource({ params: { agent, id }, query: { raw }, request }) {
      assertKnown(runtime, agent);
      const resource = await runtime.read(agent, ({ resources }) => resources.get(id));
      const content = resource && (await (await runtime.reading(agent)).blob(id));
      if (!resource || !content)
        throw new Problem("not_found", `${agent} has no resource ${id}; GET /agents/${agent}/resources lists them`);
      if (!raw) return { ...resource, ...shownText(content) };
      return bytesAnswer(request, { name: resource.title, content, sha256: id, media: mediaOfType(resource.type) });
    },
  };
};
