/**
 * Why an agent is paused, and what resumes it. Every reason for a pause is here, so that none is a dead end: a test brings an agent into each and
 * does what is said here.
 *
 * resume: resuming it is enough. words: so is a message from the human. budget: it needs more money, then resuming. provider: keys, quota or login
 * must be fixed, then resuming; where the provider said until when, it resumes by itself.
 */
export type WayOut = "resume" | "words" | "budget" | "provider";

export const waysOut = {
  human: "resume",
  /** It came from another home. */
  imported: "resume",
  budget: "budget",
  provider: "provider",
  /** A setup step failed, or would run without a sandbox. */
  setup: "resume",
  /** Its turn was interrupted by too many crashes. */
  recovery: "resume",
  /** An internal error. */
  fault: "resume",
  /** The coordinator's model failed permanently. */
  backend: "resume",
  refused: "resume",
  "limit.context": "words",
  "limit.turns": "words",
  /** It blocked the whole process. */
  "limit.stall": "resume",
} as const satisfies Record<string, WayOut>;

/** A person wanted this pause: nothing went wrong. */
export const isIntended = (code: string): boolean => code === "human" || code === "imported";

export const wayOut = (code: string): WayOut =>
  Object.hasOwn(waysOut, code) ? waysOut[code as keyof typeof waysOut] : "resume";
