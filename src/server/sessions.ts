/**
 * Sessions of browsers. A code, made for one window and good for a minute and one use, is exchanged for a session: an id that only the
 * cookie carries, and a word (csrf) that only a page of ours can read and must say with every change.
 *
 * Kept as hashes: who reads our memory or our files later finds no id. Sessions outlive a restart if somebody keeps them, so that a window
 * goes on where it was; codes do not. The oldest give way to new ones. A session that was ended stays ended: that is kept durably before it
 * is answered, because a crash would bring back whoever was shut out.
 */
import { createHash } from "node:crypto";
import type { Clock, Random } from "../lib/world.ts";
import { same } from "./same.ts";

export interface Session {
  csrf: string;
  expires_at: string;
}

export interface Sessions {
  /** A new code for a window; it goes into the fragment of the address, never into a query. */
  code(): { code: string; expires_at: string };
  /** Null if the code is not good, or not any more. `browser`: what it says it is; nothing is decided by it. */
  open(code: string, browser?: string): (Session & { id: string }) | null;
  /** It was seen now. */
  find(id: string): Session | null;
  /** It is not good from now on; resolves when that is kept, rejects if it could not be. */
  close(id: string): Promise<void>;
  /** Those that are good now; `id`: the one that asks. */
  list(id: string): Window[];
  /** As `close`, by its name in the list. False if there is none. */
  end(name: string): Promise<boolean>;
}

export interface Window {
  id: string;
  browser: string;
  opened_at: string;
  seen_at: string;
  expires_at: string;
  here: boolean;
}

/** A session as it is kept: the hash of its id, its word, when it ends, and what people know it by. */
export interface KeptSession {
  hash: string;
  csrf: string;
  ends_at: string;
  browser?: string | undefined;
  seen_at?: string | undefined;
}

interface Known {
  csrf: string;
  ends: number;
  browser: string;
  seen: number;
}

export interface SessionsOptions {
  clock: Clock;
  random: Random;
  /** Of an earlier life. */
  kept?: readonly KeptSession[];
  /** All there are, after every change. With `durable` it resolves when they are on the disk, or rejects. */
  keep?(sessions: KeptSession[], durable: boolean): Promise<void>;
}

const codeMs = 60_000;
const sessionMs = 12 * 3_600_000;
const mostCodes = 20;
const mostSessions = 100;
const longestBrowser = 300;
/** That one was seen is kept so often, and not with every request. */
const seenMs = 300_000;

export function createSessions({ clock, random, kept = [], keep }: SessionsOptions): Sessions {
  const codes = new Map<string, number>();
  const sessions = new Map<string, Known>();
  let keptAt = clock.mono();

  for (const { hash: id, csrf, ends_at, browser = "", seen_at } of kept) {
    const left = Math.min(sessionMs, Date.parse(ends_at) - clock.now());
    const ends = clock.mono() + left;
    const ago = seen_at === undefined ? sessionMs - left : clock.now() - Date.parse(seen_at);
    if (left > 0) sessions.set(id, { csrf, ends, browser, seen: clock.mono() - Math.max(0, ago) });
  }
  async function changed(durable = false): Promise<void> {
    keptAt = clock.mono();
    const all = [...sessions].map(([hash, { csrf, ends, browser, seen }]) => ({
      ...{ hash, csrf, ends_at: at(ends), browser, seen_at: at(seen) },
    }));
    await keep?.(all, durable);
  }

  const at = (ends: number) => new Date(clock.now() + ends - clock.mono()).toISOString();

  return {
    code() {
      const code = random.hex(32);
      codes.set(hash(code), clock.mono() + codeMs);
      bound(codes, mostCodes);
      return { code, expires_at: at(clock.mono() + codeMs) };
    },
    open(code, browser = "") {
      const ends = codes.get(hash(code));
      codes.delete(hash(code));
      if (ends === undefined || ends <= clock.mono()) return null;
      const [id, csrf] = [random.hex(32), random.hex(32)];
      const said = browser.replace(/[^\x20-\x7e]+/g, " ").slice(0, longestBrowser);
      const session = { csrf, ends: clock.mono() + sessionMs, browser: said, seen: clock.mono() };
      sessions.set(hash(id), session);
      bound(sessions, mostSessions);
      void changed();
      return { id, csrf, expires_at: at(session.ends) };
    },
    find(id) {
      const found = sessions.get(hash(id));
      if (!found || found.ends <= clock.mono()) return null;
      found.seen = clock.mono();
      if (clock.mono() - keptAt >= seenMs) void changed();
      return { csrf: found.csrf, expires_at: at(found.ends) };
    },
    async close(id) {
      if (sessions.delete(hash(id))) await changed(true);
    },
    list: (id) =>
      [...sessions].flatMap(([key, { ends, browser, seen }]) => {
        const times = { opened_at: at(ends - sessionMs), seen_at: at(seen), expires_at: at(ends) };
        return ends <= clock.mono() ? [] : [{ id: nameOf(key), browser, ...times, here: key === hash(id) }];
      }),
    async end(name) {
      const key = [...sessions.keys()].find((one) => nameOf(one) === name);
      if (key === undefined) return false;
      sessions.delete(key);
      await changed(true);
      return true;
    },
  };
}

export const isCsrf = (session: Session, said: string | null): boolean => same(session.csrf, said ?? "");

/** Enough of the hash to tell them apart, and not all of it. */
const nameOf = (hashed: string): string => hashed.slice(0, 12);

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

function bound(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
