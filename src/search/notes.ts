/**
 * The notes in the derived index: sections of memory files, searched by full text and by vector similarity (embeddings).
 *
 * Always holds: a row's text was in its file in the version named by `hash`. A vector is stored with its section and the model that made it, and is
 * deleted with it; sections that a new version keeps keep their vectors. Every row belongs to one owner, and no owner's search sees another's
 * notes. Search words are words, never query syntax.
 *
 * Not here: which files there are and who may read them (guard/memory.ts); how vectors are made (lib/embedder.ts).
 */
import { createHash } from "node:crypto";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { Section } from "../lib/text/sections.ts";
import type { NoteHead, Tier, Visibility } from "../schema/note.ts";
import { transaction } from "./transaction.ts";
import { createNear } from "./vectors.ts";

export interface Notes {
  /** The indexed files of an owner. */
  files(owner: string): Map<string, NoteFile>;
  /** Indexes new versions of files in one transaction. */
  put(owner: string, files: readonly NewNote[]): void;
  /** The file was checked again and is unchanged. */
  confirm(owner: string, path: string, file: NoteFile): void;
  remove(owner: string, path: string): void;
  /** Its files, the freshest first. */
  list(owner: string, wish: ListWish): NoteRow[];
  file(owner: string, path: string): NoteRow | undefined;
  /** How many files there are, and how many of them are of the working tier and were used last before `since`. */
  count(owner: string, since: number): { files: number; bytes: number; faded: number };
  /** Its files that were written after reading what strangers wrote, the freshest first. */
  foreign(owner: string, limit: number): NoteRow[];
  /** These files were used. Lost with the index: then a file counts as used when it was written. */
  touch(owner: string, paths: readonly string[], now: number): void;
  /** The sections of files with one of these visibilities. */
  rowsOf(owner: string, visibilities: readonly Visibility[]): Set<number>;
  /** Sections with any of the words, best first; the score is the share of the words found. `within`: only among these rows. */
  words(owner: string, query: string, limit: number, within?: ReadonlySet<number>): Ranked[];
  /** The sections with the nearest vectors of this model, nearest first; scores are cosines. */
  near(owner: string, model: string, vector: Float32Array, limit: number, within?: ReadonlySet<number>): Ranked[];
  section(row: number): NoteSection | undefined;
  /** Sections without a vector of this model. */
  bare(owner: string, model: string, limit: number): { row: number; heading: string; text: string }[];
  /** Stores vectors; rows that no longer exist are skipped. */
  embed(model: string, vectors: readonly { row: number; vector: Float32Array }[]): void;
}

export interface NoteFile {
  hash: string;
  /** Size and mtime of the file when it was read; if they differ, it is read again. */
  stamp: string;
}

export interface NewNote extends NoteFile {
  path: string;
  head: NoteHead;
  size: number;
  /** When it was written, if nothing is known of its use. Milliseconds since 1970. */
  fresh: number;
  sections: readonly Section[];
}

/** A file as the index knows it. */
export interface NoteRow extends NoteHead {
  path: string;
  size: number;
  /** When it was written or used last. */
  fresh: number;
  /** How often it was used. */
  times: number;
}

export interface ListWish {
  tier?: Tier;
  /** Used at this time or later. */
  since?: number;
  limit: number;
  offset?: number;
}

export interface NoteSection extends Section {
  path: string;
}

export interface Ranked {
  row: number;
  score: number;
}

export const notesSchema = `
  CREATE TABLE note_files (
    owner TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, stamp TEXT NOT NULL, size INTEGER NOT NULL,
    tier TEXT NOT NULL, visibility TEXT NOT NULL, subject TEXT, source TEXT, noted TEXT, origin TEXT, fresh INTEGER NOT NULL, times INTEGER NOT NULL,
    PRIMARY KEY (owner, path)
  ) WITHOUT ROWID;
  CREATE INDEX note_size ON note_files (owner, size);
  CREATE INDEX note_fresh ON note_files (owner, fresh);
  CREATE INDEX note_tier ON note_files (owner, tier, fresh);
  CREATE INDEX note_origin ON note_files (owner, fresh) WHERE origin IS NOT NULL;
  CREATE INDEX note_shared ON note_files (owner, visibility) WHERE visibility <> 'private';
  CREATE TABLE note_sections (
    row INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
    UNIQUE (owner, path, hash)
  );
  CREATE VIRTUAL TABLE note_words USING fts5(
    owner, heading, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE TABLE note_vectors (
    row INTEGER PRIMARY KEY REFERENCES note_sections ON DELETE CASCADE, model TEXT NOT NULL, vector BLOB NOT NULL
  );
`;

