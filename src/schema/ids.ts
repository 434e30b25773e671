/** Readable identifiers. Every id that becomes a folder name is a slug, so no id can leave its folder. */
import { z } from "zod";

export const Slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]*$/, "lower-case letters, digits and hyphens, at most 64 characters");

export const AgentId = Slug.describe("An agent, e.g. ai-chips");
export const RunId = z
  .string()
  .regex(/^r\d+$/)
  .describe("A run of an agent, e.g. r1");
export const NodeId = z
  .string()
  .max(64)
  .regex(/^n\d+(-[a-z0-9-]+)?$/)
  .describe("A node of a run, e.g. n3-nvidia-research");
export const StageId = z
  .string()
  .regex(/^s\d+$/)
  .describe("A stage of a run, e.g. s2");
export const ParticipantId = Slug.describe(
  "A participant with an inbox in a run: coordinator, human, or a worker such as alice",
);
export const Address = z
  .string()
  .max(70)
  .regex(/^(agent:)?[a-z0-9][a-z0-9-]*$/, "a participant, or agent:NAME")
  .describe("A sender or recipient: a participant of the run, or another agent of this home as agent:NAME");
export const MessageId = z
  .string()
  .regex(/^m\d+$/)
  .describe("A message, e.g. m17");
export const QuestionId = z
  .string()
  .regex(/^q\d+$/)
  .describe("A question to the human, e.g. q2");
export const ProposalId = z
  .string()
  .regex(/^p\d+$/)
  .describe("A proposal, e.g. p1");
export const SoulProposalId = z
  .string()
  .regex(/^sp[1-9]\d{0,8}$/)
  .describe("A change of the soul that is proposed, e.g. sp1");
export const SuggestionId = z
  .string()
  .regex(/^sg\d+$/)
  .describe("A suggestion, e.g. sg1");
export const InsightId = z
  .string()
  .regex(/^i\d+$/)
  .describe("An insight, e.g. i4");
export const TriggerId = z
  .string()
  .regex(/^t\d+$/)
  .describe("A trigger, e.g. t1");
export const TurnId = z
  .string()
  .regex(/^[a-z0-9-]+\.\d+$/)
  .describe("One turn of a participant, e.g. alice.12");
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const Time = z.iso.datetime({ precision: 3 }).describe("ISO 8601, UTC, milliseconds");

/** A name people use: letters, digits, spaces inside, . _ -; unique in a run regardless of case. */
export const Name = z
  .string()
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N}._ -]{0,38}[\p{L}\p{N}._-])?$/u,
    "1 to 40 letters, digits, spaces, dots or hyphens",
  )
  .describe("A name people use, e.g. Alice");

export type AgentId = string;
export type RunId = string;
export type NodeId = string;
export type StageId = string;
export type ParticipantId = string;
export type Address = string;
export type TurnId = string;
