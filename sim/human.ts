/**
 * The people outside: post with keys and ask again until they are answered, answer questions, follow the stream, and meddle. They live in no
 * incarnation: the process may die under any of their requests.
 */
import type { State } from "../src/core/state.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import type { CommandInput, Receipt } from "../src/schema/command.ts";
import type { Event } from "../src/schema/event.ts";
import { Problem } from "../src/schema/problem.ts";
import type { Fleet } from "./fleet.ts";
import type { Up } from "./host.ts";
import type { Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";
import type { SimWorld } from "./world.ts";

export interface Human {
  /** Every request has been answered. */
  done(): boolean;
  /** Acknowledged commands by key. */
  readonly acked: Map<string, { agent: string; seq: number }>;
  /** What the stream of each agent showed, in order. */
  readonly seen: Map<string, Event[]>;
  /** From now on only helps things along: answers, resumes, no meddling. */
  calm(): void;
}

export function createHuman(sim: SimWorld, setup: Setup, fleet: Fleet, agents: string[], witness: Witness): Human {
  const { time } = sim;
  const dice = sim.random.fork("human");
  const lifeDice = sim.random.fork("life");
  const acked: Human["acked"] = new Map();
  const seen: Human["seen"] = new Map(agents.map((agent) => [agent, []]));
  let open = 0;
  let calm = false;

  /** One request to a process; rejects when it dies or takes too long. */
  async function ask<T>(up: Up | undefined, request: (runtime: Runtime) => Promise<T>): Promise<T> {
    if (!up) throw new Problem("closed", "nobody answers");
    return await new Promise<T>((resolve, reject) => {
      up.world.life.onEnd(() => reject(new Error("the connection broke")));
      time.after(20_000, () => reject(new Error("no answer")));
      Promise.resolve()
        .then(() => request(up.runtime))
        .then(resolve, reject);
    });
  }

  /** Asks again and again with the same key until it is acknowledged, or refused for good. */
  async function insist(agent: string, key: string, command: CommandInput): Promise<void> {
    open++;
    for (;;) {
      try {
        const receipt: Receipt = await ask(fleet.any(), (runtime) =>
          runtime.send(agent, command, { actor: "human", key }),
        );
        const before = acked.get(key);
        if (before && before.seq !== receipt.seq)
          witness.violated("I1", `${key} was acknowledged as ${before.seq} and as ${receipt.seq}`);
        acked.set(key, { agent, seq: receipt.seq });
        if (!dice.chance(setup.lostAcks)) break;
      } catch (error) {
        witness.tell(agent, `${key}: ${String(error)}`);
        if (
          error instanceof Problem &&
          (error.code === "wrong_state" || error.code === "invalid" || error.code === "not_found")
        ) {
          if (acked.has(key)) witness.violated("I1", `${key} was acknowledged and then refused: ${error.message}`);
          if (error.code !== "not_found" || error.message.startsWith("nobody here")) break;
        }
      }
      await time.sleep(100 + dice.int(3_000));
    }
    open--;
  }

  async function create(agent: string): Promise<void> {
    open++;
    for (;;) {
      try {
        await ask(fleet.any(), async (runtime) => {
          const given = {
            goal: `goal of ${agent}`,
            name: agent,
            model: `sim/${agent}`,
            ...(setup.cycle ? { mode: "infinite" as const, cycle_seconds: setup.cycle } : {}),
            ...(setup.budget ? { budget: setup.budget } : {}),
            ...(setup.planned ? { team } : {}),
          };
          const id = await runtime.create(given, { actor: "human", key: `create-${agent}` });
          if (id !== agent) witness.violated("I1", `${agent} was created as ${id}`);
        });
        break;
      } catch (error) {
        witness.tell(agent, `create: ${String(error)}`);
        await time.sleep(500);
      }
    }
    open--;
    for (let n = 0; n < setup.posts; n++) {
      const to = dice.pick(["coordinator", "coordinator", "ann", "*"]);
      time.after(
        dice.int(60_000),
        () => void insist(agent, `post-${agent}-${n}`, { type: "message.post", to, text: `hello ${n}` }),
      );
    }
    for (let n = 0; n < setup.deeds; n++) time.after(dice.int(15_000), () => void meddle(agent));
    for (let n = 0; n < setup.lives; n++) time.after(lifeDice.int(18_000), () => void turnLife(agent));
    void follow(agent);
    void attend(agent);
  }

  /** The stream, from where it broke off. */
  async function follow(agent: string): Promise<void> {
    const events = seen.get(agent)!;
    for (;;) {
      const up = fleet.owner(agent)?.up();
      if (up) {
        const over = new Promise<void>((resolve) => up.world.life.onEnd(resolve));
        const away = new AbortController();
        if (setup.restAfterMs !== undefined && !calm) time.after(dice.int(4_000), () => away.abort());
        const stream = up.runtime.follow(agent, events.at(-1)?.seq ?? 0, away.signal);
        for (;;) {
          const next = await Promise.race([stream.next().catch(() => undefined), over]);
          if (!next || next.done) break;
          for (const event of next.value) {
            const expected = (events.at(-1)?.seq ?? 0) + 1;
            if (event.seq !== expected)
              witness.violated("I16", `the stream of ${agent} gave ${event.seq} where ${expected} was next`);
            events.push(event);
          }
        }
      }
      await time.sleep(setup.restAfterMs === undefined || calm ? 1_000 : dice.int(6_000));
    }
  }

  /** Answers questions, and lets a paused agent go on now and then. In the end also stops triggers, which would keep everyone awake. */
  async function attend(agent: string): Promise<void> {
    for (;;) {
      await time.sleep(calm ? 2_000 : 1_000 + dice.int(8_000));
      try {
        const todo = await ask(fleet.owner(agent)?.up(), (runtime) => runtime.read(agent, helpful));
        for (const command of todo)
          await ask(fleet.any(), (runtime) => runtime.send(agent, command, { actor: "human" }));
      } catch {
        // The process died or refused; there will be another round.
      }
    }
  }

  function helpful({ questions, agent, triggers }: State): CommandInput[] {
    const open = [...questions.values()].filter(({ status }) => status === "open");
    const paused = (agent?.status === "paused" && agent.reason.code === "human") || agent?.status === "stopped";
    const endless = calm && agent?.mode === "infinite" && agent.status === "active";
    const ticking = calm ? [...triggers.values()].filter(({ status }) => status === "active") : [];
    return [
      ...open.map(({ id, approves }): CommandInput => {
        const answer = approves && dice.chance(0.2) ? "no, not now" : "yes";
        return { type: "question.answer", question: id, answer, remember: dice.chance(0.1) };
      }),
      ...(paused ? [{ type: "agent.resume" as const }] : []),
      ...(endless ? [{ type: "run.finish" as const, summary: "enough" }] : []),
      ...ticking.map(({ id }): CommandInput => ({ type: "trigger.cancel", trigger: id })),
    ];
  }

  async function meddle(agent: string): Promise<void> {
    if (calm) return;
    const command = dice.pick<CommandInput>([
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
      { type: "node.cancel", node: `n${1 + dice.int(4)}-x`, reason: "changed my mind" },
      { type: "node.create", task: "from the human", name: "x" },
      { type: "run.finish", summary: "enough" },
      { type: "worker.retire", worker: "ann" },
      { type: "budget.set", scope: { of: "day" }, limit: { usd: 0.05 } },
    ]);
    await ask(fleet.any(), (runtime) => runtime.send(agent, command, { actor: "human" })).catch(() => undefined);
  }

  async function turnLife(agent: string): Promise<void> {
    if (calm) return;
    const commands = lifeDice.pick<CommandInput[]>([
      [{ type: "agent.stop" }],
      [{ type: "agent.stop" }, { type: "agent.resume" }],
      [{ type: "agent.stop" }, { type: "message.post", text: "go on" }],
      [{ type: "agent.stop" }, { type: "run.start", goal: "another goal" }],
      [{ type: "run.start", goal: "another goal" }],
      [
        {
          type: "trigger.create",
          schedule: { type: "heartbeat", interval_seconds: 10 + lifeDice.int(10) },
          action: { type: "run_node", node: "n1-x" },
        },
      ],
    ]);
    for (const command of commands)
      await ask(fleet.any(), (runtime) => runtime.send(agent, command, { actor: "human" })).catch(() => undefined);
  }

  for (const agent of agents) void create(agent);

  return {
    done: () => open === 0,
    acked,
    seen,
    calm() {
      calm = true;
    },
  };
}

const planned = (id: string, more: object = {}) => ({ id, title: id, spec: `make ${id}`, depends_on: [], ...more });

/** A team that is written down: names that coordinators use too, and a stage after the other. */
const team = {
  workers: [
    { name: "Ann", role: "looks" },
    { name: "Bea", role: "writes" },
  ],
  stages: [
    { name: "Look", policy: "all" as const },
    { name: "Write", policy: "any" as const },
  ],
  nodes: [
    planned("look", { stage: "Look", worker: "Ann" }),
    planned("count", { stage: "Look" }),
    planned("write", { stage: "Write", worker: "Bea", depends_on: ["look"] }),
  ],
};
