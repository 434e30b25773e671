/** Text search in files, old versions of files, and their integrity, over HTTP. */
import type { findRoutes } from "../../api/find.ts";
import type { Tree } from "../../runtime/workspace/file-reader.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { shownText } from "../media.ts";
import { assertKnown } from "./agents.ts";
import { cursorOf, pageOf, readCursor } from "./page-cursor.ts";

export const findHandlers = ({ runtime }: Served): Handlers<typeof findRoutes> => ({
  async findInFiles({ params: { agent }, query: { query, limit, cursor, ...where } }) {
    assertKnown(runtime, agent);
    const reading = await runtime.reading(agent);
    const tree = treeOf(where);
    reading.files.locate(tree, "");
    const after = readCursor("find", cursor);
    const { files, next, skipped } = await reading.find(tree, { query, limit, after });
    return { items: files, next: next === null ? null : cursorOf("find", next), skipped };
  },
  async listVersions({ params: { agent }, query: { path, limit, cursor, ...where } }) {
    assertKnown(runtime, agent);
    const reading = await runtime.reading(agent);
    const all = await reading.versions.list(treeOf(where), path);
    const { items, next } = pageOf(
      "versions",
      all.map((one) => ({ ...one, id: String(one.seq) })),
      { limit, cursor },
    );
    return { items: items.map(({ id: _, ...one }) => one), next };
  },
  async readVersion({ params: { agent, seq } }) {
    assertKnown(runtime, agent);
    const last = await runtime.read(agent, (state) => state.seq);
    if (seq > last) throw new Problem("not_found", `${agent} has no event ${seq}; its last event is ${last}`);
    const { content, ...version } = await (await runtime.reading(agent)).versions.read(seq);
    return { ...version, size: content.length, ...shownText(content) };
  },
  async checkSealed({ params: { agent, node }, query: { run } }) {
    assertKnown(runtime, agent);
    return await (await runtime.reading(agent)).sealed(node, run);
  },
});

const treeOf = ({ of, run }: { of: Tree["of"]; run?: string | undefined }): Tree =>
  of === "memory" ? { of } : { of, run };
