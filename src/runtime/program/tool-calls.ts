/**
 * The tools of a participant, for whoever proved to be it (a secret bound to agent, run and participant): an autonomous worker's program that
 * speaks MCP. What it may call is what a worker like it would have; how its turn ends it says with its files (program.ts), not with a tool.
 *
 * Only while that run is open and the participant is in it; calls only while its turn is under way, so that each is bound to a turn, its node,
 * its limits and its end: when the turn ends, so do the calls.
 */
import { isWorker } from "../../core/team/worker.ts";
import { anySignal } from "../../lib/time/abort.ts";
import { callByItself, type OwnResult } from "../../loop/features/own-call.ts";
import type { ParticipantContext } from "../../loop/participant-context.ts";
import { Problem } from "../../schema/problem.ts";
import type { ToolShape } from "../../schema/tool.ts";
import type { Thinker } from "../../schema/worker.ts";
import { shapeOf } from "../../toolkit/tool.ts";
import type { Live } from "../live.ts";

export interface Bearer {
  agent: string;
  run: string;
  participant: string;
}

export interface OwnCalls {
  tools(bearer: Bearer): ToolShape[];
  call(bearer: Bearer, given: { tool: string; input: unknown }, signal?: AbortSignal): Promise<OwnResult>;
}

export interface OwnCallsOptions {
  live: Live;
  /** With the tools that it may call by itself. */
  seat(id: string, signal: AbortSignal): ParticipantContext;
  /** Aborts with the loop of this participant; nothing if none is under way. */
  loopSignal(id: string): AbortSignal | undefined;
}

export function createOwnCalls({ live, seat, loopSignal }: OwnCallsOptions): OwnCalls {
  function present({ agent, run, participant }: Bearer): Thinker {
    const now = live.state().run;
    if (now?.id !== run || now.status !== "open")
      throw new Problem(
        "forbidden",
        `this secret is for ${run} of ${agent}, which is over; it is not valid for anything else`,
      );
    const one = live.state().participants.get(participant);
    if (!one || one.kind === "human" || (isWorker(one) && one.retired))
      throw new Problem("forbidden", `there is no ${participant} at work in ${run} of ${agent}`);
    return one;
  }

  return {
    tools(bearer) {
      present(bearer);
      return seat(bearer.participant, live.signal).tools.map(shapeOf);
    },
    async call(bearer, given, signal) {
      const one = present(bearer);
      const under = loopSignal(one.id);
      if (!under || !one.turn)
        throw new Problem("wrong_state", `${one.name} is not in a turn; tools can be called only during a turn`);
      const over = new AbortController();
      const both = anySignal(under, signal, over.signal);
      const context = seat(one.id, both.signal);
      void endWithTurn(context, one.turn.id, over);
      try {
        return await callByItself(context, given);
      } finally {
        over.abort();
        both.release();
      }
    },
  };
}

/** Its loop goes on after its turn, and the program may have stopped waiting long before. */
async function endWithTurn({ me, changed }: ParticipantContext, turn: string, over: AbortController): Promise<void> {
  while (!over.signal.aborted) {
    const now = me()?.turn;
    if (now?.id !== turn || now.status !== "calling") over.abort(`${turn} is over`);
    else await changed(over.signal);
  }
}
