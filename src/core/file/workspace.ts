/**
 * Where participants work: plain scratches, and checkouts of the repository or folder that a run works on.
 *
 * A run has one base, set once. A node has one checkout, opened once. The integration branch moves only from the version that whoever merged has
 * seen, and not while a vote keeps it from it (binding.ts). A version is named in the log after its bytes are durable: the caller has seen to that.
 * A workspace is *settled* if the version that was saved last has everything that the log knows of: what is found in it then, nobody here has done.
 *
 * Not here: the files (src/workspace), when they are saved (runtime/checkout/keep.ts).
 */
import { typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { RunWorkspace, Saved, Workspace } from "../../schema/workspace.ts";
import { requireAgent, requireNode } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { assertMergeable } from "../team/binding.ts";
import { requireWorker } from "../team/names.ts";
import { isProgram } from "../turn/driver.ts";

const workspaceDecide: Deciders<
  | "workspace.base"
  | "workspace.open"
  | "workspace.keep"
  | "workspace.restore"
  | "workspace.merge"
  | "workspace.hand_over"
> = {
  "workspace.base": (state, { kind, base, branch }) => {
    requireAgent(state);
    return state.workspace ? [] : [{ type: "workspace.based", data: { kind, base, branch } }];
  },
  "workspace.open": (state, { type: _type, ...opened }) => {
    requireWorkspace(state);
    return state.workspaces.has(opened.workspace) ? [] : [{ type: "workspace.opened", data: opened }];
  },
  "workspace.keep": (state, { type: _type, ...kept }) => {
    requirePresent(state, kept.workspace);
    if (!kept.scratch) requireCheckout(state, kept.workspace);
    const before = savedOf(state, kept.workspace);
    const isSame =
      before?.version === kept.version && JSON.stringify(before.left_out) === JSON.stringify(kept.left_out);
    if (isSame) return [];
    // The last event that may have changed it.
    const cause = state.worked.get(kept.workspace);
    return [{ type: "workspace.kept", data: kept, ...(cause ? { cause: `${state.agent?.id}/${cause}` } : {}) }];
  },
  "workspace.restore": (state, { type: _type, ...restored }) => {
    requirePresent(state, restored.workspace);
    return [{ type: "workspace.restored", data: restored }];
  },
  "workspace.merge": (state, { workspace, commit, integration, onto }) => {
    if (integrationOf(requireWorkspace(state)) !== onto)
      throw new Problem("stale", "the integration branch has moved meanwhile; merge again");
    requireCheckout(state, workspace);
    assertMergeable(state, workspace);
    return [{ type: "workspace.merged", data: { workspace, commit, integration } }];
  },
  "workspace.hand_over": (state, { type: _type, ...handover }) => {
    requireAgent(state);
    if (isOfCurrent(state, handover)) requireWorkspace(state);
    return [{ type: "workspace.handed_over", data: handover }];
  },
};

/** The user's files have it already when this is asked, so it is recorded even if its run is over. */
const isOfCurrent = ({ run }: State, handover: { run?: string | undefined }): boolean =>
  handover.run === undefined || handover.run === run?.id;

export function requireWorkspace({ workspace, agent }: State): RunWorkspace {
  if (workspace) return workspace;
  throw new Problem(
    "wrong_state",
    agent?.folder === undefined
      ? `${agent?.id} works on no repository; start an agent with a folder`
      : `${agent.id} has not worked on ${agent.folder} in this run`,
  );
}

export function requireCheckout({ workspaces }: State, id: string): Workspace {
  const one = workspaces.get(id);
  if (one) return one;
  throw new Problem("wrong_state", `${id} has not worked on the repository or folder`);
}

/** Of this run, whether or not it is over. */
function requirePresent(state: State, id: string): void {
  requireAgent(state);
  const worker = ownerOf(id);
  if (worker !== undefined) requireWorker(state, worker);
  else if (id !== state.run?.id) requireNode(state, id);
}

/** A workspace as it was saved last, of either kind. */
export const savedOf = ({ workspaces, scratches }: State, id: string): Saved | undefined =>
  workspaces.has(id) ? workspaces.get(id)!.kept : scratches.get(id);

/** Which workspace a participant works in: that of its node, else its own. */
export const workspaceOf = (state: State, one: Thinker): string | undefined => one.node ?? ownWorkspace(state, one);

/** Also the one that its turn began in: it may have been given a node meanwhile. */
export function workspacesOf(state: State, one: Thinker): string[] {
  const { turn } = one;
  const ids = [turn && (turn.node ?? ownWorkspace(state, one)), workspaceOf(state, one)];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** Where it works without a node: the coordinator in the run's, a worker in a plain scratch that nobody else sees. */
export const ownWorkspace = ({ run }: State, { kind, id }: Thinker): string | undefined =>
  kind === "coordinator" ? run?.id : `${ofWorkers}${id}`;

/** Whose own it is; undefined for that of a node or of the run. */
export const ownerOf = (id: string): string | undefined =>
  id.startsWith(ofWorkers) ? id.slice(ofWorkers.length) : undefined;

const ofWorkers = "worker-";

/** Which workspace a path below a run's folder leads to, or the folder that it lies in; undefined for everything else. */
export function workspaceAt(run: string, path: string): string | undefined {
  const [folder = "", owner, next = scratch] = path.split("/");
  if (folder === "" || folder === scratch) return run;
  if (owner === undefined || next !== scratch) return undefined;
  if (folder === "nodes") return owner;
  return folder === "workers" ? `${ofWorkers}${owner}` : undefined;
}

const scratch = "scratch";

/** Whether something may have changed it that is not saved yet. */
export const isUnsaved = (state: State, id: string): boolean =>
  (state.worked.get(id) ?? 0) > (savedOf(state, id)?.upto ?? 0);

/** Whether nobody has been at work in it, as far as the log knows, since event `upto`. */
export function isSettled(state: State, id: string, upto: number): boolean {
  if ((state.worked.get(id) ?? 0) > upto) return false;
  return ![...state.participants.values()].some(
    (one) => one.kind !== "human" && workspacesOf(state, one).includes(id) && isAtWork(state, one),
  );
}

/** They hand over what is there, and change nothing in it. */
const readers: ReadonlySet<string> = new Set(["publish", "finish", "checkpoint", "merge"]);

function isAtWork(state: State, one: Thinker): boolean {
  const { turn } = one;
  if (!turn) return false;
  if (turn.status !== "calling")
    return turn.calls.some(({ status, tool }) => status === "started" && !readers.has(tool));
  // One that has just begun has not started its program yet.
  return isProgram(state, one) && (turn.resumed > 0 || turn.retried > 0 || turn.own !== undefined);
}

/** What new checkouts start from. */
export const integrationOf = ({ integration, base }: RunWorkspace): string => integration ?? base;

/** Whether it is a checkout of the user's files rather than an empty scratch: of the run, and of a node unless that says otherwise. */
export const worksOnFolder = ({ agent, nodes }: State, id: string): boolean =>
  agent?.folder !== undefined && ownerOf(id) === undefined && nodes.get(id)?.workspace !== "scratch";

const reduceWorkspace: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      state.workspace = null;
      state.workspaces.clear();
      state.scratches.clear();
      state.worked.clear();
      return;
    case "workspace.based":
      state.workspace = { ...event.data, integration: null, handovers: [] };
      return;
    case "workspace.opened": {
      const { workspace, ...opened } = event.data;
      state.workspaces.set(workspace, { ...opened, at: event.ts, seq: event.seq });
      return;
    }
    case "workspace.kept": {
      const { workspace, ...kept } = event.data;
      return save(state, workspace, { ...kept, at: event.ts });
    }
    case "workspace.restored": {
      const { workspace, copy } = event.data;
      const saved = savedOf(state, workspace);
      return saved && save(state, workspace, { ...saved, copy });
    }
    case "workspace.merged": {
      const { workspace, commit, integration } = event.data;
      const one = state.workspaces.get(workspace);
      if (one) state.workspaces.set(workspace, { ...one, merged: { commit, integration } });
      if (state.workspace) state.workspace = { ...state.workspace, integration };
      return;
    }
    case "workspace.handed_over": {
      const { workspace } = state;
      const { run: _run, ...handover } = event.data;
      if (workspace && isOfCurrent(state, event.data))
        state.workspace = { ...workspace, handovers: [...workspace.handovers, { ...handover, at: event.ts }] };
    }
  }
};

