/**
 * The derived index: messages with full-text search, and nodes with their state, over all agents, in one SQLite file.
 *
 * Always holds: its rows for an agent are the fold of that agent's events up to `position`, which is written in the same transaction. It is never
 * the source of truth: a file that is missing, damaged or of another schema is deleted and rebuilt, and `catchUp` brings an agent to the end of its
 * log. Search text is text, never query syntax. One connection writes; nobody else opens the file.
 *
 * Not here: notes, which come from files (notes.ts); the state `waiting` of a node, which is in no node event; lone surrogates, which SQLite stores
 * as U+FFFD.
 */

import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { wholeText } from "../core/message/attachments.ts";
import { isUtterance } from "../core/message/utterance.ts";
import type { Files } from "../lib/world.ts";
import { onDisk } from "../schema/disk-error.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { sumOf } from "../store/log-line.ts";
import type { Log } from "../store/store.ts";
import { type Notes, notesOn, notesSchema } from "./notes.ts";
import { isSafeSqlite, safeNodes } from "./sqlite-version.ts";
import { transaction } from "./transaction.ts";

export interface Index {
  /** How far this agent is indexed, and the checksum of that event; null if it is not indexed. */
  position(agent: string): Position | null;
  /** Indexes the events after the position; `lastSum` is the checksum of the last one. Events already indexed are skipped, a gap is a `conflict`. */
  apply(agent: string, events: readonly Event[], lastSum: string): void;
  /** Deletes the agent from the index. */
  drop(agent: string): void;
  /** Messages with all the words of the query, the last one as a prefix; best match first. */
  messages(query: string, options: { agent?: string; limit: number }): FoundMessage[];
  /** The seqs of the agent's conversation (core/message/utterance.ts), newest first; with `before`, only those before it. */
  spoken(options: { agent: string; before?: number | undefined; limit: number }): number[];
  /** In the order they were created. */
  nodes(options: { agent: string; status?: string }): FoundNode[];
  /** The sections of memory files. */
  notes: Notes;
  close(): void;
}

export interface Position {
  seq: number;
  sum: string;
}

export interface FoundMessage {
  agent: string;
  run: string | null;
  id: string;
  seq: number;
  from: string;
  to: string[];
  text: string;
  ts: string;
}

export interface FoundNode {
  agent: string;
  run: string | null;
  id: string;
  status: string;
  task: string;
  worker: string | null;
}

