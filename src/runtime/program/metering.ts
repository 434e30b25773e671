/**
 * Meters the model calls that programs make through the gateway: each is reserved in every budget above its participant before it is made, and
 * settled when it has ended (core/turn/program.ts). Only while a turn of that participant is under way.
 */
import type { Caller, Meter, Metered } from "../../gateway/gateway.ts";
import { withTimeout } from "../../lib/time/timeout.ts";
import type { Clock } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";

export interface Metering extends Meter {
  /** Resolves when no call of this participant is under way, or after this time. */
  idle(participant: string, ms: number): Promise<void>;
  /** Why a call of this turn was refused for want of money, if one was. */
  refusal(participant: string, turn: string): Problem | undefined;
}

export function createMetering(live: Live, clock: Clock): Metering {
  const open = new Map<string, Set<Promise<void>>>();
  const refused = new Map<string, { turn: string; problem: Problem }>();

  async function begin(
    { run, participant }: Caller,
    { model, worst }: Parameters<Meter["begin"]>[1],
  ): Promise<Metered> {
    const one = live.state().participants.get(participant);
    if (live.state().run?.id !== run || !one || one.kind === "human" || !one.turn)
      throw new Problem(
        "wrong_state",
        `${participant} is not in a turn of ${run}; models can be called only during a turn`,
      );
    const of = { turn: one.turn.id, participant };
    let reserved: Promise<unknown>;
    try {
      reserved = live.dispatch({ type: "program.reserve", ...of, model, reserve: worst }, { actor: participant });
    } catch (problem) {
      if (problem instanceof Problem && problem.code === "budget_exhausted")
        refused.set(participant, { turn: of.turn, problem });
      throw problem;
    }
    refused.delete(participant); // a shorter answer fits
    const now = live.state().participants.get(participant);
    const call =
      now && now.kind !== "human" && now.turn?.status === "calling" ? now.turn.uses?.at(-1)?.call : undefined;
    await reserved;
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = open.get(participant) ?? new Set();
    open.set(participant, mine.add(promise));
    return {
      async end(cost, usage) {
        try {
          const settled = {
            type: "program.settle" as const,
            ...of,
            ...(call ? { call } : {}),
            cost,
            ...(usage ? { usage } : {}),
          };
          await live.dispatch(settled, { actor: participant });
        } catch (problem) {
          // Its turn has ended meanwhile: it was charged what was reserved.
          if (!(problem instanceof Problem)) throw problem;
        } finally {
          mine.delete(promise);
          resolve();
        }
      },
    };
  }

  return {
    begin,
    async idle(participant, ms) {
      await withTimeout(clock, ms, Promise.all(open.get(participant) ?? []));
    },
    refusal(participant, turn) {
      const known = refused.get(participant);
      return known?.turn === turn ? known.problem : undefined;
    },
  };
}
