/** Stops agents, lets them go on, gives them new runs, and now and then archives one. */
import type { CommandInput } from "../../src/schema/command.ts";
import type { Actor, Company } from "./company.ts";

export function createOwner(company: Company): Actor {
  const { sim, setup } = company;
  const dice = company.dice("owner");

  async function turnLife(agent: string): Promise<void> {
    if (company.isCalm()) return;
    const commands = dice.pick<CommandInput[]>([
      [{ type: "agent.stop" }],
      [{ type: "agent.stop" }, { type: "agent.resume" }],
      [{ type: "agent.stop" }, { type: "message.post", text: "go on" }],
      [{ type: "agent.stop" }, { type: "run.start", goal: "another goal" }],
      [{ type: "run.start", goal: "another goal" }],
      [{ type: "run.start", goal: "another goal" }],
      [{ type: "message.post", to: "coordinator", text: "what now?" }],
      [{ type: "agent.archive" }],
      [
        {
          type: "trigger.create",
          schedule: { type: "heartbeat", interval_seconds: 10 + dice.int(10) },
          action: { type: "run_node", node: "n1-x" },
        },
      ],
    ]);
    for (const command of commands) await company.tell(agent, command);
  }

  return {
    meet(agent) {
      for (let n = 0; n < setup.lives; n++) sim.time.after(dice.int(0.9 * setup.chaosMs), () => void turnLife(agent));
    },
  };
}
