/** Discord's webhook. Markup is escaped, links show their target, nobody is mentioned, no preview is made. */
import type { Channel, Notice } from "./channel.ts";
import { post, type Webhook } from "./post.ts";
import { answerLines, disableMentions, noticeText, titleOf, truncationNote } from "./words.ts";

/** Discord refuses longer ones. */
const most = 2_000;
const suppressEmbeds = 4;

export function createDiscord({ url, for: wanted, network }: Webhook): Channel {
  const saved = new URL(url);
  saved.searchParams.set("wait", "true"); // respond when it is stored, not before
  return {
    kind: "discord",
    for: wanted,
    send: (notice, signal) => post(network, { url: saved.href, body: JSON.stringify(bodyOf(notice)), signal }),
  };
}

function bodyOf(notice: Notice) {
  const head = `${escaped(titleOf(notice))}\n`;
  const foot = answerLines(notice)
    .map((line) => `\n${escaped(line)}`)
    .join("");
  const text = fit(notice, most - head.length - foot.length);
  return { content: head + text + foot, allowed_mentions: { parse: [] }, flags: suppressEmbeds };
}

/** As much of the text as fits once it is escaped. */
function fit(notice: Notice, given: number): string {
  const text = noticeText(notice);
  const whole = escaped(text);
  if (whole.length <= given) return whole;
  const more = notice.concern === "approvals" ? escaped(truncationNote()) : "…";
  const room = given - more.length;
  let kept = "";
  for (const character of text) {
    const next = escaped(character === "@" ? "@\u200b" : character);
    if (kept.length + next.length >= room) break;
    kept += next;
  }
  return kept + more;
}

const escaped = (text: string): string => disableMentions(text).replace(/[\\*_~`|>[\]()#<:-]/g, "\\$&");
