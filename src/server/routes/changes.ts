/** Changes to the user's repository over HTTP. */
import type { changeRoutes, NodeChange } from "../../api/changes.ts";
import { mergedThrough, unmergedOf, unmergedText } from "../../core/file/unmerged.ts";
import { integrationOf, requireCheckout, requireWorkspace } from "../../core/file/workspace.ts";
import { findNode } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Workspace } from "../../schema/workspace.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const changeHandlers = ({ runtime }: Served): Handlers<typeof changeRoutes> => ({
  async getChanges({ params: { agent }, query }) {
    assertKnown(runtime, agent);
    const { checkouts } = await runtime.reading(agent);
    const { run, folder, workspace, nodes, unmerged } = await readRun(runtime, agent, query.run, look);
    const runs = await runtime.read(agent, ({ past, run: last }) =>
      [...past, ...(last ? [last] : [])].map(({ id }) => id),
    );
    const none = { run, runs, workspace: null, integration: null, nodes: [], unmerged: [], handovers: [] };
    const why = await checkouts.missing();
    if (why !== undefined) return { ...none, why };
    if (!workspace)
      return { ...none, workspace: { kind: await checkouts.kind(), folder: folder!, base: null, branch: null } };
    const { kind, base, branch, integration, handovers } = workspace;
    const merged = integration === null ? null : await checkouts.change(base, integration);
    const shown: NodeChange[] = [];
    for (const { kept, from, ...one } of nodes)
      shown.push({ ...one, change: one.change ?? (kept && from ? await checkouts.change(from, kept) : null) });
    const shownWorkspace = { kind, folder: folder!, base, branch };
    return { run, runs, workspace: shownWorkspace, integration: merged, nodes: shown, unmerged, handovers };
  },
  async getDiff({ params: { agent }, query: { run } }) {
    assertKnown(runtime, agent);
    const { checkouts } = await runtime.reading(agent);
    const sides = await readRun(runtime, agent, run, (state) => {
      const { base, integration } = requireWorkspace(state);
      if (integration === null) throw new Problem("wrong_state", "nothing was merged yet; look at the diff of a node");
      return { base, integration };
    });
    return await checkouts.diff(sides.base, sides.integration);
  },
  async getNodeDiff({ params: { agent, node: given }, query: { against, run } }) {
    assertKnown(runtime, agent);
    const { checkouts } = await runtime.reading(agent);
    const { from, to } = await readRun(runtime, agent, run, (state) => {
      const node = findNode(state, given);
      const { from, kept } = requireCheckout(state, node.id);
      const to = (node.status === "completed" ? node.change?.commit : undefined) ?? kept?.version ?? from;
      return { from: against === "base" ? from : integrationOf(requireWorkspace(state)), to };
    });
    return await checkouts.diff(from, to);
  },
  async mergeChanges({ params: { agent }, body: { as, node: given, into, name } }) {
    assertKnown(runtime, agent);
    const { checkouts } = await runtime.reading(agent);
    const node = given === undefined ? undefined : await runtime.read(agent, (state) => findNode(state, given).id);
    const of = node === undefined ? {} : { node };
    const wish =
      as === "merge"
        ? { ...of, as, ...(into === undefined ? {} : { into }) }
        : { ...of, as, name: as === "branch" ? (name ?? `agiraph/${node ?? agent}`) : fileName(name ?? node ?? agent) };
    const { commit, into: place, change } = await checkouts.handOver(wish);
    const { added, removed } = change;
    const files = change.files.length + (change.more_files ?? 0);
    const [noun, verb] = files === 1 ? ["file", verbs[as][0]] : ["files", verbs[as][1]];
    const unmerged = node === undefined ? await runtime.read(agent, unmergedOf) : [];
    const missing = unmerged.length ? ` ${unmergedText(unmerged)}` : "";
    const text = `${files} changed ${noun} (+${added} -${removed}) ${verb} ${place}.${missing}`;
    return { as, commit, into: place, files, added, removed, unmerged, text };
  },
});

/** Of the current run, or of an earlier one as it was at its end. */
async function readRun<T>(
  runtime: Served["runtime"],
  agent: string,
  run: string | undefined,
  read: (state: State) => T,
): Promise<T> {
  return run === undefined ? await runtime.read(agent, read) : read(await (await runtime.reading(agent)).stateOf(run));
}

const verbs = {
  merge: ["was merged into", "were merged into"],
  branch: ["is on the branch", "are on the branch"],
  patch: ["is in", "are in"],
} as const;

/** One name, without a folder. */
function fileName(given: string): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._ -]*$/u.test(given))
    throw new Problem("invalid", `${JSON.stringify(given)} is not a file name; use letters, digits, dots and hyphens`);
  return given.endsWith(".patch") ? given : `${given}.patch`;
}

function look(state: State) {
  const { run, agent, workspace, workspaces, nodes } = state;
  const through = mergedThrough(state);
  const listed = [...nodes.values()]
    .filter(({ id }) => workspaces.has(id))
    .map((node) => nodeLine(state, node, through.get(node.id)));
  const own = run && workspaces.get(run.id);
  const lines = own ? [...listed, coordinatorLine(own, run.status === "open")] : listed;
  return { run: run?.id ?? null, folder: agent?.folder, workspace, nodes: lines, unmerged: unmergedOf(state) };
}

/** What the coordinator changed itself; finishing merges it. */
const coordinatorLine = ({ from, kept, merged }: Workspace, isOpen: boolean) => ({
  node: null,
  name: "coordinator",
  status: isOpen ? ("running" as const) : ("completed" as const),
  worker: "coordinator",
  change: null,
  published: merged !== undefined,
  merged: merged?.integration ?? null,
  left_out: kept?.left_out ?? [],
  updated_at: kept?.at ?? null,
  kept: kept?.version,
  from,
});

/** `through`: the node whose merge brought it into the integration branch. */
function nodeLine({ workspaces }: State, node: Node, through: string | undefined) {
  const { from, kept } = workspaces.get(node.id)!;
  const merged = through === undefined ? undefined : workspaces.get(through)?.merged;
  const published = node.status === "completed" ? node.change : undefined;
  return {
    node: node.id,
    name: node.name,
    status: node.status,
    worker: "worker" in node ? (node.worker ?? null) : null,
    change: published ?? null,
    published: published !== undefined,
    ...(node.status === "completed" && node.evidence ? { evidence: node.evidence } : {}),
    merged: merged?.integration ?? null,
    ...(through === undefined || through === node.id ? {} : { through }),
    left_out: kept?.left_out ?? [],
    updated_at: kept?.at ?? null,
    kept: kept?.version,
    from,
  };
}
