/**
 * E-mail by SMTP: plain text. No header contains a line break, whoever wrote its text (header injection). Its Message-ID is the delivery's, so that
 * mail programs recognise a duplicate that was sent again after a crash.
 */

import type { Letter, Mailer, MailServer } from "../lib/mail.ts";
import { shorten } from "../lib/text/text.ts";
import { visibleLine } from "../lib/text/visible.ts";
import type { Concern } from "../schema/delivery.ts";
import { type Channel, ChannelError, type Notice } from "./channel.ts";
import { answerLines, noticeText, titleOf } from "./words.ts";

export interface EmailOptions {
  server: MailServer;
  from: string;
  to: string[];
  replyTo?: string | undefined;
  for: readonly Concern[];
  mail: Mailer;
}

export function createEmail({ server, from, to, replyTo, for: wanted, mail }: EmailOptions): Channel {
  return {
    kind: "email",
    for: wanted,
    async send(notice, signal) {
      try {
        await mail(server, { from, to, ...(replyTo ? { replyTo } : {}), ...letterOf(notice, from) }, signal);
      } catch (error) {
        throw new ChannelError(inWords(error, server));
      }
    },
  };
}

function letterOf(notice: Notice, from: string): Pick<Letter, "subject" | "text" | "messageId"> {
  const subject = shorten(visibleLine(`${titleOf(notice)}: ${notice.text}`), 100);
  const text = [`${titleOf(notice)}.`, "", noticeText(notice), "", ...answerLines(notice), "", `-- \n${notice.key}`];
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "agiraph.invalid";
  return { subject, text: text.join("\n"), messageId: `${notice.key.replace(/[^A-Za-z0-9_-]/g, ".")}@${domain}` };
}

/** The server's message, with secrets removed. */
function inWords(error: unknown, { host, port, login }: MailServer): string {
  const said = visibleLine(error instanceof Error ? error.message : String(error));
  const hidden = [login?.password, login && Buffer.from(login.password).toString("base64")].filter((secret) => secret);
  const harmlessly = hidden.reduce((text, secret) => text!.replaceAll(secret!, "…"), said)!;
  return shorten(`${host}:${port} rejected the mail: ${harmlessly || "no reason given"}`, 300);
}
