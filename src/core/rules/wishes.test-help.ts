/**
 * What anyone may want of an agent, in whatever order: commands of every type, right and wrong, drawn by chance from the state. Chance comes from a
 * number, so that the same steps give the same log.
 */
import fc from "fast-check";
import type { CommandType } from "../../schema/command.ts";
import { defaultLimits, type Limits } from "../limits.ts";
import type { State } from "../state.ts";
import { type Draws, hash, names, type Wish } from "./draws.test-help.ts";
import { boardWishes } from "./wishes-board.test-help.ts";
import { filesWishes } from "./wishes-files.test-help.ts";
import { lifeWishes, teams } from "./wishes-life.test-help.ts";
import { mailWishes } from "./wishes-mail.test-help.ts";
import { teamWishes } from "./wishes-team.test-help.ts";
import { turnWishes } from "./wishes-turn.test-help.ts";

const programTypes = [
  "program.open",
  "program.report",
  "program.tell",
  "program.reserve",
  "program.settle",
  "program.act",
  "program.ask",
] as const;

export type Makers = Record<CommandType, (draw: Draws, state: State) => Wish>;

/** One maker for every command there is: a new command without one does not compile. */
const makers: Makers = {
  ...lifeWishes,
  ...teamWishes,
  ...boardWishes,
  ...turnWishes,
  ...mailWishes,
  ...filesWishes,
};

export const types = (Object.keys(makers) as CommandType[]).filter((type) => type !== "agent.move");
/** Drawn more often than the others. */
const often: CommandType[] = [
  "node.create",
  "node.create",
  "node.assign",
  "node.publish",
  "check.end",
  "message.post",
  "proposal.vote",
  "question.answer",
  "tool.start",
];
/** Ends are rare, so that something happens before them. */
const rare = new Set<CommandType>([
  "run.finish",
  "agent.stop",
  "agent.pause",
  "worker.retire",
  "node.fail",
  "node.cancel",
  "stage.complete",
]);

/** What someone sensible would do next: so that sequences get somewhere. */
function sensible(d: Draws, state: State): [wish: Wish & { type: string }, actor: string] {
  if (!state.agent)
    return [
      {
        type: "agent.create",
        agent: "chips",
        goal: "g",
        model: "m",
        start: d.chance() < 0.9,
        ...(d.chance() < 0.4 ? { mode: "infinite", cycle_seconds: d.some(0.7, d.pick(10, 60, 3_600)) } : {}),
        budget: d.some(0.1, d.limit()),
        tools: d.some(0.1, ["bash"]),
        context_window: d.some(0.1, 20_000),
        folder: d.some(0.1, "/srv/project"),
        team: d.some(0.3, d.pick(...teams)),
      },
      "human",
    ];
  const again = { type: "message.post", from: "human", text: "again" };
  if (state.agent.status === "completed")
    return [d.pick<Wish & { type: string }>(again, { type: "run.start" }), "human"];
  if (state.agent.status !== "active") return [{ type: "agent.resume" }, "human"];
  if (state.preparation) {
    const type =
      state.preparation.results.length < (state.preparation.team.setup?.length ?? 0) ? "setup.end" : "run.begin";
    return [{ type, ...makers[type](d, state) }, "system"];
  }
  if (!state.run) return [{ type: "run.start" }, "human"];
  const one = d.thinkers.length ? d.pick(...d.thinkers) : undefined;
  if (!one || d.chance() < (d.workers.length < 2 ? 0.4 : 0.05))
    return [{ type: "worker.spawn", name: d.pick("Alice", "Bob", ...names), ...d.program() }, "coordinator"];
  if (!one.turn && d.chance() < 0.3) return [{ type: "node.create", ...makers["node.create"](d, state) }, one.id];
  if (!one.turn) return [{ type: "turn.start", participant: one.id, reserve: d.amount() }, one.id];
  const of = { turn: one.turn.id, participant: one.id };
  if (one.turn.status === "calling" && one.kind === "autonomous" && d.chance() < 0.3) {
    const type = d.pick(...programTypes);
    return [{ type, ...makers[type](d, state), ...of }, one.id];
  }
  if (one.turn.status === "calling" && one.kind === "autonomous" && d.chance() < 0.7)
    return d.chance() < 0.6
      ? [{ type: "tool.call", ...of, tool: "look", input: d.pick<unknown>({}, { n: d.int(3) }) }, one.id]
      : [{ type: "tool.end", ...makers["tool.end"](d, state), ...of, call: d.call(of) }, one.id];
  if (one.turn.status === "calling")
    return [{ type: "turn.answer", ...makers["turn.answer"](d, state), ...of }, one.id];
  if (one.node && state.nodes.get(one.node)?.checks && d.chance() < 0.6) {
    const on = hash(d.int(2));
    const type = d.pick("check.start", "check.end", "check.end", "node.attempt", "node.publish");
    const wish = makers[type](d, state);
    return [{ type, ...wish, node: one.node, on, ...(type === "node.publish" ? { summary: "s" } : {}) }, one.id];
  }
  if (one.node && d.chance() < 0.4) return [{ type: "node.publish", node: one.node, summary: "s", files: [] }, one.id];
  if (d.chance() < 0.2) return [{ type: "node.create", ...makers["node.create"](d, state) }, one.id];
  const open = one.turn.calls.filter(({ status }) => status !== "ended");
  if (open.length)
    return [{ type: "tool.end", ...makers["tool.end"](d, state), ...of, call: d.pick(...open).id }, one.id];
  return [{ type: "turn.end", ...of }, one.id];
}

export interface Step {
  do: "sensible" | "anything" | "time" | "crash";
  seed: number;
}
const fill = (what: Step["do"], times: number): Step["do"][] => Array(times).fill(what);
export const anyStep: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...fill("sensible", 8), ...fill("anything", 10), "time", "crash"),
  seed: fc.nat(2 ** 31),
});
/** Small, so that they are reached. */
export const anyLimits: fc.Arbitrary<Limits> = fc
  .record(
    {
      turns_per_node: fc.integer({ min: 1, max: 6 }),
      turns_alone: fc.integer({ min: 1, max: 6 }),
      seconds_per_node: fc.constantFrom(30, 600),
      spawn_depth: fc.integer({ min: 1, max: 4 }),
      live_nodes: fc.integer({ min: 2, max: 20 }),
      nodes_per_run: fc.integer({ min: 4, max: 60 }),
      workers_per_run: fc.integer({ min: 1, max: 6 }),
      stages_per_run: fc.integer({ min: 1, max: 5 }),
      agent_hops: fc.integer({ min: 2, max: 9 }),
      triggers: fc.integer({ min: 1, max: 4 }),
      event_fires_per_hour: fc.integer({ min: 1, max: 5 }),
      resumes: fc.integer({ min: 1, max: 3 }),
      check_attempts: fc.integer({ min: 1, max: 3 }),
      node_retries: fc.integer({ min: 0, max: 1 }),
    },
    { requiredKeys: [] },
  )
  .map((given) => ({ ...defaultLimits, ...given }));

/** The command of a step, and who gives it; sometimes none, because ends are rare. */
export function wishFor(what: Step["do"], d: Draws, state: State): [Wish, string] | undefined {
  if (what === "sensible" || !state.agent) return sensible(d, state);
  const type = d.pick(...types, ...often, ...often);
  if (type === "agent.archive" && d.chance() >= 0.1) return undefined;
  if (rare.has(type) && d.chance() >= 0.3) return undefined;
  return [{ type, ...makers[type](d, state) }, type === "proposal.vote" ? d.voter : d.actor()];
}
