/**
 * Secrets for participants: each names the participant, run and agent of its bearer, and only we can issue one.
 *
 * Nothing is stored: a secret is its claim and an HMAC over it. A new key (a new daemon) invalidates all of them. It authenticates and nothing
 * more: the code that accepts one must also check that the run is still open and has that participant. No control route accepts one (gate.ts).
 */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { AgentId, ParticipantId, RunId } from "../../schema/ids.ts";
import { isSame } from "./timing-safe.ts";

export interface Bearer {
  agent: string;
  run: string;
  participant: string;
}

export interface Secrets {
  give(agent: string, run: string, participant: string): string;
  /** Its bearer; null if it is invalid. */
  verify(secret: string): Bearer | null;
}

/** Recognisable, so that it is not mistaken for the human's token. */
export const secretPrefix = "agp_";

const longest = 1_000;
const Claim = z.tuple([AgentId, RunId, ParticipantId]);

/** `key`: at least 32 random bytes that are used for nothing else. */
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
      if (more.length || !isSame(mark, sign(claim))) return null;
      const [agent, run, participant] = Claim.parse(JSON.parse(Buffer.from(claim, "base64url").toString()));
      return { agent, run, participant };
    },
  };
}
