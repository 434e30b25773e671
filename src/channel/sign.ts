/**
 * The signature of a webhook: `Agiraph-Signature: t=SECONDS,v1=HEX`, HMAC-SHA256 over `SECONDS.BODY`. Answers are signed the same way.
 *
 * A signature is valid for five minutes around its time, against replay attacks; within them, the idempotency key of the command makes a replay
 * harmless. Constant-time comparison.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "../schema/problem.ts";

const windowSeconds = 300;

export function sign(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${mac(secret, seconds, body).toString("hex")}`;
}

/** Returns if the body was signed with the secret just now; throws a Problem that says what is wrong, and nothing of the secret. */
export function verify(secret: string, header: string | undefined, body: string, now: number): void {
  const [, time, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header?.trim() ?? "") ?? [];
  if (!secret || !time || !hex)
    throw new Problem("forbidden", "the message is not signed; it needs Agiraph-Signature: t=SECONDS,v1=HEX");
  if (!timingSafeEqual(mac(secret, Number(time), body), Buffer.from(hex, "hex")))
    throw new Problem("forbidden", "the signature does not match the message; is the secret the same on both sides?");
  if (Math.abs(now / 1000 - Number(time)) > windowSeconds)
    throw new Problem("forbidden", `the signature is older than ${windowSeconds / 60} minutes; are the clocks right?`);
}

const mac = (secret: string, seconds: number, body: string): Buffer =>
  createHmac("sha256", secret).update(`${seconds}.${body}`).digest();
