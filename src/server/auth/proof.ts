/**
 * Challenge-response: the daemon proves that it knows the token without revealing it. So no token is ever sent to another program that happens to
 * listen on an old port.
 */
import { createHmac } from "node:crypto";

export const proofOf = (token: string, challenge: string): string =>
  createHmac("sha256", token).update(`agiraph-health ${challenge}`).digest("hex");

/** A keyed hash of an environment variable: the holder of the token and the value can compare it, and nobody else learns anything. */
export const markOf = (token: string, name: string, value: string): string =>
  createHmac("sha256", token).update(`agiraph-variable ${name} ${value}`).digest("hex");
