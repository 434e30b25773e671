/**
 * Hosts that commands in a sandbox reach: asked about, allowed by the human, opened. What the human said is in the question (question.ts); see
 * core/human/host.ts.
 */
import { z } from "zod";
import { ParticipantId, QuestionId } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const name = z.string().min(1).max(253);
const subject = name.describe("What permission is about: the host, or the preset `packages` if the host is in it");
const call = z.string().min(1).describe("The idempotency key of the call whose command it is");
const of = { participant: ParticipantId, call, host: name };

const hostEvents = {
  "host.opened": z
    .object({
      ...of,
      question: QuestionId.optional().describe("The question that allowed it; the config did if missing"),
    })
    .describe("A command reaches this host; the run is tainted by it"),
  "host.kept": z.object({ subject }).describe("What was allowed for good is in config.yaml"),
};

const hostCommands = {
  "host.ask": z.object({
    ...of,
    subject,
    command: z.string().max(10_000).describe("The command that wants to reach it, as far as it is shown"),
  }),
  "host.open": z.object(of).extend({ subject, allowed: z.boolean().describe("By the config") }),
  "host.keep": z.object({ subject }),
};

export interface Hosts {
  /** Permissions for one command that were used, by their question: the call that used them. */
  used: Record<string, string>;
  /** Allowed for good, and not yet in the config. */
  unkept: string[];
}

export const noHosts = (): Hosts => ({ used: {}, unkept: [] });

export const host = defineNoun({
  name: "host",
  events: hostEvents,
  commands: hostCommands,
  state: () => ({ hosts: noHosts() }),
});
