/**
 * The one error class. Its code is from a closed list; every surface maps the code once (HTTP status, exit code, MCP error). The message names the
 * thing, its state and what is allowed.
 */
/** Plain, without a schema: code that only reports an error loads nothing else. */
export const problemCodes = [
  "unknown_command",
  "invalid",
  "too_large",
  "not_found",
  "wrong_state",
  "conflict",
  "name_taken",
  "key_reused",
  "unauthorized",
  "forbidden",
  "untrusted",
  "rate_limited",
  "path_escapes",
  "limit_reached",
  "budget_exhausted",
  "stale",
  "fenced",
  "owned_elsewhere",
  "home_locked",
  "storage_failed",
  "log_corrupt",
  "newer_version",
  "not_offered",
  "closed",
  "unreachable",
] as const;
export type ProblemCode = (typeof problemCodes)[number];

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ProblemCode, message: string, details?: Record<string, unknown>, options?: ErrorOptions) {
    super(message, options);
    this.name = "Problem";
    this.code = code;
    this.details = details;
  }
}

/** What `work` returns, or the Problem that it refuses with. Any other error is a bug, and is thrown. */
export function refusalOr<Value>(work: () => Value): Value | Problem {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
