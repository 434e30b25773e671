/**
 * Files that go with what is being written: each is given to the daemon at once and then is a resource, so sending only names it. Those that are
 * there already are kept with the draft.
 */
import { useCallback, useEffect, useState } from "react";
import { largestResource } from "../../api/records.ts";
import type { State } from "../../core/state.ts";
import { bytes } from "../../lib/text/amounts.ts";
import { Problem } from "../../schema/problem.ts";
import type { Attachment } from "../../schema/resource.ts";
import { unique } from "../platform.ts";
import { useClient } from "../store/hooks.ts";
import { createKept, json } from "../store/persisted-state.ts";

export interface Part {
  key: string;
  title: string;
  size: number;
  /** There: it can be sent. */
  there?: Attachment;
  /** Why it cannot. */
  why?: string;
  /** To try again. */
  file?: File;
}

export interface FilesGiven {
  parts: readonly Part[];
  add(files: Iterable<File>): void;
  again(key: string): void;
  remove(key: string): void;
  /** What can be sent, and nothing is left. */
  take(): Attachment[];
  /** Puts back what was taken. */
  put(attached: readonly Attachment[]): void;
}

/** As many as a message may name. */
const most = 20;

/** By agent and thread. */
const kept = createKept(
  "agiraph.files.",
  json((found) => (Array.isArray(found) ? (found as Attachment[]) : [])),
);

export function useFilesGiven(agent: string, of: string, state: State): FilesGiven {
  const client = useClient();
  const place = `${agent}.${of}`;
  const [parts, setParts] = useState<readonly Part[]>(() => ofThisRun(kept.read(place), state));
  useEffect(() => {
    const there = parts.flatMap((part) => part.there ?? []);
    kept.write(there.length ? there : undefined, place);
  }, [parts, place]);

  const change = useCallback(
    (key: string, to: Partial<Part>) =>
      setParts((now) =>
        now.map((part) => (part.key === key ? { key, title: part.title, size: part.size, ...to } : part)),
      ),
    [],
  );
  const give = async (key: string, file: File) => {
    const why = refusal(file);
    if (why) return change(key, { why });
    try {
      const base64 = await base64Of(file);
      const type = file.type || undefined;
      const { id, ...made } = await client.createResource({
        params: { agent },
        body: { title: titleOf(file), base64, ...(type ? { type } : {}) },
      });
      change(key, { there: { id, title: made.title, type: made.type, size: made.size } });
    } catch (error) {
      change(key, { why: error instanceof Problem ? error.message : "It could not be read", file });
    }
  };

  return {
    parts,
    add(files) {
      const room = [...files].slice(0, most - parts.length);
      const fresh = room.map((file) => ({ key: unique(), title: titleOf(file), size: file.size, file }));
      setParts((now) => [...now, ...fresh.map(({ key, title, size }) => ({ key, title, size }))]);
      for (const { key, file } of fresh) void give(key, file);
    },
    again(key) {
      const file = parts.find((part) => part.key === key)?.file;
      if (!file) return;
      change(key, {});
      void give(key, file);
    },
    remove: (key) => setParts((now) => now.filter((part) => part.key !== key)),
    take() {
      setParts([]);
      return parts.flatMap((part) => part.there ?? []);
    },
    put: (attached) => setParts((now) => [...now, ...attached.map(partOf)]),
  };
}

const partOf = (there: Attachment): Part => ({ key: unique(), title: there.title, size: there.size, there });

const titleOf = ({ name }: File): string => (name || "file").toWellFormed().slice(-200);

function refusal({ size }: File): string | undefined {
  if (size === 0) return "It is empty";
  return size > largestResource ? `${bytes(size)}; ${bytes(largestResource)} are allowed` : undefined;
}

/** A resource belongs to its run: what was kept for an earlier one has to be given again. */
const ofThisRun = (files: readonly Attachment[], state: State): Part[] =>
  files.filter(({ id }) => state.resources.has(id)).map(partOf);

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("it cannot be read"));
    reader.readAsDataURL(file);
  });
}
