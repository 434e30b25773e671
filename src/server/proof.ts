/**
 * How the daemon shows that it knows the token without giving it away: the caller sends a challenge, the answer is made of both. So nobody
 * who happens to listen on an old port is ever sent a token.
 */
import { createHmac } from "node:crypto";

export const proofOf = (token: string, challenge: string): string =>
  createHmac("sha256", token).update(`agiraph-health ${challenge}`).digest("hex");
