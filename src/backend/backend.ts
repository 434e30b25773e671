/**
 * Where the thinking comes from. A backend is a pipe: it knows no inbox, board or log.
 *
 * `call` yields parts and ends with exactly one `end` part; a stream without it is cut off, and nothing of it counts. It stops at once when
 * the signal aborts. It fails by throwing a BackendError whose class says what to do; any other throw is a bug and counts as permanent.
 */
import type { Amount } from "../schema/budget.ts";
import type { Call } from "../schema/turn.ts";
import type { Line } from "../schema/worker.ts";

export interface Backend {
  /** The most this call can cost; reserved before it is made. */
  worst(request: Request): Amount;
  call(request: Request, signal: AbortSignal): AsyncIterable<Part>;
}

export interface Request {
  model: string;
  /** Who asks: participant id, how many turns it has begun, the node it holds. */
  participant: string;
  turns: number;
  node?: string | undefined;
  system: string;
  lines: readonly Line[];
  tools: readonly { name: string; about: string }[];
}

export type Part = { type: "text"; text: string } | ({ type: "call" } & Call) | { type: "end"; cost: Amount };

export class BackendError extends Error {
  /** transient: try again later; provider: quota, login or payment, park until someone acts; permanent: will not work. */
  readonly kind: "transient" | "provider" | "permanent";
  readonly retryAfterMs: number | undefined;

  constructor(kind: BackendError["kind"], message: string, retryAfterMs?: number) {
    super(message);
    this.name = "BackendError";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
