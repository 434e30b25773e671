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
import { DatabaseSync } from "node:sqlite";
import type { Section } from "../lib/sections.ts";
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
  /** Sections with any of the words, best first; the score is the share of the words found. */
  words(owner: string, query: string, limit: number): Ranked[];
  /** The sections with the nearest vectors of this model, nearest first; scores are cosines. */
  near(owner: string, model: string, vector: Float32Array, limit: number): Ranked[];
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
  sections: readonly Section[];
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
    owner TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (owner, path)
  ) WITHOUT ROWID;
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
    setFile: database.prepare("INSERT OR REPLACE INTO note_files VALUES (?, ?, ?, ?)"),
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
  for (const one of [sql.setFile, sql.dropFile, sql.add, sql.addWords, sql.addVector, ...sql.drops])
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
  function take(owner: string, { path, hash, stamp, sections }: NewNote): number[] {
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
    sql.setFile.run(owner, path, hash, stamp);
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
      change(() => void sql.setFile.run(owner, path, hash, stamp));
    },

    remove(owner, path) {
      const gone = [...guard(() => known(owner, path)).values()];
      change(() => {
        for (const row of gone) drop(row);
        sql.dropFile.run(owner, path);
      });
      for (const row of gone) near.drop(owner, row);
    },

    words(owner, query, limit) {
      const words = wordsOf(query);
      if (words.length === 0) return [];
      const any = words.map((word) => `"${word}"`).join(" OR ");
      const stems = words.map(stemOf);
      const match = `owner : "${tokenOf(owner)}" AND {heading text} : (${any})`;
      return guard(() =>
        sql.words.all(match, limit).map(({ row }) => ({ row: Number(row), score: shareOf(stems, Number(row)) })),
      );
    },

    near: (owner, model, vector, limit) => guard(() => near.find(owner, model, vector, limit)),

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