/** An index of no files. */
export const noNotes: Omit<Notes, "put"> = {
  files: () => new Map(),
  confirm: () => undefined,
  remove: () => undefined,
  list: () => [],
  foreign: () => [],
  file: () => undefined,
  count: () => ({ files: 0, bytes: 0, faded: 0 }),
  touch: () => undefined,
  rowsOf: () => new Set(),
  words: () => [],
  near: () => [],
  section: () => undefined,
  bare: () => [],
  embed: () => undefined,
};

/** In memory: for a participant without an index file, or whose index file failed. */
export function createNotesInMemory(): Notes {
  const database = new DatabaseSync(":memory:");
  database.exec(notesSchema);
  return notesOn(database, (work) => transaction(database, work));
}

/** `change` runs work in one transaction; both wrap SQLite errors. */
export function notesOn(
  database: DatabaseSync,
  change: (work: () => void) => void,
  guard: <T>(work: () => T) => T = (work) => work(),
): Notes {
  const sql = {
    files: database.prepare("SELECT path, hash, stamp FROM note_files WHERE owner = ?"),
    setFile: database.prepare(
      `INSERT INTO note_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
       ON CONFLICT (owner, path) DO UPDATE SET hash = excluded.hash, stamp = excluded.stamp, size = excluded.size, tier = excluded.tier,
         visibility = excluded.visibility, subject = excluded.subject, source = excluded.source, noted = excluded.noted, origin = excluded.origin,
         fresh = max(fresh, excluded.fresh)`,
    ),
    confirm: database.prepare("UPDATE note_files SET hash = ?, stamp = ? WHERE owner = ? AND path = ?"),
    touch: database.prepare(
      "UPDATE note_files SET fresh = max(fresh, ?), times = times + 1 WHERE owner = ? AND path = ?",
    ),
    file: database.prepare("SELECT * FROM note_files WHERE owner = ? AND path = ?"),
    all: database.prepare(
      "SELECT * FROM note_files WHERE owner = ? AND fresh >= ? ORDER BY fresh DESC, path LIMIT ? OFFSET ?",
    ),
    ofTier: database.prepare(
      "SELECT * FROM note_files WHERE owner = ? AND tier = ? AND fresh >= ? ORDER BY fresh DESC, path LIMIT ? OFFSET ?",
    ),
    foreign: database.prepare(
      "SELECT * FROM note_files WHERE owner = ? AND origin IS NOT NULL ORDER BY fresh DESC, path LIMIT ?",
    ),
    count: database.prepare("SELECT count(*) AS files, total(size) AS bytes FROM note_files WHERE owner = ?"),
    faded: database.prepare(
      "SELECT count(*) AS faded FROM note_files WHERE owner = ? AND tier = 'working' AND fresh < ?",
    ),
    rowsOf: database.prepare(
      `SELECT s.row FROM note_files f JOIN note_sections s ON s.owner = f.owner AND s.path = f.path
       WHERE f.owner = ? AND f.visibility = ?`,
    ),
    dropFile: database.prepare("DELETE FROM note_files WHERE owner = ? AND path = ?"),
    sections: database.prepare("SELECT row, hash FROM note_sections WHERE owner = ? AND path = ?"),
    section: database.prepare("SELECT path, heading, text FROM note_sections WHERE row = ?"),
    add: database.prepare("INSERT INTO note_sections VALUES (NULL, ?, ?, ?, ?, ?)"),
    addWords: database.prepare("INSERT INTO note_words (rowid, owner, heading, text) VALUES (?, ?, ?, ?)"),
    drops: ["note_vectors", "note_words", "note_sections"].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE ${table === "note_words" ? "rowid" : "row"} = ?`),
    ),
    words: database.prepare(
      `SELECT rowid AS row, bm25(note_words, 0.0, 2.0, 1.0) AS score FROM note_words
       WHERE note_words MATCH ? ORDER BY score, rowid LIMIT ?`,
    ),
    bare: database.prepare(
      `SELECT s.row, s.heading, s.text FROM note_sections s LEFT JOIN note_vectors v ON v.row = s.row
       WHERE s.owner = ? AND v.model IS NOT ? ORDER BY s.row DESC LIMIT ?`,
    ),
    vectors: database.prepare(
      `SELECT s.row, v.vector FROM note_sections s JOIN note_vectors v ON v.row = s.row
       WHERE s.owner = ? AND v.model = ? ORDER BY s.row`,
    ),
    addVector: database.prepare("INSERT OR REPLACE INTO note_vectors VALUES (?, ?, ?)"),
    ownerOf: database.prepare("SELECT owner FROM note_sections WHERE row = ?"),
  };
  // Each of these reports the last row id of the connection, and FTS5 leaves some behind that are too large for a number.
  for (const one of [
    sql.setFile,
    sql.confirm,
    sql.touch,
    sql.dropFile,
    sql.add,
    sql.addWords,
    sql.addVector,
    ...sql.drops,
  ])
    one.setReadBigInts(true);

  const near = createNear((owner, model) => {
    const rows = sql.vectors.all(owner, model);
    return rows.map(({ row, vector }) => ({ row: Number(row), bytes: vector as Uint8Array }));
  });

  function drop(row: number): void {
    for (const statement of sql.drops) statement.run(row);
  }

  function known(owner: string, path: string): Map<string, number> {
    return new Map(sql.sections.all(owner, path).map(({ row, hash }) => [String(hash), Number(row)]));
  }

  /** Returns the deleted rows. */
  function take(owner: string, { path, hash, stamp, sections, head, size, fresh }: NewNote): number[] {
    const left = known(owner, path);
    const kept = new Set<string>();
    for (const { heading, text } of sections) {
      const print = sha256(`${heading}\n${text}`);
      if (kept.has(print)) continue;
      kept.add(print);
      if (left.delete(print)) continue;
      const { lastInsertRowid: row } = sql.add.run(owner, path, print, heading, text);
      sql.addWords.run(row, tokenOf(owner), titleOf(path, heading), text);
    }
    for (const row of left.values()) drop(row);
    const { tier, visibility, subject = null, source = null, noted = null, origin = null } = head;
    const about = [tier, visibility, subject, source, noted, origin];
    sql.setFile.run(owner, path, hash, stamp, size, ...about, Math.floor(fresh));
    return [...left.values()];
  }

  function shareOf(stems: readonly string[], row: number): number {
    const { path, heading, text } = sql.section.get(row)!;
    const has = tokensIn(`${titleOf(String(path), String(heading))} ${text}`);
    return stems.filter((stem) => has.some((token) => token.startsWith(stem))).length / stems.length;
  }

  return {
    files: (owner) =>
      guard(
        () =>
          new Map(
            sql.files
              .all(owner)
              .map(({ path, hash, stamp }) => [String(path), { hash: String(hash), stamp: String(stamp) }]),
          ),
      ),

    put(owner, files) {
      const gone: number[] = [];
      change(() => {
        for (const file of files) gone.push(...take(owner, file));
      });
      for (const row of gone) near.drop(owner, row);
    },

    confirm(owner, path, { hash, stamp }) {
      change(() => void sql.confirm.run(hash, stamp, owner, path));
    },

    remove(owner, path) {
      const gone = [...guard(() => known(owner, path)).values()];
      change(() => {
        for (const row of gone) drop(row);
        sql.dropFile.run(owner, path);
      });
      for (const row of gone) near.drop(owner, row);
    },

    list(owner, { tier, since = 0, limit, offset = 0 }) {
      return guard(() =>
        (tier ? sql.ofTier.all(owner, tier, since, limit, offset) : sql.all.all(owner, since, limit, offset)).map(
          rowIn,
        ),
      );
    },

    file(owner, path) {
      const found = guard(() => sql.file.get(owner, path));
      return found && rowIn(found);
    },

    count: (owner, since) =>
      guard(() => {
        const { files, bytes } = sql.count.get(owner)!;
        return { files: Number(files), bytes: Number(bytes), faded: Number(sql.faded.get(owner, since)!.faded) };
      }),

    foreign: (owner, limit) => guard(() => sql.foreign.all(owner, limit).map(rowIn)),

    touch(owner, paths, now) {
      change(() => {
        for (const path of paths) sql.touch.run(Math.floor(now), owner, path);
      });
    },

    rowsOf: (owner, visibilities) =>
      guard(() => new Set(visibilities.flatMap((one) => sql.rowsOf.all(owner, one).map(({ row }) => Number(row))))),

    words(owner, query, limit, within) {
      const words = wordsOf(query);
      if (words.length === 0) return [];
      const any = words.map((word) => `"${word}"`).join(" OR ");
      const stems = words.map(stemOf);
      const match = `owner : "${tokenOf(owner)}" AND {heading text} : (${any})`;
      return guard(() =>
        sql.words
          .all(match, within ? deepest : limit)
          .map(({ row }) => Number(row))
          .filter((row) => !within || within.has(row))
          .slice(0, limit)
          .map((row) => ({ row, score: shareOf(stems, row) })),
      );
    },

    near: (owner, model, vector, limit, within) => guard(() => near.find(owner, model, vector, limit, within)),

    section(row) {
      const found = guard(() => sql.section.get(row));
      return found && { path: String(found.path), heading: String(found.heading), text: String(found.text) };
    },

    bare: (owner, model, limit) =>
      guard(() =>
        sql.bare
          .all(owner, model, limit)
          .map(({ row, heading, text }) => ({ row: Number(row), heading: String(heading), text: String(text) })),
      ),

    embed(model, vectors) {
      const made = vectors.flatMap(({ row, vector }) => {
        const owner = guard(() => sql.ownerOf.get(row))?.owner;
        return owner === undefined ? [] : [{ owner: String(owner), row, bytes: near.pack(vector) }];
      });
      change(() => {
        for (const { row, bytes } of made) sql.addVector.run(row, model, bytes);
      });
      for (const { owner, row, bytes } of made) near.add(owner, model, row, bytes);
    },
  };
}

/** How far down the list of words is read for those that are among some rows. */
const deepest = 5_000;

function rowIn({ path, size, tier, visibility, subject, source, noted, origin, fresh, times }: Row): NoteRow {
  return {
    path: String(path),
    size: Number(size),
    tier: String(tier) as Tier,
    visibility: String(visibility) as Visibility,
    ...(subject === null ? {} : { subject: String(subject) }),
    ...(source === null ? {} : { source: String(source) }),
    ...(noted === null ? {} : { noted: String(noted) }),
    ...(origin === null ? {} : { origin: String(origin) }),
    fresh: Number(fresh),
    times: Number(times),
  };
}

type Row = Record<string, SQLOutputValue>;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The section's location for people. */
const titleOf = (path: string, heading: string): string => `${path.replace(/\.md$/, "")} ${heading}`;

const tokensIn = (text: string): string[] =>
  text
    .normalize("NFD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];

/** Approximates the index's stemmer; used only to score results. */
const stemOf = (word: string): string =>
  tokensIn(word)
    .join("")
    .slice(0, Math.max(4, word.length - 3));

/** The owner as one token that no text contains. */
const tokenOf = (owner: string): string => `owner${sha256(owner).slice(0, 20)}`;

/** Each word once, without stop words unless there are no others. */
function wordsOf(query: string): string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu))].slice(0, 64);
  const telling = words.filter((word) => !common.has(word));
  return telling.length ? telling : words;
}

const common = new Set(
  `a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my of on or our
   should so than that the their them then there these they this to was we were what when where which who why will with would you your`.split(
    /\s+/,
  ),
);
