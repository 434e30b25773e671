/**
 * What people look up of an open agent besides its state: what happened, what was said, its files, its memory. Nothing here changes the
 * agent, but for files that belong to people (runtime/workspace/file-writer.ts), which change like any edit by hand, and what they give it to keep (runtime/workspace/upload.ts).
 */

import { previewStop, type StopPreview } from "../core/agent/preview.ts";
import { type Link, why } from "../core/board/why.ts";
import type { Limits } from "../core/limits.ts";
import { reduce } from "../core/reduce.ts";
import { emptyState, type State } from "../core/state.ts";
import type { Memories } from "../guard/memory.ts";
import { type Fading, fadesAt, fadingOf } from "../guard/memory-fade.ts";
import { agentPlace, workerPlace } from "../guard/memory-place.ts";
import { readNote, trustNote, writeNote } from "../guard/note-head.ts";
import { soulOf } from "../guard/texts.ts";
import type { World } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import type { NoteHead } from "../schema/note.ts";
import { Problem } from "../schema/problem.ts";
import type { ListWish, NoteRow } from "../search/notes.ts";
import type { Index } from "../search/search.ts";
import type { Store } from "../store/store.ts";
import type { Checkouts } from "./checkout/checkouts.ts";
import type { Indexing } from "./events/index-follower.ts";
import type { Streams } from "./events/stream.ts";
import type { Live } from "./live.ts";
import type { Insights } from "./memory/insights.ts";
import type { ReadChannel } from "./projection/channel-pages.ts";
import { type Channel, createChannel } from "./projection/conversation-pages.ts";
import type { Edits } from "./workspace/edits.ts";
import { createShownFiles, type ShownFiles, type Tree } from "./workspace/file-reader.ts";
import { createOwnedFiles, type OwnedFiles } from "./workspace/file-writer.ts";
import { type FindOptions, type FoundFiles, findInFiles } from "./workspace/find-in-files.ts";
import { sha256 } from "./workspace/publish.ts";
import { createSoulFile, type SoulFile } from "./workspace/soul-file.ts";
import { createKeep, type Keep } from "./workspace/upload.ts";
import { checkSealed, type Sealed } from "./workspace/verify-published.ts";
import { createVersions, type Versions } from "./workspace/versions.ts";

/** `trusted`: a person vouches for it, so that it has no origin any more. */
type HeadChange = Partial<Pick<NoteHead, "tier" | "visibility">> & { trusted?: true | undefined };

export interface Reading {
  /** The durable events after a seq, up to now. */
  events(after: number): AsyncGenerator<Event[], void, void>;
  channel: Channel;
  /** The messages of one run, searched and in pages. */
  readChannel: ReadChannel;
  files: ShownFiles;
  owned: OwnedFiles;
  /** Makes bytes a resource of the current run. */
  keep: Keep;
  /** Words in names and texts of files. */
  find(tree: Tree, wanted: FindOptions): Promise<FoundFiles>;
  versions: Versions;
  soul: SoulFile;
  /** Whether what a node published is untouched; of the current run unless told. */
  sealed(node: string, run?: string): Promise<Sealed>;
  /** A resource or any other blob of the agent; null if there is none. */
  blob(sha256: string): Promise<Buffer | null>;
  /** The agent's own memory. */
  search(query: string, limit: number): Promise<FoundNotes>;
  /** The user's repository or folder: diffs, and what the user takes over of it. */
  checkouts: Checkouts;
  /** Why a node of the current run does not move, as of now. */
  why(node: string): Promise<Link[]>;
  /** What a stop would do, as of now. */
  previewStop(): Promise<StopPreview>;
  /** The state at the end of a run, or now if it is the last one. Throws `not_found`. */
  stateOf(run: string): Promise<State>;
  /** What the agent's memory knows, note by note, the freshest first. */
  notes(wish: ListWish): Promise<{ notes: KnownNote[]; files: number; bytes: number; faded: number }>;
  /** Changes what is known about a note: its tier, its visibility. */
  setHead(path: string, head: HeadChange): Promise<KnownNote>;
  insights: Pick<Insights, "accept">;
  /** How much a participant of the current run remembers. */
  memorySize(participant: string): Promise<{ files: number; bytes: number }>;
}

export interface KnownNote extends NoteRow {
  fading: Fading;
  /** Of a working note: when it leaves the opening if nobody uses it. */
  fades_at: number;
}

export interface FoundNotes {
  found: { path: string; section: string; text: string; score: number; noted?: string; source?: string }[];
  by: "words" | "words and meaning";
}

