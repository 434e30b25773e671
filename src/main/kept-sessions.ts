/** Sessions of windows, kept in the home over a restart. What cannot be read is forgotten: its windows come in anew. */
import { join } from "node:path";
import { z } from "zod";
import { machine } from "../lib/machine/index.ts";
import type { KeptSession } from "../server/sessions.ts";

const Kept = z.array(
  z.object({
    hash: z.string(),
    csrf: z.string(),
    ends_at: z.iso.datetime(),
    browser: z.string().max(300).optional(),
    seen_at: z.iso.datetime().optional(),
  }),
);
const pathOf = (home: string) => join(home, "sessions.json");

export async function readSessions(home: string): Promise<KeptSession[]> {
  const found = await machine.files.read(pathOf(home)).catch(() => null);
  try {
    return Kept.parse(JSON.parse(found?.toString("utf8") ?? "[]"));
  } catch {
    return [];
  }
}

/** One after the other; the last one counts. */
export function createKeeper(home: string): (sessions: KeptSession[]) => void {
  let writing = Promise.resolve();
  return (sessions) => {
    const text = `${JSON.stringify(sessions)}\n`;
    writing = writing
      .then(() => machine.files.write(pathOf(home), text, { durable: false, mode: 0o600 }))
      .catch(() => undefined); // then they end with this life
  };
}
