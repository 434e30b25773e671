/**
 * The in-memory store, for tests and simulations. Several hosts may share one store object: fencing keeps them apart.
 *
 * Always holds: the same contract as every store (contract.ts), where "durable" means as long as the object lives. Events and snapshots are
 * serialised and parsed, so no caller shares an object with the log. There is no torn tail.
 */

import { parseJson } from "../lib/json/json.ts";
import type { Event } from "../schema/event.ts";
import { checkAgent } from "./agent-id.ts";
import { checkHash, hashOf } from "./blobs.ts";
import { sumIn } from "./checksum.ts";
import { decode, encodeTogether } from "./log-line.ts";
import { aheadProblem, closedProblem, fencedProblem, missing, otherLog, outOfOrder, ownedProblem } from "./refusal.ts";
import type { Log, Snapshot, Store } from "./store.ts";

interface Held {
  lines: Buffer[];
  fence: number;
  snapshot: string | null;
  blobs: Map<string, Buffer>;
}

const batch = 1_000;

export function createMemoryStore(): Store {
  const held = new Map<string, Held>();

  function of(agent: string): Held {
    const known = held.get(checkAgent(agent)) ?? { lines: [], fence: -1, snapshot: null, blobs: new Map() };
    held.set(agent, known);
    return known;
  }

  return {
    async agents() {
      return [...held].flatMap(([agent, { lines }]) => (lines.length > 0 ? [agent] : [])).sort();
    },

    async open(agent, { fence, create = false }) {
      const mine = of(agent);
      if (fence <= mine.fence) throw fencedProblem(agent, fence, mine.fence);
      if (create && mine.lines.length > 0) throw ownedProblem(agent);
      if (!create && mine.lines.length === 0) throw missing(agent);
      mine.fence = fence;
      return logOf(agent, mine, fence);
    },

    async snapshot(agent, format) {
      const { snapshot, lines } = of(agent);
      const found = snapshot === null ? null : (parseJson(snapshot) as Snapshot);
      const usable = found && found.sum === sumAt(lines, found.seq) && (format ?? found.format) === found.format;
      return usable ? found : null;
    },

    async saveSnapshot(agent, snapshot) {
      const mine = of(agent);
      const { seq, sum } = snapshot;
      const found = sumAt(mine.lines, seq);
      if (found === null) throw aheadProblem(agent, seq, mine.lines.length);
      if (sum !== undefined && found !== sum) throw otherLog(agent, seq, sum, found);
      const kept = mine.snapshot === null ? null : (parseJson(mine.snapshot) as Snapshot);
      if (!kept || kept.seq <= seq) mine.snapshot = JSON.stringify({ ...snapshot, sum: found });
    },

    async putBlob(agent, content) {
      const sha256 = hashOf(content);
      of(agent).blobs.set(sha256, Buffer.from(content));
      return sha256;
    },

    async getBlob(agent, sha256) {
      const found = of(agent).blobs.get(checkHash(sha256));
      return found ? Buffer.from(found) : null;
    },

    async close() {
      // Nothing to release: the next opening finds the data here.
    },
  };
}

function logOf(agent: string, mine: Held, fence: number): Log {
  let open = true;
  let seq = mine.lines.length;

  return {
    get seq() {
      return seq;
    },
    repaired: null,

    async append(events) {
      if (!open) throw closedProblem(`the log of ${agent}`);
      if (fence < mine.fence) throw fencedProblem(agent, fence, mine.fence);
      for (const [i, event] of events.entries()) {
        if (event.seq !== seq + 1 + i) throw outOfOrder(agent, event.seq, seq + 1 + i);
      }
      const lines = encodeTogether(events).map((line) => Buffer.from(line));
      for (const line of lines) mine.lines.push(line);
      seq += events.length;
    },

    async *read(after) {
      const end = mine.lines.length;
      for (let from = Math.max(0, after); from < end; from += batch) {
        if (!open) throw closedProblem(`the log of ${agent}`);
        yield mine.lines.slice(from, Math.min(end, from + batch)).map(eventIn);
      }
    },

    async close() {
      open = false;
    },
  };
}

function eventIn(line: Buffer): Event {
  return decode(line, 0, line.length - 1);
}

function sumAt(lines: Buffer[], seq: number): string | null {
  const line = lines[seq - 1];
  return line ? sumIn(line, line.length - 1) : null;
}
