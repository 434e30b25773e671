/** Sessions of windows, kept in the home over a restart. What cannot be read is forgotten: its windows come in anew. */
import { join } from "node:path";
import { z } from "zod";
import type { Files } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { KeptSession } from "../../server/auth/sessions.ts";

const Kept = z.array(
  // Those with more are of a version that let in by cookie.
  z.strictObject({
    hash: z.string(),
    ends_at: z.iso.datetime(),
    browser: z.string().max(300).optional(),
    seen_at: z.iso.datetime().optional(),
  }),
);
const pathOf = (home: string) => join(home, "sessions.json");

export async function readSessions(home: string, files: Files): Promise<KeptSession[]> {
  const found = await files.read(pathOf(home)).catch(() => null);
  try {
    return Kept.parse(JSON.parse(found?.toString("utf8") ?? "[]"));
  } catch {
    return [];
  }
}

/** One after the other; the last one counts. What need not be durable ends with this life if the disk refuses it. */
export function createKeeper(home: string, files: Files): (sessions: KeptSession[], durable: boolean) => Promise<void> {
  let last = Promise.resolve();
  return (sessions, durable) => {
    const text = `${JSON.stringify(sessions)}\n`;
    const writing = last.then(() => files.write(pathOf(home), text, { durable, mode: 0o600 }));
    last = writing.catch(() => undefined);
    return durable ? writing.catch(refused) : last;
  };
}

function refused(cause: unknown): never {
  throw new Problem("storage_failed", "the session ended, but this could not be saved to disk", undefined, {
    cause,
  });
}
