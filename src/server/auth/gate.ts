/**
 * Authentication and authorisation: Host, Origin and token, in this order, for every request and every upgrade. A route is closed unless it is
 * declared open.
 *
 * Host must be ours, against DNS rebinding; Origin, where a browser sends one, must be ours too; there is no CORS. The human has the daemon's
 * token, or that of a browser session (sessions.ts): in the header of every request, never in a cookie, so there is no CSRF. A participant has a
 * secret (secrets.ts) that opens only the routes that say so. Tokens are compared in constant time. Wrong tokens of every kind are counted together
 * and then rate-limited; the right one never is.
 */
import type { Clock } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Bearer, Secrets } from "./secrets.ts";
import type { NewSession, Session, Sessions, Window } from "./sessions.ts";
import { matcher } from "./timing-safe.ts";

export interface GateOptions {
  token: string;
  /** `127.0.0.1:5099` and the other allowed Host names, e.g. `localhost:5099`. */
  hosts: () => readonly string[];
  clock: Clock;
  /** Without it browser sessions are disabled. */
  sessions?: Sessions;
  /** Without it participants are refused. */
  secrets?: Secrets;
}

/** `ended` aborts when the session ends, and with it everything open for it. */
export type Who = { kind: "human"; ended?: AbortSignal } | ({ kind: "participant" } & Bearer);

export interface Gate {
  /** Checks Host and Origin. Throws `forbidden`. Runs first, for open routes too. */
  checkPlace(headers: Headers): void;
  /** The human or a participant. Throws `unauthorized`, `rate_limited`, or `forbidden` for a session token from another page. */
  who(headers: Headers): Who;
  /** The human and nobody else. Throws as `who`, and `forbidden` for a participant. */
  checkToken(headers: Headers): Who;
  /** Exchanges a one-time login code for a session; throws as `who`. */
  enter(code: string, headers: Headers): NewSession;
  /** The session of a request, if any. */
  session(headers: Headers): Session | null;
  /** Logs out. Throws `storage_failed` if that could not be persisted. */
  leave(headers: Headers): Promise<void>;
  /** Logged-in browsers, as seen from this one; and log one of them out: throws `not_found`, `storage_failed`. */
  windows(headers: Headers): Window[];
  shut(name: string): Promise<void>;
  /** A one-time login code. */
  code(): { code: string; expires_at: string };
}

const mostFailures = 20;
const windowMs = 60_000;

export function createGate({ token, hosts, clock, sessions, secrets }: GateOptions): Gate {
  let failures: number[] = [];
  const isToken = matcher(token);

  /** Always throws. Called after the comparison, so that the right token is accepted however many wrong ones came before. */
  function fail(message: string): never {
    const now = clock.mono();
    failures = failures.filter((at) => now - at < windowMs);
    if (failures.length >= mostFailures)
      throw new Problem("rate_limited", "too many wrong tokens; wait a minute. The right token is always accepted");
    failures.push(now);
    throw new Problem("unauthorized", message);
  }

  const given = (headers: Headers): string => /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  const isOurs = (origin: string): boolean =>
    hosts().some((ours) => origin === `http://${ours}` || origin === `https://${ours}`);
  function who(headers: Headers): Who {
    const said = given(headers);
    if (said && isToken(said)) return { kind: "human" };
    const bearer = said ? secrets?.verify(said) : null;
    if (bearer) return { kind: "participant", ...bearer };
    const session = said ? sessions?.find(said) : null;
    if (!session)
      fail("missing or wrong token: send Authorization: Bearer … with the token from daemon.json in the home");
    // Only our page has the token; a request from another site got it somewhere else.
    if (!["same-origin", "none"].includes(headers.get("sec-fetch-site") ?? "none"))
      throw new Problem(
        "forbidden",
        "the request comes from another site; only Agiraph's own page may use the session",
      );
    return { kind: "human", ended: session.ended };
  }

  return {
    checkPlace(headers) {
      const host = (headers.get("host") ?? "").toLowerCase();
      if (!hosts().includes(host))
        throw new Problem("forbidden", `the Host ${JSON.stringify(host)} is not allowed; use ${hosts()[0]}`);
      const origin = headers.get("origin");
      if (origin !== null && !isOurs(origin))
        throw new Problem(
          "forbidden",
          `the Origin ${JSON.stringify(origin)} is not allowed; other sites have no access`,
        );
    },
    who,
    checkToken(headers) {
      const one = who(headers);
      if (one.kind === "participant")
        throw new Problem("forbidden", `${one.participant} of ${one.agent} cannot use this route; only the human can`);
      return one;
    },
    enter(code, headers) {
      const session = sessions?.open(code, headers.get("user-agent") ?? "");
      if (!session) fail("this login code has expired or was used; get a new one");
      return session;
    },
    session: (headers) => sessions?.find(given(headers)) ?? null,
    async leave(headers) {
      await sessions?.close(given(headers));
    },
    windows: (headers) => sessions?.list(given(headers)) ?? [],
    async shut(name) {
      if (!(await sessions?.end(name)))
        throw new Problem("not_found", `there is no session ${name}; GET /sessions lists them`);
    },
    code() {
      if (!sessions) throw new Problem("not_offered", "browser sessions are disabled on this daemon");
      return sessions.code();
    },
  };
}
