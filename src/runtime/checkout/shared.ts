/** What the parts of an agent's workspaces share: the ports that make and save them, their places, and the order of what is done to each. */
import { programTag, repositoryRoot } from "../../home/layout.ts";
import { createQueues } from "../../lib/queues.ts";
import type { World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Workspace } from "../../schema/workspace.ts";
import type { Store } from "../../store/store.ts";
import type { Blobs } from "../../workspace/folder/tree.ts";
import { openArchive, openWorkspaces } from "../../workspace/open.ts";
import type { Archive, Commit, Workspaces } from "../../workspace/workspaces.ts";
import type { Live } from "../live.ts";
import { protocol } from "../program/program.ts";
import { caches } from "../workspace/caches.ts";
import { createPlaces, type Places } from "./places.ts";

export interface CheckoutsOptions {
  home: string;
  world: World;
  live: Live;
  store: Pick<Store, "putBlob" | "getBlob">;
  /** Why the agent's folder may not be used; empty if it may. */
  withheld: string;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

export interface Shared extends CheckoutsOptions {
  places: Places;
  /** Opened once; throws `wrong_state` if the agent has no folder, or one that cannot be worked on. */
  port(): Promise<Workspaces>;
  /** Where the versions of a workspace are: of a checkout those of the port, else of plain scratches. */
  archiveOf(id: string): Promise<Archive>;
  /** One after the other for the same name: of a workspace, or `merges`. */
  inOrder<T>(name: string, act: () => Promise<T>): Promise<T>;
  commitOf(message: string, author: string, parents?: readonly string[]): Commit;
  /** Whether the run that this is of is over and another has begun (of-run.ts). */
  isOver(): boolean;
  /** What was begun is over. */
  idle(): Promise<void>;
}

export function createShared(options: CheckoutsOptions): Shared {
  const { home, world, live, store, withheld } = options;
  const { agent, state } = live;
  let opening: Promise<Workspaces> | undefined;
  const queues = createQueues();

  const blobs: Blobs = {
    put: (content) => store.putBlob(agent, content),
    get: (sha256) => store.getBlob(agent, sha256),
  };
  const ours = { world, root: repositoryRoot(home, agent), blobs, ignore: [...protocol] };
  const scratches = openArchive({ ...ours, leave: [...caches] });

  async function port(): Promise<Workspaces> {
    const folder = state().agent?.folder;
    if (folder === undefined)
      throw new Problem("wrong_state", `${agent} works on no repository; start an agent with a folder`);
    if (withheld) throw new Problem("wrong_state", `the folder of ${agent} cannot be used: ${withheld}`);
    opening ??= openWorkspaces({ ...ours, folder, tag: `${programTag(home)}${agent}`, signal: live.signal }).catch(
      (error) => {
        opening = undefined;
        throw error;
      },
    );
    return await opening;
  }

  return {
    ...options,
    places: createPlaces(home, live),
    isOver: () => false,
    port,
    archiveOf: async (id) => (state().workspaces.has(id) ? await port() : scratches),
    ...queues,
    commitOf: (message, author, parents = []) => ({ message, author, at: world.clock.now(), parents }),
  };
}

export const parentsOf = ({ from, merging }: Workspace): string[] => [from, ...(merging ? [merging.theirs] : [])];
