/** Does whatever people may do besides talking: pauses, votes, triggers, stages, nodes of their own. */
import type { CommandInput } from "../../src/schema/command.ts";
import type { SimRandom } from "../random.ts";
import type { Actor, Company } from "./company.ts";

export function createMeddler(company: Company): Actor {
  const { sim, setup } = company;
  const dice = company.dice("meddler");

  async function meddle(agent: string): Promise<void> {
    if (!company.isCalm()) await company.tell(agent, deed(dice));
  }

  return {
    meet(agent) {
      for (let n = 0; n < setup.deeds; n++) sim.time.after(dice.int(0.75 * setup.chaosMs), () => void meddle(agent));
    },
  };
}

function deed(dice: SimRandom): CommandInput {
  const node = `n${1 + dice.int(4)}-x`;
  return dice.pick<CommandInput>([
    { type: "agent.pause" },
    { type: "inbox.ack", participant: "human", upto: 1 + dice.int(200) },
    { type: "inbox.ack", participant: "human", upto: 1 + dice.int(20) },
    { type: "inbox.ack", participant: "coordinator", upto: 1 + dice.int(200) },
    { type: "proposal.create", text: "which?", options: ["a", "b"], voters: ["human"], expires_seconds: 5 },
    { type: "proposal.vote", proposal: "p1", voter: "human", option: dice.pick(["a", "b", "c"]) },
    {
      type: "trigger.create",
      schedule: { type: "heartbeat", interval_seconds: 10 + dice.int(20) },
      action: { type: "wake_agent", text: "tick" },
      missed: dice.pick(["skip", "once", "all"]),
    },
    {
      type: "trigger.create",
      schedule: { type: "delayed", delay_seconds: 1 + dice.int(20) },
      action: { type: "wake_agent", text: "tock" },
    },
    {
      type: "trigger.create",
      schedule: { type: "on_event", pattern: "node.*" },
      action: { type: "send_message", to: "coordinator", text: "seen" },
    },
    { type: "stage.start", name: "stage", policy: dice.pick(["all", "majority", "any"]) },
    { type: "stage.complete", assessment: "fine" },
    { type: "node.cancel", node, reason: "changed my mind" },
    { type: "node.create", task: "from the human", name: "x" },
    { type: "run.finish", summary: "enough" },
    { type: "worker.retire", worker: "ann" },
    { type: "budget.set", scope: { of: "day" }, limit: { usd: 0.05 } },
  ]);
}
