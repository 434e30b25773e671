/** A signed POST of JSON to the user's program. Terminal control characters in its text are escaped; it is still untrusted text. */
import type { Clock, Network } from "../lib/world.ts";
import type { Concern } from "../schema/delivery.ts";
import type { Channel, Notice } from "./channel.ts";
import { post } from "./post.ts";
import { sign } from "./sign.ts";
import { noticeText, replyTo } from "./words.ts";

export interface WebhookOptions {
  url: string;
  secret: string;
  for: readonly Concern[];
  network: Network;
  clock: Clock;
}

const kinds: Record<Concern, string> = {
  questions: "question",
  approvals: "approval",
  messages: "message",
  paused: "paused",
  completed: "completed",
  failed: "failed",
};

export function createWebhook({ url, secret, for: wanted, network, clock }: WebhookOptions): Channel {
  return {
    kind: "webhook",
    for: wanted,
    send(notice, signal) {
      const body = JSON.stringify(bodyOf(notice));
      const headers = {
        "agiraph-signature": sign(secret, body, clock.now()),
        "agiraph-delivery": notice.key,
        "idempotency-key": notice.key,
      };
      return post(network, { url, headers, body, signal });
    },
  };
}

const bodyOf = (notice: Notice) => ({
  agent: notice.agent,
  run: notice.run,
  kind: kinds[notice.concern],
  id: notice.question ?? notice.id,
  delivery: notice.key,
  from: notice.from,
  at: notice.at,
  text: noticeText(notice),
  options: notice.options,
  default: notice.default,
  deadline: notice.deadline,
  reply: notice.question ? replyTo(notice) : undefined,
});
