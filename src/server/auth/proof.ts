/**
 * How the daemon shows that it knows the token without giving it away: the caller sends a challenge, the answer is made of both. So nobody
 * who happens to listen on an old port is ever sent a token.
 */
import { createHmac } from "node:crypto";

export const proofOf = (token: string, challenge: string): string =>
  createHmac("sha256", token).update(`agiraph-health ${challenge}`).digest("hex");

/** Of a variable of the environment: whoever has the token and the value knows whether it is the same, and nobody else learns anything. */
export const markOf = (token: string, name: string, value: string): string =>
  createHmac("sha256", token).update(`agiraph-variable ${name} ${value}`).digest("hex");
