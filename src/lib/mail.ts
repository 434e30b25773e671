/** The seam to e-mail; the real one is in lib/machine/mail.ts. */
export interface MailServer {
  host: string;
  port: number;
  login?: { user: string; password: string };
}

/** All headers are single lines; the text is plain. */
export interface Letter {
  from: string;
  to: string[];
  replyTo?: string;
  subject: string;
  text: string;
  /** Without angle brackets; the same letter has the same. */
  messageId: string;
}

/** Resolves when the server has taken the letter for everyone; throws otherwise, and when the signal aborts. */
export type Mailer = (server: MailServer, letter: Letter, signal: AbortSignal) => Promise<void>;
