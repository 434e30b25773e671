/**
 * Browser sessions. A one-time login code, valid for a minute, is exchanged for a session token that our page keeps in the storage of its own
 * origin and sends with every request. There is no cookie: a browser shares those between all ports of a host, lets every port replace them, and
 * sends them with requests that another site makes (CSRF).
 *
 * Only hashes are stored, so neither memory nor files reveal a token. Everything open for a session ends with it. Sessions survive a restart if
 * they are persisted; codes do not. The oldest are evicted. A session that was ended stays ended: that is durable before the request is answered,
 * because a crash would let the browser in again.
 */
import { createHash } from "node:crypto";
import type { Clock, Random } from "../../lib/world.ts";

export interface Session {
  expires_at: string;
  /** Aborts when the session ends or expires. */
  ended: AbortSignal;
}

/** Returned once, and never shown again. */
export interface NewSession {
  token: string;
  expires_at: string;
}

export interface Sessions {
  /** A new login code; it goes into the fragment of the URL, never into a query. */
  code(): { code: string; expires_at: string };
  /** Null if the code is wrong, expired or used. `browser`: its user agent, for display only. */
  open(code: string, browser?: string): NewSession | null;
  /** Also marks it as seen now. */
  find(token: string): Session | null;
  /** Invalid at once; resolves when that is durable, rejects if it could not be persisted. */
  close(token: string): Promise<void>;
  /** The valid sessions; `token`: of the one that asks. */
  list(token: string): Window[];
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

/** A session as it is persisted: the hash of its token, its expiry, and what people recognise it by. */
export interface KeptSession {
  hash: string;
  ends_at: string;
  browser?: string | undefined;
  seen_at?: string | undefined;
}

interface Known {
  over: AbortController;
  ends: number;
  browser: string;
  seen: number;
}

export interface SessionsOptions {
  clock: Clock;
  random: Random;
  /** From before a restart. */
  kept?: readonly KeptSession[];
  /** Persists all of them after every change. With `durable` it resolves when they are on disk, or rejects. */
  keep?(sessions: KeptSession[], durable: boolean): Promise<void>;
}

const codeMs = 60_000;
const sessionMs = 12 * 3_600_000;
const mostCodes = 20;
const mostSessions = 100;
const longestBrowser = 300;
/** `last seen` is persisted this often, and not with every request. */
const seenMs = 300_000;

export function createSessions({ clock, random, kept = [], keep }: SessionsOptions): Sessions {
  const codes = new Map<string, number>();
  const sessions = new Map<string, Known>();
  let keptAt = clock.mono();

  for (const { hash: key, ends_at, browser = "", seen_at } of kept) {
    const left = Math.min(sessionMs, Date.parse(ends_at) - clock.now());
    const ends = clock.mono() + left;
    const ago = seen_at === undefined ? sessionMs - left : clock.now() - Date.parse(seen_at);
    if (left > 0)
      sessions.set(key, { over: new AbortController(), ends, browser, seen: clock.mono() - Math.max(0, ago) });
  }
  async function changed(durable = false): Promise<void> {
    keptAt = clock.mono();
    const all = [...sessions].map(([hash, { ends, browser, seen }]) => ({
      ...{ hash, ends_at: at(ends), browser, seen_at: at(seen) },
    }));
    await keep?.(all, durable);
  }

  function drop(key: string): boolean {
    sessions.get(key)?.over.abort();
    return sessions.delete(key);
  }

  const at = (ends: number) => new Date(clock.now() + ends - clock.mono()).toISOString();

  return {
    code() {
      const code = random.hex(32);
      codes.set(hash(code), clock.mono() + codeMs);
      for (const key of tooMany(codes, mostCodes)) codes.delete(key);
      return { code, expires_at: at(clock.mono() + codeMs) };
    },
    open(code, browser = "") {
      const ends = codes.get(hash(code));
      codes.delete(hash(code));
      if (ends === undefined || ends <= clock.mono()) return null;
      const token = random.hex(32);
      const said = browser.replace(/[^\x20-\x7e]+/g, " ").slice(0, longestBrowser);
      const until = clock.mono() + sessionMs;
      const over = new AbortController();
      sessions.set(hash(token), { over, ends: until, browser: said, seen: clock.mono() });
      for (const key of tooMany(sessions, mostSessions)) drop(key);
      void changed();
      return { token, expires_at: at(until) };
    },
    find(token) {
      const found = sessions.get(hash(token));
      if (!found) return null;
      if (found.ends <= clock.mono()) {
        drop(hash(token));
        return null;
      }
      found.seen = clock.mono();
      if (clock.mono() - keptAt >= seenMs) void changed();
      return { expires_at: at(found.ends), ended: found.over.signal };
    },
    async close(token) {
      if (drop(hash(token))) await changed(true);
    },
    list: (token) =>
      [...sessions].flatMap(([key, { ends, browser, seen }]) => {
        const times = { opened_at: at(ends - sessionMs), seen_at: at(seen), expires_at: at(ends) };
        return ends <= clock.mono() ? [] : [{ id: nameOf(key), browser, ...times, here: key === hash(token) }];
      }),
    async end(name) {
      const key = [...sessions.keys()].find((one) => nameOf(one) === name);
      if (key === undefined) return false;
      drop(key);
      await changed(true);
      return true;
    },
  };
}

/** A prefix of the hash: enough to tell them apart. */
const nameOf = (hashed: string): string => hashed.slice(0, 12);

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** The oldest beyond the limit. */
const tooMany = (map: Map<string, unknown>, most: number): string[] =>
  [...map.keys()].slice(0, Math.max(0, map.size - most));
