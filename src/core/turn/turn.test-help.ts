/** Commands and reasons for tests of turns. */
import type { CommandInput } from "../../schema/command.ts";

export const nothing = { usd: 0, tokens: 0 };
export const price = { usd: 0.5, tokens: 100 };
export const begin = (participant: string, reserve = nothing): CommandInput => ({
  type: "turn.start",
  participant,
  reserve,
});
export const of = { turn: "coordinator.1", participant: "coordinator" };
export const failed = (code: string) => ({ code, message: "it broke", next_mover: "human" });
