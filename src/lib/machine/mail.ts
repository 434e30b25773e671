/**
 * E-mail by SMTP. TLS from the start on port 465, STARTTLS elsewhere; a password is never sent unencrypted, except to this machine. Nothing in a
 * message can name a file or a URL to read from.
 */
import { once } from "node:events";
import type { Mailer } from "../mail.ts";

const patienceMs = 15_000;

export const mail: Mailer = async ({ host, port, login }, letter, signal) => {
  signal.throwIfAborted();
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure: port === 465,
    requireTLS: login !== undefined && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host),
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    dnsTimeout: patienceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const over = new AbortController();
  try {
    const sent = transport.sendMail({
      ...letter,
      messageId: `<${letter.messageId}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
    sent.catch(() => undefined); // when the signal came first
    const stopped = once(signal, "abort", { signal: over.signal }).then(() => Promise.reject(new Error("stopped")));
    stopped.catch(() => undefined);
    const { rejected } = await Promise.race([sent, stopped]);
    if (rejected.length) throw new Error(`refused for ${rejected.length} of ${letter.to.length} addresses`);
  } finally {
    over.abort();
    transport.close();
  }
};
