/** Why the network gave no answer. Its code is one of the problem codes (schema/problem.ts), so that whoever shows it can say it as a problem. */
export class NetworkError extends Error {
  /** invalid: no such URL; forbidden: we do not go there; unreachable: nobody answers; limit_reached: too slow; closed: the caller stopped it. */
  readonly code: "invalid" | "forbidden" | "unreachable" | "limit_reached" | "too_large" | "closed";

  constructor(code: NetworkError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NetworkError";
    this.code = code;
  }
}
