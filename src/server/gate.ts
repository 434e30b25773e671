/**
 * Who may come in: Host, Origin and token, in this order, for every request and every upgrade. What is not said to be open is closed.
 *
 * Host must be ours, so that no name that was pointed at this address reaches us; Origin, where a browser sends one, must be ours too; there
 * is no CORS. The human has the token, or a browser's session (sessions.ts), which needs its word for every change. A participant has a
 * secret (secrets.ts) that is known here and opens nothing but what says so. Tokens are compared in constant time. Wrong ones of every kind
 * are counted together and then refused for a while, the right one never is.
 */
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { matcher } from "./same.ts";
import type { Bearer, Secrets } from "./secrets.ts";
import { isCsrf, type Session, type Sessions, type Window } from "./sessions.ts";

export interface GateOptions {
  token: string;
  /** `127.0.0.1:5099` and the other names it is reached by, e.g. `localhost:5099`. The first one's port is in the cookie's name. */
  hosts: () => readonly string[];
  clock: Clock;
  /** Without it there are no browsers. */
  sessions?: Sessions;
  /** Without it there are no participants. */
  secrets?: Secrets;
}

export type Who = { kind: "human"; session?: string } | ({ kind: "participant" } & Bearer);

export interface Gate {
  /** Throws `forbidden`: comes first, for open routes too. */
  checkPlace(headers: Headers): void;
  /** The human or a participant. Throws `unauthorized`, `rate_limited`, or `forbidden` if a browser wants a change and does not say its word. */
  who(headers: Headers, mutates?: boolean): Who;
  /** The human and nobody else. Throws as `who`, and `forbidden` for a participant. */
  checkToken(headers: Headers, mutates?: boolean): void;
  /** Exchanges a code for a session; throws as `who`. */
  enter(code: string, headers: Headers): Session & { cookie: string };
  /** The session that a request came with, if it did. */
  session(headers: Headers): Session | null;
  /** Ends it for good; gives the cookie that says so. Throws `storage_failed` if that could not be kept. */
  leave(headers: Headers): Promise<string>;
  /** Browsers that are let in, seen from this one; and shut one of them out for good: throws `not_found`, `storage_failed`. */
  windows(headers: Headers): Window[];
  shut(name: string): Promise<void>;
  /** A code for a new window. */
  code(): { code: string; expires_at: string };
}

const mostFailures = 20;
const windowMs = 60_000;

export const csrfHeader = "x-agiraph-csrf";

export function createGate({ token, hosts, clock, sessions, secrets }: GateOptions): Gate {
  let failures: number[] = [];
  const isToken = matcher(token);

  /** Always throws. Comes after the comparison, so that the right one is heard however many wrong ones came before. */
  function fail(message: string): never {
    const now = clock.mono();
    failures = failures.filter((at) => now - at < windowMs);
    if (failures.length >= mostFailures)
      throw new Problem("rate_limited", "too many wrong tokens; wait a minute. The right one is always heard");
    failures.push(now);
    throw new Problem("unauthorized", message);
  }

  const given = (headers: Headers): string => /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  const isOurs = (origin: string): boolean =>
    hosts().some((ours) => origin === `http://${ours}` || origin === `https://${ours}`);
  /** Cookies do not know ports: two daemons on one machine must not take each other's. */
  const cookieName = (): string => `agiraph_${hosts()[0]?.split(":").at(-1) ?? ""}`;
  const cookieOf = (headers: Headers): string =>
    (headers.get("cookie") ?? "")
      .split(";")
      .map((one) => one.trim())
      .find((one) => one.startsWith(`${cookieName()}=`))
      ?.slice(cookieName().length + 1) ?? "";
  const cookie = (value: string, rest: string) =>
    `${cookieName()}=${value}; Path=/; HttpOnly; SameSite=Strict; ${rest}`;

  function who(headers: Headers, mutates = false): Who {
    const said = given(headers);
    if (said && isToken(said)) return { kind: "human" };
    const bearer = said ? secrets?.verify(said) : null;
    if (bearer) return { kind: "participant", ...bearer };
    const id = said ? "" : cookieOf(headers);
    const session = id ? sessions?.find(id) : null;
    if (!session) fail("a token is needed: Authorization: Bearer …; it is in daemon.json of the home");
    // A page on another port of this machine is the same site to a browser, and its requests carry our cookie.
    if (!["same-origin", "none"].includes(headers.get("sec-fetch-site") ?? "none"))
      throw new Problem("forbidden", "the request comes from another page; only ours may use the session");
    if (mutates && !isCsrf(session, headers.get(csrfHeader)))
      throw new Problem("forbidden", `a change by session needs its word in ${csrfHeader}; GET /session says it`);
    return { kind: "human", session: id };
  }

  return {
    checkPlace(headers) {
      const host = (headers.get("host") ?? "").toLowerCase();
      if (!hosts().includes(host))
        throw new Problem("forbidden", `the host ${JSON.stringify(host)} is not ours; use ${hosts()[0]}`);
      const origin = headers.get("origin");
      if (origin !== null && !isOurs(origin))
        throw new Problem("forbidden", `the origin ${JSON.stringify(origin)} is not ours; other sites have no access`);
    },
    who,
    checkToken(headers, mutates) {
      const one = who(headers, mutates);
      if (one.kind === "participant")
        throw new Problem("forbidden", `${one.participant} of ${one.agent} cannot use this; only the human can`);
    },
    enter(code, headers) {
      const session = sessions?.open(code, headers.get("user-agent") ?? "");
      if (!session) fail("the code is not good any more; ask for a new one");
      const { id, csrf, expires_at } = session;
      return { csrf, expires_at, cookie: cookie(id, "Max-Age=43200") };
    },
    session: (headers) => sessions?.find(cookieOf(headers)) ?? null,
    async leave(headers) {
      await sessions?.close(cookieOf(headers));
      return cookie("", "Max-Age=0");
    },
    windows: (headers) => sessions?.list(cookieOf(headers)) ?? [],
    async shut(name) {
      if (!(await sessions?.end(name)))
        throw new Problem("not_found", `there is no window ${name}; GET /sessions lists them`);
    },
    code() {
      if (!sessions) throw new Problem("not_offered", "this daemon has no windows");
      return sessions.code();
    },
  };
}