/** Increased with every change of the tables or their content. */
const schemaVersion = 5;

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  BEGIN;
  CREATE TABLE positions (agent TEXT PRIMARY KEY, seq INTEGER NOT NULL, sum TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE messages (
    row INTEGER PRIMARY KEY, agent TEXT NOT NULL, run TEXT, id TEXT NOT NULL, seq INTEGER NOT NULL,
    sender TEXT NOT NULL, recipients TEXT NOT NULL, text TEXT NOT NULL, ts TEXT NOT NULL, UNIQUE (agent, seq)
  );
  CREATE TABLE said (agent TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (agent, seq)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5(text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
  CREATE TABLE nodes (
    agent TEXT NOT NULL, run TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL,
    status TEXT NOT NULL, task TEXT NOT NULL, worker TEXT, PRIMARY KEY (agent, run, id)
  ) WITHOUT ROWID;
  ${notesSchema}
  PRAGMA user_version = ${schemaVersion};
  COMMIT;
`;

/** Opens the index, or creates a new one if the existing file cannot be used. */
export async function openIndex(at: { path: ":memory:" } | { path: string; files: Files }): Promise<Index> {
  if (!("files" in at)) return indexOn(create(":memory:"), at.path);
  const { path, files } = at;
  const existing = (await files.stat(path)) ? openExisting(path) : null;
  if (existing) return existing;
  for (const part of ["", "-wal", "-shm", "-journal"]) await files.remove(path + part);
  // SQLite would create it world-readable; the files it adds beside it inherit these permissions.
  await onDisk("create", path, async () => (await files.open(path)).close());
  return guard(path, () => indexOn(create(path), path));
}

/** Brings the index to the end of the agent's log; starts over if the index is ahead of the log or was made from another one. */
export async function catchUp(index: Index, agent: string, log: Pick<Log, "seq" | "read">): Promise<void> {
  let position = index.position(agent);
  if (position && !(await matches(log, position))) {
    index.drop(agent);
    position = null;
  }
  for await (const events of log.read(position?.seq ?? 0)) index.apply(agent, events, sumOf(events.at(-1)!));
}

async function matches(log: Pick<Log, "seq" | "read">, { seq, sum }: Position): Promise<boolean> {
  if (seq > log.seq) return false;
  for await (const events of log.read(seq - 1)) return sumOf(events[0]!) === sum;
  return false;
}

function indexOn(database: DatabaseSync, path: string): Index {
  const sql = {
    position: database.prepare("SELECT seq, sum FROM positions WHERE agent = ?"),
    setPosition: database.prepare("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)"),
    addMessage: database.prepare("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"),
    addSaid: database.prepare("INSERT INTO said VALUES (?, ?)"),
    addWords: database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)"),
    addNode: database.prepare("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, 'pending', ?, NULL)"),
    moveNode: database.prepare(
      "UPDATE nodes SET status = ?, worker = coalesce(?, worker) WHERE agent = ? AND run = ? AND id = ?",
    ),
    drops: [
      "DELETE FROM words WHERE rowid IN (SELECT row FROM messages WHERE agent = ?)",
      "DELETE FROM messages WHERE agent = ?",
      "DELETE FROM said WHERE agent = ?",
      "DELETE FROM nodes WHERE agent = ?",
      "DELETE FROM positions WHERE agent = ?",
    ].map((text) => database.prepare(text)),
    messages: database.prepare(
      `SELECT m.* FROM words JOIN messages m ON m.row = words.rowid
       WHERE words MATCH ? AND (? IS NULL OR m.agent = ?) ORDER BY words.rank, m.ts DESC, m.agent, m.seq DESC LIMIT ?`,
    ),
    spoken: database.prepare("SELECT seq FROM said WHERE agent = ? AND seq < ? ORDER BY seq DESC LIMIT ?"),
    nodes: database.prepare("SELECT * FROM nodes WHERE agent = ? AND (? IS NULL OR status = ?) ORDER BY seq"),
  };
  // Each of these reports the last row id of the connection, and FTS5 leaves some behind that are too large for a number.
  const { setPosition, addMessage, addSaid, addWords, addNode, moveNode, drops } = sql;
  for (const one of [setPosition, addMessage, addSaid, addWords, addNode, moveNode, ...drops]) one.setReadBigInts(true);

  function position(agent: string): Position | null {
    const row = sql.position.get(agent);
    return row ? { seq: Number(row.seq), sum: String(row.sum) } : null;
  }

  function take(agent: string, event: Event): void {
    const { seq, ts, run = null } = event;
    if (isUtterance(event)) sql.addSaid.run(agent, seq);
    switch (event.type) {
      case "message.posted": {
        const { message, from, to } = event.data;
        const text = wholeText(event.data);
        const added = sql.addMessage.run(agent, run, message, seq, from, JSON.stringify(to), text, ts);
        sql.addWords.run(added.lastInsertRowid, text);
        return;
      }
      case "node.created":
        sql.addNode.run(agent, run ?? "", event.data.node, seq, event.data.task);
        return;
      default: {
        const status = statusAfter[event.type];
        if (!status) return;
        const { node, worker = null } = event.data as { node: string; worker?: string };
        sql.moveNode.run(status, worker, agent, run ?? "", node);
      }
    }
  }

  const change = (work: () => void): void => guard(path, () => transaction(database, work));

  return {
    position: (agent) => guard(path, () => position(agent)),

    apply(agent, events, lastSum) {
      const done = guard(path, () => position(agent))?.seq ?? 0;
      const fresh = events.filter(({ seq }) => seq > done);
      const last = fresh.at(-1);
      if (!last) return;
      if (fresh[0]!.seq !== done + 1) {
        throw new Problem("conflict", `the index of ${agent} is at ${done} and cannot index event ${fresh[0]!.seq}`);
      }
      change(() => {
        for (const event of fresh) take(agent, event);
        sql.setPosition.run(agent, last.seq, lastSum);
      });
    },

    drop(agent) {
      change(() => {
        for (const statement of sql.drops) statement.run(agent);
      });
    },

    messages(query, { agent = null, limit }: { agent?: string | null; limit: number }) {
      const words = wordsOf(query);
      if (words === null) return [];
      return guard(path, () => sql.messages.all(words, agent, agent, Math.max(0, Math.floor(limit))).map(messageIn));
    },

    spoken({ agent, before = Number.MAX_SAFE_INTEGER, limit }) {
      return guard(path, () => sql.spoken.all(agent, before, limit).map(({ seq }) => Number(seq)));
    },

    nodes({ agent, status = null }: { agent: string; status?: string | null }) {
      return guard(path, () => sql.nodes.all(agent, status, status).map(nodeIn));
    },

    notes: notesOn(database, change, (work) => guard(path, work)),

    close: () => database.close(),
  };
}

const statusAfter: Partial<Record<Event["type"], string>> = {
  "node.assigned": "assigned",
  "node.started": "running",
  "node.completed": "completed",
  "node.retried": "pending",
  "node.failed": "failed",
  "node.cancelled": "cancelled",
};

/** Every word quoted, so that nothing in it is an operator; null if there is no word. */
function wordsOf(query: string): string | null {
  const words = query.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu);
  return words && `${words.map((word) => `"${word}"`).join(" ")}*`;
}

type Row = Record<string, SQLOutputValue>;

function messageIn({ agent, run, id, seq, sender, recipients, text, ts }: Row): FoundMessage {
  return {
    agent: String(agent),
    run: run === null ? null : String(run),
    id: String(id),
    seq: Number(seq),
    from: String(sender),
    to: JSON.parse(String(recipients)),
    text: String(text),
    ts: String(ts),
  };
}

function nodeIn({ agent, run, id, status, task, worker }: Row): FoundNode {
  return {
    agent: String(agent),
    run: run === "" ? null : String(run),
    id: String(id),
    status: String(status),
    task: String(task),
    worker: worker === null ? null : String(worker),
  };
}

function create(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  checkVersion(database);
  database.exec(schema);
  return database;
}

/** Null if the file is not an intact database with our schema. */
function openExisting(path: string): Index | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path);
    checkVersion(database);
    const { user_version: version } = database.prepare("PRAGMA user_version").get()!;
    const { quick_check: health } = database.prepare("PRAGMA quick_check(1)").get()!;
    if (version === schemaVersion && health === "ok") {
      database.exec("PRAGMA synchronous = NORMAL");
      return indexOn(database, path);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    // Whatever is wrong with it, rebuild it.
  }
  database?.close();
  return null;
}

function checkVersion(database: DatabaseSync): void {
  const version = String(database.prepare("SELECT sqlite_version() AS version").get()!.version);
  if (!isSafeSqlite(version))
    throw new Problem("storage_failed", `SQLite ${version} can corrupt its files; use Node ${safeNodes}`);
}

/** Turns SQLite errors into a Problem that says what to do. */
function guard<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new Problem(
      "storage_failed",
      `the search index ${path} failed: ${said}; stop, delete it and start again to rebuild it`,
      { path },
      { cause: error },
    );
  }
}
