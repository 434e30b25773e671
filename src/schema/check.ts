/**
 * A check: what the runtime itself does at publish to prove a result, on exactly the content that is published. Its result is a fact: what was
 * checked, by whom, on which hash, with its output. Only a review costs something: its price is reserved before it is asked. That one which may take
 * long has begun is a fact too: its time does not count for its node.
 */
import { z } from "zod";
import { Amount } from "./budget.ts";
import { Check, CheckResult, result, which } from "./evidence.ts";
import { ParticipantId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { Usage } from "./turn.ts";

const spent = { cost: Amount.optional(), usage: Usage.optional() };
const asked = {
  by: result.by,
  payer: ParticipantId.describe("The participant whose budget it counts against, besides the node's"),
  reserved: Amount,
};

/** A check that has begun and not ended. */
const Review = z.object({ ...which, ...asked, at: Time });
export type Review = z.infer<typeof Review>;

const checkEvents = {
  "check.started": z
    .object({
      ...which,
      ...asked,
      lost: Amount.optional().describe("What the call before it, without a result, may have cost"),
      usage: Usage.optional().describe("What the call before it used"),
    })
    .describe("A check has begun: a command, or a reviewer is asked, whose price is reserved"),
  "check.ended": z.object({ ...which, ...result, ...spent }),
};

const checkCommands = {
  "check.start": z.object({
    ...which,
    by: result.by,
    payer: ParticipantId,
    reserve: Amount,
    lost: Amount.optional().describe("What the call before it cost; what was reserved for it if missing"),
    usage: Usage.optional(),
  }),
  "check.end": z.object({
    ...which,
    ...result,
    what: Check.optional().describe("Of a node it is known"),
    ...spent,
  }),
};

export const check = defineNoun({
  name: "check",
  events: checkEvents,
  commands: checkCommands,
  state: () => ({
    /** Checks that take long and are under way, by node, or `run`: one at a time for each. */
    reviews: new Map<string, Review>(),
  }),
  reference: { Check, CheckResult },
});
