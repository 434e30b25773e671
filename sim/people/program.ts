/**
 * The programs of autonomous workers as callers: while one runs it calls tools by itself, as the participant that it is.
 *
 * A call that was answered is in the log, with that answer or under way when its turn ended (I8); its effect happens once (I10, witness.ts).
 * A secret is the participant's: what a program that outlives its turn calls belongs to the participant's turn of that moment.
 */
import type { OwnResult } from "../../src/loop/features/own-call.ts";
import type { Actor, Company } from "./company.ts";

interface Call {
  agent: string;
  run: string;
  participant: string;
  tool: string;
  outcome: string;
}

export function createPrograms(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("programs");
  const answered: Call[] = [];

  async function call(tag: string): Promise<void> {
    const [, agent, run, turn] = tag.split("/") as [string, string, string, string];
    const [tool, input] = dice.pick<[string, object]>([
      ["poke", {}],
      ["poke", {}],
      ["send_message", { to: "coordinator", content: `by itself ${dice.int(100)}` }],
      ["check_board", {}],
      ["write_file", { path: "own.md", content: "by itself" }],
      ["wait_for_nodes", {}],
      ["no_such_tool", {}],
    ]);
    try {
      const bearer = { agent, run, participant: turn.slice(0, turn.lastIndexOf(".")) };
      const result: OwnResult = await company.ask(fleet.owner(agent)?.up(), (runtime) =>
        runtime.ownCall(bearer, { tool, input }),
      );
      witness.count("own call");
      answered.push({ ...bearer, tool, outcome: result.outcome });
    } catch (error) {
      witness.tell(agent, `own call of ${turn}: ${String(error)}`);
    }
  }

  if (setup.programs) sim.processes.onCall((tag) => void call(tag));
  return {
    meet: () => undefined,
    judge(agent, { lines }) {
      /** By participant and tool: calls that began, with how they ended; a turn that is over takes those under way with it. */
      const calls = new Map<string, { of: string; outcome?: string }>();
      for (const { type, run, data } of lines) {
        const id = `${run} ${data.turn} ${data.call}`;
        if (type === "tool.called") calls.set(id, { of: `${run} ${data.participant} ${data.tool}` });
        const call = type === "tool.ended" && calls.get(id);
        if (call) call.outcome = String(data.outcome);
      }
      const left = [...calls.values()];
      for (const { agent: whose, run, participant, tool, outcome } of answered) {
        if (whose !== agent) continue;
        const fits = (ended: string | undefined) =>
          left.findIndex((call) => call.of === `${run} ${participant} ${tool}` && call.outcome === ended);
        const at = fits(outcome) < 0 ? fits(undefined) : fits(outcome);
        if (at < 0)
          witness.violated("I8", `${agent}: ${tool} of ${participant} was answered (${outcome}) and is not in the log`);
        else left.splice(at, 1);
      }
    },
  };
}
