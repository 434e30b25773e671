/** What goes wrong, as JSON-RPC says it, with the codes of A2A where it has one. Our own code and message are always in it. */
import { Problem } from "../schema/problem.ts";

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

const known = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  VERSION_NOT_SUPPORTED: -32009,
} as const;

/** A refusal for which the protocol has a name. */
export class Refusal extends Error {
  readonly reason: keyof typeof known;
  constructor(reason: keyof typeof known, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function errorOf(error: unknown): RpcError | undefined {
  if (error instanceof Refusal)
    return { code: known[error.reason], message: error.message, data: [info(error.reason, "a2a-protocol.org")] };
  if (!(error instanceof Problem)) return undefined;
  const code = mistakes.has(error.code) ? -32602 : -32603;
  return { code, message: `${error.code}: ${error.message}`, data: [info(error.code, "agiraph")] };
}

/** Of the caller's, not ours. */
const mistakes: ReadonlySet<string> = new Set(["invalid", "too_large", "key_reused"]);

const info = (reason: string, domain: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain,
});
