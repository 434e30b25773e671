/**
 * One turn of a program as the log knows it: whose it is, how something is recorded for it, whether it may still spend. What is refused came too
 * late: the turn was given up, and its signal says so.
 */
import { accountsOf, noAmount, overdraftProblem } from "../../core/agent/budget.ts";
import type { State } from "../../core/state.ts";
import type { CommandInput } from "../../schema/command.ts";
import { Problem } from "../../schema/problem.ts";
import type { Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { ProgramHomes } from "./homes.ts";
import type { ProgramHost } from "./host.ts";
import type { Metering } from "./metering.ts";
import type { ProgramOptions } from "./program.ts";
import { createRation, type Ration } from "./ration.ts";

export interface CliOptions extends ProgramOptions {
  programs?: ProgramHost | undefined;
  metering: Metering;
  programHomes: Pick<ProgramHomes, "add">;
}

export interface CliTurn {
  id: string;
  /** As people write the program. */
  name: string;
  /** As it was when the call began. */
  turn: Turn;
  /** For commands about it. */
  of: { turn: string; participant: string };
  options: CliOptions;
  ration: Ration;
  state(): State;
  me(): Thinker;
  /** The turn, as long as the program is called for it. */
  calling(): Extract<Turn, { status: "calling" }> | undefined;
  record(command: CommandInput): void;
  /** A budget above it is exceeded or used up: everything it used counts. */
  overdrawn(): Problem | undefined;
  /** Throws if there is nothing left to spend. */
  assertAffordable(): void;
}

export function createCliTurn(id: string, name: string, options: CliOptions): CliTurn {
  const { live, metering } = options;
  const { state } = live;
  const me = () => state().participants.get(id) as Thinker;
  const turn = me().turn!;
  const ration = createRation();

  return {
    id,
    name,
    turn,
    of: { turn: turn.id, participant: id },
    options,
    ration,
    state,
    me,
    calling() {
      const now = me()?.turn;
      return now?.id === turn.id && now.status === "calling" ? now : undefined;
    },
    record(command) {
      ration.spend(command);
      try {
        live.dispatch(command, { actor: id }).catch(() => undefined);
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
      }
    },
    overdrawn() {
      const { node, reserved_at } = me()?.turn ?? turn;
      return metering.refusal(id, turn.id) ?? overdraftProblem(state(), accountsOf(id, node, reserved_at), noAmount);
    },
    assertAffordable() {
      const least = { usd: 1e-8, tokens: 1 };
      const problem = overdraftProblem(state(), accountsOf(id, turn.node, turn.reserved_at), least);
      if (problem) throw problem;
    },
  };
}
