/** Why a network request failed. Its code is one of the problem codes (schema/problem.ts), so that it can be shown as a problem. */
export class NetworkError extends Error {
  /** invalid: not a valid URL; forbidden: not allowed; unreachable: no answer; limit_reached: too slow; closed: the caller aborted it. */
  readonly code: "invalid" | "forbidden" | "unreachable" | "limit_reached" | "too_large" | "closed";

  constructor(code: NetworkError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NetworkError";
    this.code = code;
  }
}