export interface ReadingOptions {
  home: string;
  world: World;
  store: Store;
  live: Live;
  streams: Streams;
  edits: Edits;
  memories: Memories;
  insights: Insights;
  checkouts: Checkouts;
  readChannel: ReadChannel;
  limits: Limits;
  /** Participants whose loop runs now. */
  running(): ReadonlySet<string>;
  /** Work that an orderly end waits for. */
  track(job: Promise<void>): void;
  index: Index | undefined;
  indexing: Indexing | undefined;
}

export function createReading(options: ReadingOptions): Reading {
  const { home, world, store, live, streams, edits, memories, checkouts, limits, running, track, index, indexing } =
    options;
  const { agent, state } = live;
  const own = agentPlace(home, agent);
  const files = createShownFiles({ home, world, agent, state, recall: checkouts.recall });
  const blob = (sha256: string) => store.getBlob(agent, sha256);
  const place = (tree: Tree, path: string): string =>
    tree.of === "memory"
      ? files.locate(tree, path).path
      : `runs/${tree.run ?? state().run?.id}/${files.locate(tree, path).path}`;
  const known = (note: NoteRow): KnownNote => ({
    ...note,
    fading: fadingOf(note.tier, note.fresh, world.clock.now()),
    fades_at: fadesAt(note.fresh),
  });
  /** The first soul is in no blob, because the log has it. */
  async function savedText(hash: string): Promise<Buffer | null> {
    const first = Buffer.from(soulOf(state().agent!));
    return sha256(first) === hash ? first : await blob(hash);
  }
  const owned = createOwnedFiles({ store, live, edits, files, memory: memories.of(own), track });
  const versions = createVersions({ agent, state, events: streams.past, blob: savedText, place });
  return {
    events: streams.past,
    channel: createChannel({ agent, state, durable: live.durable, past: streams.past, index, indexing }),
    readChannel: options.readChannel,
    files,
    owned,
    keep: createKeep({ store, live, streams, track }),
    find: (tree, wanted) => findInFiles(files, world.clock, tree, wanted),
    versions,
    soul: createSoulFile({ live, files, owned, versions }),
    async sealed(node, of) {
      const { run, past } = state();
      files.locate({ of: "workspace", run: of }, "");
      const { id, first_seq } = [...past, ...(run ? [run] : [])].findLast((one) => !of || one.id === of)!;
      return await checkSealed(files, streams.past(first_seq - 1), id, node);
    },
    blob,
    search: (query, limit) => memories.of(own).find(query, limit),
    async notes(wish) {
      const { notes, ...all } = await memories.of(own).overview(wish);
      return { notes: notes.map(known), ...all };
    },
    async setHead(path, { trusted, ...head }) {
      const memory = memories.of(own);
      if (state().agent?.status === "archived")
        throw new Problem("wrong_state", `${agent} is archived; its memory cannot change`);
      if ((await memory.peek(path)) === null) throw new Problem("not_found", `there is no note ${path}`);
      await memory.edit(path, (text) => {
        const note = readNote(text);
        const next = writeNote({ ...note.head, ...head }, note.body, text);
        return trusted ? trustNote(next) : next;
      });
      return known((await memory.about(path))!);
    },
    insights: options.insights,
    checkouts,
    async why(node) {
      const chain = why(state(), node, { limits, running: running() });
      await live.durable();
      return chain;
    },
    async previewStop() {
      const preview = previewStop(state(), { now: world.clock.now(), actor: "human", limits });
      await live.durable();
      return preview;
    },
    async stateOf(run) {
      const { past, run: last } = state();
      await live.durable();
      if (last?.id === run) return state();
      if (!past.some(({ id }) => id === run)) {
        const all = [...past, ...(last ? [last] : [])].map(({ id }) => id).join(", ");
        throw new Problem("not_found", `${agent} has no run ${run}; runs: ${all || "none"}`);
      }
      const then = emptyState();
      for await (const events of streams.past(0))
        for (const event of events) {
          const isNext = event.type === "run.started" || event.type === "run.preparing";
          if (isNext && then.run?.id === run) return then;
          reduce(then, event);
        }
      return then;
    },
    async memorySize(participant) {
      const { participants, run } = state();
      const coordinates = participants.get(participant)?.kind === "coordinator";
      const place = coordinates ? own : workerPlace(home, agent, run!.id, participant);
      const notes = await memories.of(place).list();
      return { files: notes.length, bytes: notes.reduce((sum, { size }) => sum + size, 0) };
    },
  };
}
