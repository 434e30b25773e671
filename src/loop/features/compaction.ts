/**
 * Compaction: keeps a conversation within the model's context window. At three quarters of the window the participant gets one turn to write
 * down what must survive, and then its conversation is shortened (core/turn/context.ts). The size is what the provider measured last, plus an
 * estimate of what was added since.
 */

import { modelOf } from "../../core/lookup.ts";
import { isStuck, isTooLargeForProvider } from "../../core/team/stall.ts";
import { isProgram } from "../../core/turn/driver.ts";
import { tokensOf } from "../../guard/context.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { ParticipantContext } from "../participant-context.ts";

const share = 0.75;

/** Before a turn. False if there is no room and none can be made: the log says why. */
export function makeRoom(seat: ParticipantContext): boolean {
  const one = seat.me()!;
  const window = windowOf(seat, one);
  if (!window || one.full) return true;
  const tokens = measured(seat, one);
  if (tokens < window * share) return true;
  seat.record({ type: "context.fill", participant: one.id, why: "window", tokens, window, frame: frameOf(seat) });
  return seat.me()?.full !== undefined && seat.open();
}

/** Whether the next turn would find the window full although it was shortened just before: the node ends there. */
export function isOutOfRoom(seat: ParticipantContext): boolean {
  const one = seat.me()!;
  if (!isStuck(one) || one.full) return false;
  const window = windowOf(seat, one);
  return window !== undefined && measured(seat, one) >= window * share;
}

/** The provider refused the request as too large. True if a smaller one is to be tried. */
export function squeeze(seat: ParticipantContext, one: Thinker): boolean {
  if (isTooLargeForProvider(one)) return false;
  const window = windowOf(seat, one) ?? 1;
  const tokens = measured(seat, one);
  seat.record({ type: "context.fill", participant: one.id, why: "overflow", tokens, window, frame: frameOf(seat) });
  return seat.me()?.full !== undefined && seat.me()?.turn?.status === "calling";
}

/** The model's, or the smaller one that the agent was given. A program minds its own. */
function windowOf(seat: ParticipantContext, one: Thinker): number | undefined {
  const given = isProgram(seat.state(), one) ? undefined : seat.state().agent?.context_window;
  const own = seat.backend(modelOf(seat.state(), one)).window;
  return given === undefined ? own : Math.min(given, own ?? given);
}

/** What no shortening takes away. */
function frameOf(seat: ParticipantContext): number {
  const { conversation = 0, note = 0, ...frame } = seat.guard.request(seat.world.clock.now()).bill;
  return Object.values(frame).reduce((sum, tokens) => sum + tokens, 0);
}

/**
 * Tokens that one result may have: a part of the window, and not more than half of what is left of it before it is full, so that files are
 * taken in by pieces that can be worked on. Without a window, without end.
 */
export function roomForResult(seat: ParticipantContext): number {
  const one = seat.me();
  const window = one && windowOf(seat, one);
  if (!window) return Number.POSITIVE_INFINITY;
  const left = window * share - measured(seat, one);
  return Math.floor(Math.max(window / 32, Math.min(window / 8, left / 2)));
}

function measured(seat: ParticipantContext, one: Thinker): number {
  const last = one.conversation.findLastIndex((line) => line.role === "assistant");
  if (one.tokens !== undefined) return one.tokens + tokensOf(one.conversation.slice(last + 1));
  const { bill } = seat.guard.request(seat.world.clock.now());
  return Object.values(bill).reduce((sum, tokens) => sum + tokens, 0);
}
