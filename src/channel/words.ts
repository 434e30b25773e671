/**
 * A notice in words. What models wrote keeps its lines and loses what could steer a screen or reorder what is read; the rest is ours.
 * Not here: what each kind of channel takes for markup.
 */
import type { Concern } from "../schema/delivery.ts";
import type { Notice } from "./channel.ts";

const titles: Record<Concern, string> = {
  questions: "asks",
  approvals: "asks for your approval",
  messages: "writes",
  paused: "is paused",
  completed: "is finished",
  failed: "has failed",
};

/** Who and what, in one line: `bob of ai-chips asks (q2)`. */
export function titleOf({ agent, from, concern, question }: Notice): string {
  const who = from === "system" || from === "coordinator" ? agent : `${from} of ${agent}`;
  return `${oneLine(who)} ${titles[concern]}${question ? ` (${question})` : ""}`;
}

/** What may be answered, until when, and how; nothing if it asks for nothing. */
export function answerLines(notice: Notice): string[] {
  const { options, default: otherwise, deadline, question, concern } = notice;
  if (!question) return concern === "paused" ? [`Go on with: agiraph resume ${notice.agent}`] : [];
  return [
    ...(options?.length ? [cut(`Choices: ${options.map(oneLine).join(" / ")}`, 400)] : []),
    ...(deadline
      ? [`Until ${deadline}${otherwise === undefined ? "" : `, then: ${cut(oneLine(otherwise), 100)}`}`]
      : []),
    `Answer with: ${replyTo(notice)}`,
  ];
}

export const replyTo = ({ agent, question, concern }: Notice): string =>
  `agiraph answer ${agent} ${question} ${concern === "approvals" ? '"allow"   or   "deny: why"' : '"your answer"'}`;

/** Many lines of harmless text: no control characters but the end of a line, no direction marks, nothing invisible. */
export function harmless(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(/\t/g, "  ")
    .replace(
      /(?!\n)\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu,
      "",
    );
}

export const oneLine = (text: string): string => harmless(text).replace(/\s+/g, " ").trim();

/** No name in it calls anybody; an e-mail address stays what it is. */
export const unmentioned = (text: string): string => text.replace(/(?<![\p{L}\p{N}._%+-])@(?=\S)/gu, "@\u200b");

/** At most so many characters, never half of one. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
