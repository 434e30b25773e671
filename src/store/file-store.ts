/**
 * The file store: agents/{agent}/events.jsonl, snapshot.json and blobs/{sha256} in a home that only this process holds (home/lock.ts).
 *
 * Always holds: per agent one log is open at a time, the one with the highest fence; opening waits for the last write of its predecessor. Fences
 * are compared within this store object, because the home's lock keeps other processes out. A log without events does not count: `agents` does not
 * list it and `create` takes it, so a crash between creating a log and its first event does not burn the name.
 */
import { join } from "node:path";
import { agentRoot } from "../home/layout.ts";
import type { Files } from "../lib/world.ts";
import { onDisk } from "../schema/disk-error.ts";
import { Problem } from "../schema/problem.ts";
import { checkAgent, isAgent } from "./agent-id.ts";
import { getBlob, putBlob } from "./blobs.ts";
import { createHandles } from "./file-handles.ts";
import { spillLarge } from "./large-events.ts";
import { type Memory, type OpenLog, openLog, sourceOf } from "./log.ts";
import { readAsNewest } from "./log-line.ts";
import { aheadProblem, closedProblem, fencedProblem, missing, ownedProblem } from "./refusal.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

export interface FilesStoreOptions {
  home: string;
  files: Files;
  /** How many logs may have an open file at once; an idle agent needs none. */
  handles?: number;
  point?: ((name: string) => Promise<void>) | undefined;
}

interface Held extends Memory {
  fence: number;
  log: OpenLog | null;
  /** A queue of one: operations on this agent's files as a whole run one after the other. */
  turn: Promise<unknown>;
}

export function createFilesStore({ home, files, handles: limit, point }: FilesStoreOptions): Store {
  const root = join(home, "agents");
  const handles = createHandles(files, limit);
  const held = new Map<string, Held>();
  let over = false;

  function placeOf(agent: string) {
    if (over) throw closedProblem(`the store in ${home}`);
    const folder = agentRoot(home, checkAgent(agent));
    return {
      folder,
      log: join(folder, "events.jsonl"),
      snapshot: join(folder, "snapshot.json"),
      blobs: join(folder, "blobs"),
    };
  }

  function of(agent: string): Held {
    let known = held.get(agent);
    if (!known) {
      known = { fence: -1, log: null, durable: null, unclean: false, mark: null, turn: Promise.resolve() };
      held.set(agent, known);
    }
    return known;
  }

  /** Releases a closed log, so that an idle agent costs next to nothing. */
  function forget(agent: Held, log: OpenLog): void {
    if (agent.log === log) agent.log = null;
  }

  function inTurn<T>(agent: Held, work: () => Promise<T>): Promise<T> {
    const mine = agent.turn.then(work);
    const over = () => undefined;
    agent.turn = mine.then(over, over); // its caller gets the error; the next operation starts anyway
    return mine;
  }

  const sizeOf = async (path: string) => (await onDisk("look at", path, () => files.stat(path)))?.size ?? null;

  return {
    async agents() {
      const entries = await onDisk("list", root, () => files.list(root));
      const names = entries.flatMap(({ name, kind }) => (kind === "folder" && isAgent(name) ? [name] : []));
      // One that cannot be looked at is listed: its opening says what is wrong, and the others are not held up by it.
      const isThere = (name: string) => sizeOf(join(root, name, "events.jsonl")).catch(() => true);
      const there = await Promise.all(names.map(isThere));
      return names.filter((_, i) => there[i]).sort();
    },

    async open(agent, { fence, create = false }) {
      const place = placeOf(agent);
      const mine = of(agent);
      return await inTurn(mine, async () => {
        if (fence <= mine.fence) throw fencedProblem(agent, fence, mine.fence);
        if (create) {
          if (mine.log && mine.log.seq > 0) throw ownedProblem(agent);
          await onDisk("create", place.folder, () => files.makeDir(place.folder));
        } else if (!(await sizeOf(place.log))) {
          throw missing(agent);
        }
        await mine.log?.shut(fencedProblem(agent, mine.fence, fence));
        mine.log = null;
        mine.mark = null;
        await handles.drop(place.log);
        // The process that created these names may have been killed before they were durable; everything acknowledged from now on needs them.
        if (mine.durable === null) await onDisk("open", place.log, () => files.settle(place.log, home));
        const log = await openLog({
          path: place.log,
          files,
          handles,
          memory: mine,
          point,
          closed: () => forget(mine, log),
        });
        if (create && log.seq > 0) {
          await log.close();
          throw ownedProblem(agent);
        }
        mine.fence = fence;
        mine.log = log;
        return spillLarge(log, {
          put: (content) => putBlob(files, place.blobs, content),
          get: (sha256) => getBlob(files, place.blobs, sha256),
          asNewest: readAsNewest,
        });
      });
    },

    async snapshot(agent, format) {
      const place = placeOf(agent);
      const mine = of(agent);
      const size = mine.durable ?? (await sizeOf(place.log));
      if (size === null) return null;
      const source = sourceOf(place.log, handles);
      const found = await onDisk("read", place.log, () => readSnapshot(files, place.snapshot, source, size));
      if (!found || (format !== undefined && found.snapshot.format !== format)) return null;
      mine.mark = { seq: found.snapshot.seq, end: found.end };
      return found.snapshot;
    },

    async saveSnapshot(agent, snapshot) {
      const place = placeOf(agent);
      const mine = of(agent);
      await inTurn(mine, async () => {
        const { log, durable } = mine;
        if (!log || durable === null)
          throw new Problem("wrong_state", `the log of ${agent} is not open; open it first`);
        if (snapshot.seq < 1 || snapshot.seq > log.seq) throw aheadProblem(agent, snapshot.seq, log.seq);
        if (mine.mark && snapshot.seq < mine.mark.seq) return; // there is a newer one
        const source = sourceOf(place.log, handles);
        const end = await onDisk("write", place.snapshot, () =>
          writeSnapshot(files, place.snapshot, source, durable, snapshot),
        );
        mine.mark = { seq: snapshot.seq, end };
        await point?.("snapshot.written");
      });
    },

    putBlob: async (agent, content) => await putBlob(files, placeOf(agent).blobs, content),
    getBlob: async (agent, sha256) => await getBlob(files, placeOf(agent).blobs, sha256),

    async close() {
      over = true;
      for (const mine of held.values()) await inTurn(mine, async () => await mine.log?.close());
      await handles.close();
    },
  };
}
