/**
 * What a guest does in this team by a tool: the same tool, with the context of the worker that the guest is here. What it changes is in this log under the
 * guest's name before it is told the result; the key of its call makes a repetition after a crash change nothing.
 *
 * The guest's loop has judged the call by the rules of both (loop/features/policy.ts), those of the team as they were when it last wrote to the guest; what
 * this run denies is refused here.
 * Not here: which tools (toolkit/in-team.ts).
 */
import { guestOf } from "../../core/team/guest.ts";
import { isTainted, sourcesOf } from "../../core/turn/taint.ts";
import { judge, runRules } from "../../loop/features/policy.ts";
import { Problem } from "../../schema/problem.ts";
import type { TeamCall } from "../../toolkit/in-team.ts";
import type { Result, Tool } from "../../toolkit/tool.ts";
import type { Live } from "../live.ts";
import type { Participants } from "./participants.ts";

export type AnswerGuest = (by: string, call: TeamCall) => Promise<Result>;

export interface TeamCallOptions {
  live: Live;
  seats: Pick<Participants, "take">;
  tools: readonly Tool[];
}

export function createTeamCall({ live, seats, tools }: TeamCallOptions): AnswerGuest {
  return async (by, { tool: name, input, key, room }) => {
    const guest = guestOf(live.state(), by);
    if (!guest) throw new Problem("not_found", `${by} takes part in no team of ${live.agent} any more`);
    const tool = tools.find((one) => one.name === name)!;
    const verdict = judge(runRules(live.state()), tool, [guest]);
    if (verdict.do === "deny")
      throw new Problem("forbidden", `${name} is denied in the team of ${live.agent}: ${verdict.why}`);
    const context = seats.take(guest.id, live.signal).toolContext({ key: `agent:${by}/${key}`, room });
    const result = await tool.run(input as never, context);
    await live.durable();
    return marked(typeof result === "string" ? { text: result } : result);
  };

  /** Whatever the team has read from outside may be in what it says. */
  function marked(result: Result): Result {
    const { data } = result;
    if (!data) return result;
    const outside = isTainted(live.state()) ? sourcesOf(live.state()) : undefined;
    const from = `${data.from}, team of agent:${live.agent}`;
    return { ...result, data: { ...data, from, ...(outside ? { outside } : {}) } };
  }
}
