/**
 * Where the thinking comes from. A backend is a pipe: it knows no inbox, board or log.
 *
 * `call` yields parts and ends with exactly one `end` part; a stream without it is cut off, and nothing of it counts. It stops at once when
 * the signal aborts. It fails by throwing a BackendError whose class says what to do; any other throw is a bug and counts as permanent.
 */
import type { Allowance, Amount } from "../schema/budget.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Call, Kept, Stop, Usage } from "../schema/turn.ts";
import type { Line } from "../schema/worker.ts";

export interface Backend {
  /** Tokens that the model can be shown and can answer, together; without a bound if missing. */
  readonly window?: number;
  /** How usage of it is named. */
  readonly name?: string;
  /** The most that can be allowed to this call; missing if its answers have no limit that could be set. */
  most?(request: Request): Allowance;
  /** The most this call can cost with what it is allowed; reserved before it is made. */
  worst(request: Request): Amount;
  call(request: Request, signal: AbortSignal): AsyncIterable<Part>;
}

export interface Request {
  model: string;
  /** Who asks: participant id, how many turns it has begun, the node it holds. */
  participant: string;
  turns: number;
  node?: string | undefined;
  /** The same from call to call as long as nothing in it changed, so that providers can cache it. */
  system: string;
  /** What others wrote and it is shown from the beginning: in the user's role and before the lines, because only our own words are the system's. */
  data?: string | undefined;
  /** Only grows from call to call, until it is compacted. */
  lines: readonly Line[];
  /** Said after the lines, for this call only. */
  note?: string | undefined;
  tools: readonly ToolShape[];
  /** What the answer may use, and not more; the most there is if missing. */
  allowed?: Allowance | undefined;
}

export type Part =
  | { type: "text"; text: string }
  /** What it thinks aloud; shown to people, never stored as an answer. */
  | { type: "thought"; text: string }
  | ({ type: "call" } & Call)
  | { type: "end"; cost: Amount; stop?: Stop; usage?: Usage; kept?: Kept };

export class BackendError extends Error {
  /**
   * transient: try again later; provider: quota, login or payment, park until someone acts; permanent: will not work; overflow: the request
   * is larger than the model can take.
   */
  readonly kind: "transient" | "provider" | "permanent" | "overflow";
  readonly retryAfterMs: number | undefined;
  /** Nobody refused it, the connection was lost: whoever was asked may count it. */
  readonly mayCost: boolean;

  constructor(kind: BackendError["kind"], message: string, retryAfterMs?: number, mayCost = false) {
    super(message);
    this.name = "BackendError";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.mayCost = mayCost;
  }
}

/** Stands in for a backend that cannot be asked: every call meets this error. */
export function refusing(error: BackendError): Backend {
  return {
    worst: () => ({ usd: 0, tokens: 0 }),
    // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
    async *call() {
      throw error;
    },
  };
}
