/** Answers questions, votes where the team does, and lets a paused agent go on now and then. In the end also stops triggers, which would keep everyone awake. */
import { isIntended } from "../../src/core/agent/pause.ts";
import type { State } from "../../src/core/state.ts";
import type { CommandInput } from "../../src/schema/command.ts";
import type { Actor, Company } from "./company.ts";

export function createHelper(company: Company): Actor {
  const { sim, setup, fleet, isCalm } = company;
  const dice = company.dice("helper");

  async function attend(agent: string): Promise<void> {
    for (;;) {
      await sim.time.sleep(isCalm() ? 2_000 : 1_000 + dice.int(8_000));
      try {
        const todo = await company.ask(fleet.owner(agent)?.up(), (runtime) => runtime.read(agent, helpful));
        for (const command of todo) await company.send(agent, command);
      } catch {
        // The process died or refused; there will be another round.
      }
    }
  }

  function helpful({ questions, agent, triggers, proposals }: State): CommandInput[] {
    const open = [...questions.values()].filter(({ status }) => status === "open");
    const paused = (agent?.status === "paused" && isIntended(agent.reason.code)) || agent?.status === "stopped";
    const endless = isCalm() && agent?.mode === "infinite" && agent.status === "active";
    const ticking = isCalm() ? [...triggers.values()].filter(({ status }) => status === "active") : [];
    const votes = [...proposals.values()].filter(
      (one) => setup.teamwork && one.status === "open" && one.voters.includes("human") && !("human" in one.votes),
    );
    return [
      ...votes.map(({ id, options }): CommandInput => {
        const option = dice.chance(0.6) ? options[0]! : dice.pick([...options, "abstain"]);
        return { type: "proposal.vote", proposal: id, voter: "human", option };
      }),
      ...open.map(({ id, approves, host }): CommandInput => {
        const word = host ? dice.pick(["this time", "this run", "always", "no"]) : "yes";
        const answer = approves && dice.chance(0.2) ? "no, not now" : word;
        return { type: "question.answer", question: id, answer, remember: dice.chance(0.1) };
      }),
      ...(paused ? [{ type: "agent.resume" as const }] : []),
      ...(endless ? [{ type: "run.finish" as const, summary: "enough" }] : []),
      ...ticking.map(({ id }): CommandInput => ({ type: "trigger.cancel", trigger: id })),
    ];
  }

  return { meet: (agent) => void attend(agent) };
}
