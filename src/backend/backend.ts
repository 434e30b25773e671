/**
 * The backend port: answers model calls. A backend is stateless: it knows no inbox, board or log.
 *
 * `call` yields parts and ends with exactly one `end` part; a stream without it is cut off, and nothing of it counts. It stops at once when the
 * signal aborts. It fails by throwing a BackendError whose class says what to do; any other throw is a bug and counts as permanent.
 */
import type { FailedEndpoint } from "../schema/agent.ts";
import type { Allowance, Amount } from "../schema/budget.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Call, Kept, Stop, Usage } from "../schema/turn.ts";
import type { Line } from "../schema/worker.ts";

export interface Backend {
  /** The context window in tokens, prompt and answer together; unlimited if missing. */
  readonly window?: number;
  /** The name under which usage is recorded. */
  readonly name?: string;
  /** The largest allowance of this call; missing if its answers cannot be limited. */
  most?(request: Request): Allowance;
  /** The worst-case cost of this call with its allowance; reserved before it is made. */
  worst(request: Request): Amount;
  call(request: Request, signal: AbortSignal): AsyncIterable<Part>;
}

export interface Request {
  model: string;
  /** The caller: participant id, how many turns it has begun, the node it holds. */
  participant: string;
  turns: number;
  node?: string | undefined;
  /** The same from call to call until something in it changes, so that providers can cache it. */
  system: string;
  /** Text by others that is shown from the beginning: in the user's role and before the lines, because only our own text is in the system role. */
  data?: string | undefined;
  /** Only grows from call to call, until it is compacted. */
  lines: readonly Line[];
  /** After the lines, for this call only. */
  note?: string | undefined;
  tools: readonly ToolShape[];
  /** What the answer may use; the maximum if missing. */
  allowed?: Allowance | undefined;
}

export type Part =
  | { type: "text"; text: string }
  /** Its thinking; shown to people, never stored as an answer. */
  | { type: "thought"; text: string }
  | ({ type: "call" } & Call)
  | { type: "end"; cost: Amount; stop?: Stop; usage?: Usage; kept?: Kept };

export class BackendError extends Error {
  /**
   * transient: retry later; provider: quota, login or payment, park until someone acts; permanent: will not work; overflow: the request exceeds the
   * context window.
   */
  readonly kind: "transient" | "provider" | "permanent" | "overflow";
  readonly retryAfterMs: number | undefined;
  /** It was not refused, the connection was lost: the provider may bill it. */
  readonly mayCost: boolean;
  /** Where the call was sent, if it was sent: the same facts that the message has in words. */
  readonly endpoint: FailedEndpoint | undefined;

  constructor(
    kind: BackendError["kind"],
    message: string,
    retryAfterMs?: number,
    mayCost = false,
    endpoint?: FailedEndpoint,
  ) {
    super(message);
    this.name = "BackendError";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.mayCost = mayCost;
    this.endpoint = endpoint;
  }
}

/** Stands in for an unavailable backend: every call throws this error. */
export function refusing(error: BackendError): Backend {
  return {
    worst: () => ({ usd: 0, tokens: 0 }),
    // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
    async *call() {
      throw error;
    },
  };
}
