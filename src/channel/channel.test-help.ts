/** For tests of channels: a notice, the seams of this machine, a mail server. */
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { mail } from "../lib/machine/mail.ts";
import type { Network } from "../lib/world.ts";
import { ChannelConfig } from "../schema/config.ts";
import { type Channel, ChannelError, type Notice } from "./channel.ts";
import { createChannels } from "./channels.ts";

export const at = "2026-01-01T00:00:00.000Z";

export const notice = (more: Partial<Notice> = {}): Notice => ({
  id: "17/out",
  key: "chips/17/out/abc",
  agent: "chips",
  concern: "questions",
  run: "r1",
  at,
  from: "bob",
  text: "Which of the two?",
  question: "q2",
  options: ["this", "that"],
  default: "this",
  deadline: "2026-01-02T00:00:00.000Z",
  ...more,
});

/** The real network, with shorter timeouts. */
const network = (timeoutMs: number): Network => ({
  request: (request) => machine.network.request({ ...request, timeoutMs }),
});

export function channel(config: unknown, env: Record<string, string> = {}, timeoutMs = 2_000): Channel {
  const given = { out: ChannelConfig.parse(config) };
  return createChannels(given, { network: network(timeoutMs), clock: machine.clock, mail, env }).get("out")!;
}

/** Undefined if it was accepted, else why not. */
export async function sent(to: Channel, what = notice(), signal = new AbortController().signal) {
  try {
    await to.send(what, signal);
    return undefined;
  } catch (error) {
    if (error instanceof ChannelError) return error;
    throw error;
  }
}

export interface Mailed {
  from: string;
  to: string[];
  /** Unfolded, names in lower case, each as often as it is there. */
  headers: [name: string, value: string][];
  body: string;
}

export async function mailServer(options: SMTPServerOptions = {}) {
  const got: Mailed[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part) => parts.push(part));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        got.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          ...parse(Buffer.concat(parts).toString("utf8")),
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  const port = await new Promise<number>((ready) => {
    const listening = server.listen(0, "127.0.0.1", () => ready((listening.address() as { port: number }).port));
  });
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  return { port, got };
}

function parse(raw: string): Pick<Mailed, "headers" | "body"> {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const coded = headers.find(([name]) => name === "content-transfer-encoding")?.[1];
  const body = raw.slice(end + 4);
  return { headers, body: decoded(body, coded).replaceAll("\r\n", "\n") };
}

function decoded(body: string, coded: string | undefined): string {
  if (coded === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (coded !== "quoted-printable") return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
