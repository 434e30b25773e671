/**
 * Where the workspaces of one agent are, and what they are called: the present run's, each by its id (a node; the run for the
 * coordinator's own; worker-NAME for that of a worker without a node).
 */
import { join } from "node:path";
import { ownerOf, workspaceOf } from "../../core/file/workspace.ts";
import { nodeRoot, runRoot, workerRoot } from "../../home/layout.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Live } from "../live.ts";

export interface Places {
  run(): string;
  /** Which one a participant works in. */
  idOf(me: Thinker): string | undefined;
  /** Undefined for what participants have of their own. */
  nodeOf(id: string): string | undefined;
  /** Its name in src/workspace; not that of a checkout of another run. */
  nameOf(id: string): string;
  /** The folder that its scratch is in. */
  rootOf(id: string): string;
  /** The files themselves. */
  scratchOf(id: string): string;
  /** The branch of a checkout, or of everything that was merged. */
  branchOf(id: string | "integration"): string;
}

export function createPlaces(home: string, { agent, state }: Live): Places {
  const run = (): string => state().run!.id;
  const nodeOf = (id: string): string | undefined => (id === run() || ownerOf(id) !== undefined ? undefined : id);
  const labelOf = (id: string): string => (id === run() ? "coordinator" : id);
  function rootOf(id: string): string {
    const worker = ownerOf(id);
    if (worker !== undefined) return workerRoot(home, agent, run(), worker);
    return nodeOf(id) ? nodeRoot(home, agent, run(), id) : runRoot(home, agent, run());
  }
  return {
    run,
    nodeOf,
    idOf: (me) => workspaceOf(state(), me),
    nameOf: (id) => `${run()}.${labelOf(id)}`,
    scratchOf: (id) => join(rootOf(id), "scratch"),
    rootOf,
    branchOf: (id) => (run() === "r1" ? `agiraph/${agent}/${labelOf(id)}` : `agiraph/${agent}/${run()}/${labelOf(id)}`),
  };
}
