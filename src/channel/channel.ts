/**
 * The channel port: a way to reach the human outside of Agiraph. One file for each kind; all are created in channels.ts.
 *
 * `send` resolves when the receiver has accepted the notice, and throws a ChannelError and nothing else. It may be called again with the same
 * notice after a crash: the key is the same then, so a receiver can deduplicate. An error never contains a secret, or more of a URL than its host.
 * Text by models is untrusted: no channel lets it mention people, disguise links or get into a header.
 * Not here: what is due and when it is retried (core/human/delivery.ts, runtime/delivery/deliveries.ts).
 */
import type { ChannelKind, Concern, Delivery } from "../schema/delivery.ts";

export interface Channel {
  kind: ChannelKind;
  for: readonly Concern[];
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** A delivery with everything its reader must know. */
export interface Notice extends Omit<Delivery, "attempts" | "pause" | "channel" | "seq"> {
  agent: string;
  /** Idempotency key: the same for the same delivery, and for no other, also of an agent that had this name before. */
  key: string;
}

export class ChannelError extends Error {
  /** The receiver's Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "ChannelError";
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function noticeOf(agent: string, delivery: Delivery): Notice {
  const { attempts: _attempts, pause: _pause, channel: _channel, seq: _seq, ...rest } = delivery;
  return { ...rest, agent, key: `${agent}/${delivery.id}/${Date.parse(delivery.at).toString(36)}` };
}
