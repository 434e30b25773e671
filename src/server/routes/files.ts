/** Workspace and memory over HTTP. */
import type { fileRoutes } from "../../api/files.ts";
import { withoutSlashes } from "../../lib/files/steps.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Tree } from "../../runtime/workspace/file-reader.ts";
import { Problem } from "../../schema/problem.ts";
import { bytesAnswer } from "../bytes.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { mediaOf, shownText } from "../media.ts";
import { versionIn } from "../version.ts";
import { assertKnown } from "./agents.ts";

export const fileHandlers = ({ runtime }: Served): Handlers<typeof fileRoutes> => ({
  listWorkspace: ({ params: { agent }, query: { run, ...part }, request }) =>
    look(runtime, agent, { of: "workspace", run }, "", part, request),
  readWorkspace: ({ params: { agent, path }, query: { run, ...part }, request }) =>
    look(runtime, agent, { of: "workspace", run }, path, part, request),
  writeWorkspace: ({ params: { agent, path }, body, request }) =>
    write(runtime, agent, { of: "workspace" }, path, body.text, request),
  listMemory: ({ params: { agent }, query, request }) => look(runtime, agent, { of: "memory" }, "", query, request),
  readMemory: ({ params: { agent, path }, query, request }) =>
    look(runtime, agent, { of: "memory" }, path, query, request),
  writeMemory: ({ params: { agent, path }, body, request }) =>
    write(runtime, agent, { of: "memory" }, path, body.text, request),
  async searchMemory({ params: { agent }, body: { query, limit } }) {
    assertKnown(runtime, agent);
    return await (await runtime.reading(agent)).search(query, limit);
  },
});

interface Part {
  raw: boolean;
  offset?: number;
  length?: number;
}

async function look(runtime: Runtime, agent: string, tree: Tree, path: string, part: Part, request: Request) {
  const { raw, offset, length } = part;
  assertKnown(runtime, agent);
  const found = await (await runtime.reading(agent)).files.look(tree, withoutSlashes(path));
  if (found.kind === "folder") {
    if (raw) throw new Problem("invalid", `${path || `the ${tree.of}`} is a folder; only files have bytes`);
    const shown = found.entries.slice(0, mostEntries);
    const entries = shown.map(({ changed, ...entry }) => ({ ...entry, changed_at: timeOf(changed) }));
    return { kind: found.kind, path: found.path, entries, truncated: shown.length < found.entries.length };
  }
  const { content, sha256, changed } = found;
  const name = found.path.split("/").at(-1)!;
  const media = mediaOf(name, content);
  if (raw) return bytesAnswer(request, { name, content, sha256, media });
  return {
    kind: found.kind,
    path: found.path,
    size: content.length,
    type: media.type,
    sha256,
    changed_at: timeOf(changed),
    ...shownText(content, offset, length),
  };
}

async function write(runtime: Runtime, agent: string, tree: Tree, path: string, text: string, request: Request) {
  assertKnown(runtime, agent);
  const { owned } = await runtime.reading(agent);
  const sha256 = await owned.write(tree, path, text, versionIn(request.headers.get("if-match")));
  return { path, size: Buffer.byteLength(text), sha256 };
}

/** Per folder; larger ones are read on disk. */
const mostEntries = 1_000;

const timeOf = (ms: number): string => new Date(Math.floor(ms)).toISOString();
