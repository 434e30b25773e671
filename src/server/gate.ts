/**
 * Who may come in: Host, Origin and token, in this order, for every request and every upgrade. What is not said to be open is closed.
 *
 * Host must be ours, so that no name that was pointed at this address reaches us; Origin, where a browser sends one, must be ours too; there
 * is no CORS. Tokens are compared in constant time. Wrong ones are counted and then refused for a while, the right one never is.
 */
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { same } from "./same.ts";
import type { Bearer, Secrets } from "./secrets.ts";

export interface GateOptions {
  token: string;
  /** `127.0.0.1:5099` and the other names it is reached by, e.g. `localhost:5099`. */
  hosts: () => readonly string[];
  clock: Clock;
  /** Those of participants; nobody but the human comes in without. */
  secrets?: Pick<Secrets, "verify">;
}

/** Who comes in: the human, or a participant of a run. */
export type Who = { kind: "human" } | ({ kind: "participant" } & Bearer);

export interface Gate {
  /** Throws `forbidden`: comes first, for open routes too. */
  checkPlace(headers: Headers): void;
  /** Throws `unauthorized` or `rate_limited`. */
  checkToken(headers: Headers): void;
  /** The same for what participants may use too (see mounts in app.ts). */
  who(headers: Headers): Who;
}

const mostFailures = 20;
const windowMs = 60_000;

export function createGate({ token, hosts, clock, secrets }: GateOptions): Gate {
  let failures: number[] = [];

  const given = (headers: Headers): string => /^Bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";

  const bearerOf = (headers: Headers): Bearer | null => secrets?.verify(given(headers)) ?? null;

  /** Counts a wrong token. */
  function refuse(): never {
    const now = clock.mono();
    failures = failures.filter((at) => now - at < windowMs);
    if (failures.length >= mostFailures)
      throw new Problem("rate_limited", "too many wrong tokens; wait a minute. The right one is always heard");
    failures.push(now);
    throw new Problem("unauthorized", "a token is needed: Authorization: Bearer …; it is in daemon.json of the home");
  }

  return {
    checkPlace(headers) {
      const host = (headers.get("host") ?? "").toLowerCase();
      if (!hosts().includes(host))
        throw new Problem("forbidden", `the host ${JSON.stringify(host)} is not ours; use ${hosts()[0]}`);
      const origin = headers.get("origin");
      if (origin !== null && !hosts().some((ours) => origin === `http://${ours}` || origin === `https://${ours}`))
        throw new Problem("forbidden", `the origin ${JSON.stringify(origin)} is not ours; other sites have no access`);
    },
    checkToken(headers) {
      if (same(given(headers), token)) return;
      if (bearerOf(headers))
        throw new Problem("forbidden", "this is the secret of a participant; it opens /mcp and nothing else");
      refuse();
    },
    who(headers) {
      if (same(given(headers), token)) return { kind: "human" };
      const bearer = bearerOf(headers);
      return bearer ? { kind: "participant", ...bearer } : refuse();
    },
  };
}
