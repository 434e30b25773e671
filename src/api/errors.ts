/** Errors as they go over the wire, and the one place where a code becomes a status. */
import { z } from "zod";
import { type ProblemCode, problemCodes } from "../schema/problem.ts";

export const WireError = z
  .object({
    error: z.object({
      code: z.union([z.enum(problemCodes), z.literal("internal")]),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .describe("What failed, why, and what to do");
export type WireError = z.infer<typeof WireError>;

/** As much as a client needs to know; without the schema, so that a page loads none for it. */
export function isWireError(given: unknown): given is WireError {
  const { code, message } = (given as Partial<WireError> | null | undefined)?.error ?? {};
  return (code === "internal" || problemCodes.some((one) => one === code)) && typeof message === "string";
}

export const statusOf: Readonly<Record<ProblemCode, number>> = {
  unknown_command: 400,
  invalid: 400,
  too_large: 413,
  not_found: 404,
  wrong_state: 409,
  conflict: 409,
  name_taken: 409,
  key_reused: 422,
  unauthorized: 401,
  forbidden: 403,
  untrusted: 403,
  rate_limited: 429,
  path_escapes: 403,
  limit_reached: 429,
  budget_exhausted: 409,
  stale: 409,
  fenced: 503,
  owned_elsewhere: 503,
  home_locked: 503,
  storage_failed: 503,
  log_corrupt: 500,
  newer_version: 500,
  not_offered: 400,
  closed: 503,
  unreachable: 502,
};

/** Those that any route can answer with. */
export const commonErrors: readonly ProblemCode[] = [
  "invalid",
  "unauthorized",
  "forbidden",
  "untrusted",
  "rate_limited",
  "closed",
];
