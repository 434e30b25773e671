/**
 * A notice as text. Text by models keeps its lines, with control and bidi characters escaped (lib/text/visible.ts); a call that needs approval is shown
 * as exactly as in a terminal. The rest is ours.
 * Not here: the markup of each kind of channel.
 */

import { shellLine } from "../lib/command-line.ts";
import { shorten } from "../lib/text/text.ts";
import { exactText, visible, visibleLine } from "../lib/text/visible.ts";
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
  const kind = concern === "approvals" ? "Approval: " : "";
  return `${kind}${visibleLine(who)} ${titles[concern]}${question ? ` (${question})` : ""}`;
}

/** What may be answered, until when, and how; empty if no answer is needed. */
export function answerLines(notice: Notice): string[] {
  const { options, default: otherwise, deadline, question, concern } = notice;
  if (!question) return concern === "paused" ? [`Resume it: ${shellLine(`resume ${notice.agent}`)}`] : [];
  return [
    ...(options?.length ? [shorten(`Choices: ${options.map(visibleLine).join(" / ")}`, 400)] : []),
    ...(deadline
      ? [`Until ${deadline}${otherwise === undefined ? "" : `, then: ${shorten(visibleLine(otherwise), 100)}`}`]
      : []),
    `Answer with: ${replyTo(notice)}`,
  ];
}

export const replyTo = ({ agent, question, concern, options }: Notice): string =>
  shellLine(`answer ${agent} ${question} ${concern === "approvals" ? approvalWords(options) : '"your answer"'}`);

/** About a call there are two answers; about a host its own (core/human/host.ts). */
const approvalWords = (options: readonly string[] = []): string =>
  options.includes("allow") || !options.length
    ? '"allow"   or   "deny: why"'
    : options.map((option) => JSON.stringify(visibleLine(option))).join("   or   ");

/** Safe multi-line text: no control characters but line ends, no bidi marks, nothing invisible. */
export const harmless = (text: string): string => visible(text).replaceAll("\t", "  ");

/** The text of the notice. For a call homoglyphs and hidden emptiness are shown as well. */
export const noticeText = ({ concern, text }: Notice): string => {
  if (concern !== "approvals") return harmless(text);
  const { lines, risks } = exactText(text);
  return [
    ...lines.map((pieces) => pieces.map((piece) => piece.text.replaceAll("\t", "  ")).join("")),
    ...risks.map((risk) => `Look closely: ${risk}`),
  ].join("\n");
};

/** At the end of a truncated call. */
export const truncationNote = (): string =>
  `\n[more is not shown here; look at all of it before you allow it: ${shellLine("inbox")}]`;

/** As much as fits; a truncated call says that there is more. */
export function fitNotice(notice: Notice, most: number): string {
  const text = noticeText(notice);
  if (text.length <= most) return text;
  return notice.concern === "approvals"
    ? shorten(text, most - truncationNote().length) + truncationNote()
    : shorten(text, most);
}

/** Disables mentions; an e-mail address stays what it is. */
export const disableMentions = (text: string): string => text.replace(/(?<![\p{L}\p{N}._%+-])@(?=\S)/gu, "@\u200b");