function save(state: State, id: string, saved: Saved): void {
  const one = state.workspaces.get(id);
  if (one) state.workspaces.set(id, { ...one, kept: saved });
  else state.scratches.set(id, saved);
}

/** Before the turn and the node change by the same event. */
const reduceWork: Reduce = (state, event) => {
  switch (event.type) {
    case "tool.ended":
      if (event.data.touched || event.data.outcome === "unknown") noteWork(state, event.data.participant, event.seq);
      return;
    case "turn.answered":
    case "turn.retried":
    case "turn.failed": {
      const one = state.participants.get(event.data.participant);
      if (one && one.kind !== "human" && isProgram(state, one)) noteWork(state, one.id, event.seq);
      return;
    }
    case "worker.retired":
      if (turnOf(state, event.data.worker)) noteWork(state, event.data.worker, event.seq);
      return;
    // Whoever worked on it may have been interrupted in the middle of something, or the runtime wrote something for it.
    case "node.completed":
    case "node.failed":
    case "node.cancelled":
      if (event.type === "node.completed" && isPublishing(state, event.data.worker)) return;
      if (state.nodes.get(event.data.node)?.turns) state.worked.set(event.data.node, event.seq);
  }
};

/** By a call of its own that does nothing else: what it wrote before that, the results of earlier calls have told. */
function isPublishing(state: State, worker: string): boolean {
  const one = state.participants.get(worker);
  if (one?.kind === "human" || one?.turn?.status !== "acting" || isProgram(state, one)) return false;
  return one.turn.calls.some(({ status, tool }) => status === "started" && tool === "publish") && !isAtWork(state, one);
}

function noteWork(state: State, participant: string, seq: number): void {
  const one = state.participants.get(participant);
  if (!one || one.kind === "human") return;
  for (const id of workspacesOf(state, one)) state.worked.set(id, seq);
}

function turnOf({ participants }: State, id: string): Thinker["turn"] {
  const one = participants.get(id);
  return one && one.kind !== "human" ? one.turn : undefined;
}

export const workspace = defineBehaviour({
  decide: workspaceDecide,
  reduce: [
    { phase: "own", looksAt: [...typesOf("workspace"), "run.started"], reduce: reduceWorkspace },
    {
      phase: "before",
      looksAt: [
        ...(["tool.ended", "turn.answered", "turn.retried", "turn.failed"] as const),
        ...(["node.completed", "node.failed", "node.cancelled", "worker.retired"] as const),
      ],
      reduce: reduceWork,
    },
  ],
});
