/**
 * Secrets for participants: each says which participant of which run of which agent its bearer is, and can be made by nobody but us.
 *
 * Nothing is stored: a secret is its claim and an HMAC over it. A new key (a new daemon) ends all of them. It proves who asks and nothing
 * more: whoever takes one must also see that the run is still open and that the participant is in it. No control route takes one (gate.ts).
 */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { AgentId, ParticipantId, RunId } from "../../schema/ids.ts";
import { same } from "./timing-safe.ts";

export interface Bearer {
  agent: string;
  run: string;
  participant: string;
}

export interface Secrets {
  give(agent: string, run: string, participant: string): string;
  /** Who bears it; null if it is not one of ours. */
  verify(secret: string): Bearer | null;
}

/** Known by sight, so that nobody takes one for the human's token. */
export const secretPrefix = "agp_";

const longest = 1_000;
const Claim = z.tuple([AgentId, RunId, ParticipantId]);

/** `key`: 32 random bytes or more that are used for nothing else. */
export function createSecrets(key: string): Secrets {
  const sign = (claim: string): string =>
    createHmac("sha256", key).update(`participant/1\n${claim}`).digest("base64url");

  return {
    give(agent, run, participant) {
      const claim = Buffer.from(JSON.stringify([agent, run, participant])).toString("base64url");
      return `${secretPrefix}${claim}.${sign(claim)}`;
    },
    verify(secret) {
      if (!secret.startsWith(secretPrefix) || secret.length > longest) return null;
      const [claim = "", mark = "", ...more] = secret.slice(secretPrefix.length).split(".");
      if (more.length || !same(mark, sign(claim))) return null;
      const [agent, run, participant] = Claim.parse(JSON.parse(Buffer.from(claim, "base64url").toString()));
      return { agent, run, participant };
    },
  };
}
