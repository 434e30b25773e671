/** Does whatever people may do besides talking: pauses, votes, triggers, stages, workers and nodes of their own. Several do so at once. */
import type { CommandInput } from "../../src/schema/command.ts";
import type { SimRandom } from "../random.ts";
import type { Actor, Company } from "./company.ts";

export function createMeddler(company: Company): Actor {
  const { sim, setup } = company;
  const dice = company.dice("meddler");

  async function meddle(agent: string): Promise<void> {
    if (company.isCalm()) return;
    // Only what is there can be owned and removed.
    if (company.fleet.hosts.length === 1 && dice.chance(0.1)) await write(agent);
    await company.tell(agent, deed(dice));
  }

  const write = (agent: string): Promise<void> =>
    company
      .ask(company.fleet.any(), async (runtime) => {
        const { owned } = await runtime.reading(agent);
        await owned.write({ of: "workspace" }, "documents/notes.md", "as people would\n");
        await company.tell(agent, { type: "document.own", document: "notes.md", owner: "coordinator" });
      })
      .catch(() => undefined);

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
    {
      type: "proposal.create",
      text: "who?",
      options: ["a", "b"],
      voters: ["human", "coordinator"],
      ...dice.pick([{ rule: "unanimous" as const }, { expires_seconds: 8, quorum: 2 }]),
    },
    {
      type: "proposal.vote",
      proposal: `p${1 + dice.int(2)}`,
      voter: "human",
      option: dice.pick(["a", "b", "c", "ann", "abstain"]),
    },
    {
      type: "proposal.create",
      text: "whose?",
      options: ["ann", "coordinator"],
      voters: ["human"],
      binding: { effect: "own", document: dice.pick(["notes.md", "plan.md"]) },
    },
    {
      type: "proposal.create",
      text: "who does it?",
      options: ["ann", "bea"],
      voters: ["human", "coordinator"],
      quorum: 1,
      expires_seconds: 3,
      binding: { effect: "assign", node },
    },
    { type: "proposal.withdraw", proposal: `p${1 + dice.int(2)}` },
    { type: "suggestion.dismiss", suggestion: `sg${1 + dice.int(2)}`, reason: "not now" },
    { type: "document.own", document: dice.pick(["notes.md", "plan.md"]), owner: dice.pick(["ann", "coordinator"]) },
    { type: "document.remove", document: dice.pick(["notes.md", "plan.md"]) },
    { type: "question.answer", question: `q${1 + dice.int(3)}`, answer: "from somebody else" },
    { type: "worker.spawn", name: dice.pick(["Ann", "Dan"]), max_turns: 2 },
    { type: "node.assign", node, worker: dice.pick(["ann", "bea"]) },
    { type: "node.fail", node, reason: { code: "human", message: "not like this", next_mover: "coordinator" } },
    { type: "run.plan", plan: "as people would" },
    {
      type: "trigger.create",
      schedule: { type: "on_idle", idle_seconds: 2 },
      action: { type: "wake_agent", text: "?" },
    },
    {
      type: "trigger.create",
      schedule: { type: "delayed", delay_seconds: 3 },
      action: { type: "run_node", node: "n9-x" },
    },
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
