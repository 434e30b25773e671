/**
 * Earlier versions of files that people and agents share: documents, specs, soul, goal. The log says when each came and by whom; the text
 * is there if it was kept: documents always are, notes of the agent's memory, and what people wrote by hand.
 *
 * Only what the log names as a version of a file of people can be read here: no other blob.
 */
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Tree } from "./file-reader.ts";

export interface Version {
  seq: number;
  at: string;
  by: string;
  /** Of a document. */
  version?: number;
  /** Missing if it was taken away, or if the log does not know it. */
  sha256?: string;
  removed: boolean;
  /** Its text can be read. */
  kept: boolean;
}

export interface Versions {
  /** Newest first. */
  list(tree: Tree, path: string): Promise<Version[]>;
  /** The file and its text as it was written at a seq. */
  read(seq: number): Promise<Version & { path: string; content: Buffer }>;
}

interface Options {
  agent: string;
  state(): State;
  events(after: number): AsyncGenerator<Event[], void, void>;
  blob(sha256: string): Promise<Buffer | null>;
  /** Where in the agent's home a path of a tree leads. */
  place(tree: Tree, path: string): string;
}

export function createVersions({ agent, state, events, blob, place }: Options): Versions {
  /** Where the search for a path begins: nothing in a run's folder is older than the run. */
  function beginOf(path: string): number {
    const [, run] = /^runs\/([^/]+)\//.exec(path) ?? [];
    if (run === undefined) return 0;
    const { run: now, past } = state();
    return (now?.id === run ? now : past.find(({ id }) => id === run))!.first_seq - 1;
  }
  return {
    async list(tree, path) {
      const wanted = place(tree, path);
      const found: Version[] = [];
      for await (const some of events(beginOf(wanted)))
        for (const event of some) {
          const one = versionIn(event);
          if (one?.path !== wanted) continue;
          const { version } = one;
          // What we wrote is kept only if people wrote over it.
          if (event.type === "file.written") version.kept = (await blob(event.data.sha256)) !== null;
          found.push(version);
        }
      return found.reverse();
    },
    async read(seq) {
      for await (const [event] of events(seq - 1)) {
        const one = event?.seq === seq ? versionIn(event) : undefined;
        if (!one) break;
        const { path, version } = one;
        const content = version.sha256 === undefined ? null : await blob(version.sha256);
        if (content) return { ...version, path, content };
        throw new Problem("not_found", `there is no saved copy of ${path} at event ${seq}`);
      }
      throw new Problem("not_found", `event ${seq} of ${agent} is not a version of a file`);
    },
  };
}

function versionIn(event: Event): { path: string; version: Version } | undefined {
  const { seq, ts: at, actor: by, run } = event;
  switch (event.type) {
    case "document.written": {
      const { document, version, sha256 } = event.data;
      return {
        path: `runs/${run}/documents/${document}`,
        version: { seq, at, by, version, sha256, removed: false, kept: true },
      };
    }
    case "document.removed":
      return {
        path: `runs/${run}/documents/${event.data.document}`,
        version: { seq, at, by, removed: true, kept: false },
      };
    case "file.written":
    case "file.edited": {
      const { path, sha256 } = event.data;
      const known = sha256 === null ? {} : { sha256 };
      return { path, version: { seq, at, by, ...known, removed: sha256 === null, kept: sha256 !== null } };
    }
    case "memory.written": {
      const { participant, path, sha256 } = event.data;
      if (participant !== "coordinator") return undefined;
      const known = sha256 === undefined ? {} : { sha256 };
      return { path, version: { seq, at, by, ...known, removed: false, kept: sha256 !== undefined } };
    }
    case "insight.accepted": {
      const { path, sha256, outcome } = event.data;
      if (outcome === "known") return undefined;
      const known = sha256 === undefined ? {} : { sha256 };
      return { path, version: { seq, at, by, ...known, removed: false, kept: sha256 !== undefined } };
    }
    default:
      return undefined;
  }
}
