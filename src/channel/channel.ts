/**
 * A way to reach the human outside of Agiraph. One file for each kind; all are created in channels.ts.
 *
 * `send` resolves when the other side has taken the notice, and throws a ChannelError and nothing else. It may be called again with the same
 * notice after a crash: the key is the same then, for whoever can tell. Nobody's secret, and no URL beyond its host, is in an error.
 * What models wrote is data: no channel lets it mention people, show links in disguise or become part of a header.
 * Not here: what is due and when it is tried again (core/delivery.ts, runtime/deliveries.ts).
 */
import type { ChannelKind, Concern, Delivery } from "../schema/delivery.ts";

export interface Channel {
  kind: ChannelKind;
  for: readonly Concern[];
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** A delivery with all that whoever reads it must know. */
export interface Notice extends Omit<Delivery, "attempts" | "pause" | "channel" | "seq"> {
  agent: string;
  /** The same for the same delivery, and for no other, also of an agent that had this name before. */
  key: string;
}

export class ChannelError extends Error {
  /** What the other side asked for. */
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
