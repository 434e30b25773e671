/** Slack's incoming webhook. The text is shown as it is: no markup, no link previews, no mentions. */
import type { Channel, Notice } from "./channel.ts";
import { post, type Webhook } from "./post.ts";
import { answerLines, disableMentions, fitNotice, titleOf } from "./words.ts";

const most = 3_500;

export function createSlack({ url, for: wanted, network }: Webhook): Channel {
  return {
    kind: "slack",
    for: wanted,
    send: (notice, signal) => post(network, { url, body: JSON.stringify(bodyOf(notice)), signal }),
  };
}

const bodyOf = (notice: Notice) => ({
  text: escaped([titleOf(notice), fitNotice(notice, most), ...answerLines(notice)].join("\n")),
  mrkdwn: false,
  parse: "none",
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
});

/** <!channel>, <@U1> and <url|another name> are Slack's own markup: untrusted text cannot contain it. */
const escaped = (text: string): string =>
  disableMentions(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
