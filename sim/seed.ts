/**
 * One seed: a whole life of a home, from nothing through chaos to calm, with every promise checked on the way and at the end.
 *
 * chaos: faults, crashes, people. calm: no faults, a running process, helpful people; everything must come to rest within ten virtual
 * minutes. Then the logs are read from the raw disk and compared with everything that anyone was told.
 */
import { fold } from "../src/core/reduce.ts";
import { canonical, emptyState } from "../src/core/state.ts";
import { canRun } from "../src/core/worker.ts";
import { retryWait, startable } from "../src/runtime/schedule.ts";
import type { Event } from "../src/schema/event.ts";
import type { FaultName } from "./faults.ts";
import { checkLog, parseLog, type Violation } from "./history.ts";
import { createHost, home, limits } from "./host.ts";
import { createHuman } from "./human.ts";
import type { Watch } from "./model.ts";
import { checkIndex, checkPublished } from "./outcome.ts";
import { createRandom } from "./random.ts";
import { drawSetup, type Setup } from "./setup.ts";
import { createSimWorld } from "./world.ts";

export interface Outcome {
  seed: number;
  violations: Violation[];
  steps: number;
  events: number;
  /** Faults and points that happened, by name. */
  injected: Record<string, number>;
  /** Equal for two runs of a seed, or the simulation is not deterministic. */
  trace: string;
}

const chaosMs = 20_000;
const calmMs = 600_000;

export async function runSeed(seed: number, change: (setup: Setup) => void = () => undefined): Promise<Outcome> {
  const setup = drawSetup(createRandom(seed).fork("setup"));
  change(setup);
  const sim = createSimWorld({ seed, config: setup.world });
  const { time, disk } = sim;
  const found = new Map<string, Violation>();
  const injected: Record<string, number> = {};
  const pokes = new Map<string, number>();
  const shown = new Map<string, Set<string>>();
  const heard = new Set<string>();
  const calls = new Map<string, AbortSignal>();

  const watch: Watch = {
    violated(invariant, what) {
      if (!found.has(invariant)) found.set(invariant, { invariant, what });
    },
    heard({ model, participant, turns }) {
      heard.add(`${model.slice(4)} ${participant}.${turns}`);
    },
    calling({ participant, turns, lines, model }, life, signal) {
      const who = `${model} ${participant}`;
      const live = `${life} ${who}`;
      if (calls.get(live)?.aborted === false) watch.violated("I11", `${who} is asked twice at once`);
      if (process.env.DBG) console.log(time.mono(), "call", live, turns, calls.get(live)?.aborted);
      calls.set(live, signal);
      const last = lines.at(-1);
      for (const { seq } of last?.role === "inbox" ? last.entries : []) {
        const turnsOf = shown.get(`${who} ${seq}`) ?? new Set();
        turnsOf.add(`${model.slice(4)} ${participant}.${turns}`);
        shown.set(`${who} ${seq}`, turnsOf);
      }
      return () => {
        if (process.env.DBG) console.log(time.mono(), "ended", live, turns);
        if (calls.get(live) === signal) calls.delete(live);
      };
    },
  };
  const count = (name: string) => {
    injected[name] = (injected[name] ?? 0) + 1;
  };
  const agents = Array.from({ length: setup.agents }, (_, index) => `a${index + 1}`);
  const host = createHost({
    sim,
    setup,
    watch,
    async poked(key) {
      pokes.set(key, (pokes.get(key) ?? 0) + 1);
      await sleepInLife();
    },
    notice: (_agent, { code, message }) => {
      if (process.env.NOTICE) console.log(Math.round(time.mono()), _agent, code, message.slice(0, 160));
      count(`notice ${code}`);
    },
  });
  /** A tool takes a moment after its effect: the moment in which a crash is worst. */
  const sleepInLife = async () => {
    const up = host.up();
    if (up) await up.world.life.sleep(1 + sim.random.int(50));
  };
  host.boot();
  const human = createHuman(sim, setup, host, agents, watch);

  /** Between any two events: nobody who could run is left lying, no budget is overdrawn. */
  function always(): void {
    const up = host.up();
    if (!up) return;
    for (const agent of agents) {
      const open = up.runtime.opened(agent);
      if (!open || open.live.signal.aborted) continue;
      const state = open.live.state();
      const idle = startable(state, open.running(), limits(setup), (one) => retryWait(one, 0) === 0);
      if (idle.length) watch.violated("I3", `${agent}: ${idle.join(", ")} could run and nobody lets them`);
      for (const [key, { limit, spent, reserved }] of state.accounts) {
        const most = limit.usd;
        if (most !== undefined && key === "agent" && spent.usd + reserved.usd > most + 1e-9) {
          watch.violated("I9", `${agent}: ${key} has ${spent.usd} spent and ${reserved.usd} reserved of ${most}`);
        }
      }
    }
  }
  let steps = 0;
  const probe = () => {
    if (++steps % 8 === 0) always();
    return false;
  };

  /* Chaos. */
  for (let n = 0; n < setup.crashes; n++) {
    time.after(sim.random.int(chaosMs), () => {
      count("crash");
      host.crash();
      time.after(1 + sim.random.int(2_000), host.boot);
    });
  }
  if (setup.poison) {
    let left = 8;
    const again = () => {
      if (left-- === 0) return;
      sim.crashAt(setup.poison!, 1, {
        crashed() {
          count("poisoned");
          host.crash();
          time.after(50, host.boot);
          again();
        },
      });
    };
    time.after(sim.random.int(chaosMs / 2), again);
  }
  for (let n = 0; n < setup.edits; n++) {
    time.after(sim.random.int(chaosMs), () => {
      const path = sim.random.pick(
        disk
          .paths()
          .filter((path) => /(GOAL|SOUL|_spec|_status|notes)\.md$|triggers\.json$/.test(path))
          .concat(`${home}/agents/a1/GOAL.md`),
      );
      disk.edit(path, sim.random.chance(0.2) ? null : `edited ${n}\n`);
    });
  }
  for (let n = 0; n < setup.clockJumps; n++) {
    time.after(sim.random.int(chaosMs), () => {
      count("clock_jump");
      time.jump(sim.random.pick([-3_600_000, 3_600_000, 36_000_000]));
    });
  }
  await time.run({ ms: chaosMs, until: probe });

  /* Calm. */
  sim.calm();
  human.calm();
  host.boot();
  const resting = () => {
    const up = host.up();
    return (
      up !== undefined &&
      human.done() &&
      agents.every((agent) => {
        const open = up.runtime.opened(agent);
        if (!open || open.running().size) return false;
        const state = open.live.state();
        if (state.agent?.status === "active" && [...state.participants.values()].some(canRun)) return false;
        if (state.agent?.status === "paused" && state.agent.reason.code === "human") return false;
        const askers = [...state.questions.values()].some((question) => question.status === "open");
        return !(askers && state.agent?.status === "active") && open.live.durableSeq() === state.seq;
      })
    );
  };
  let cancelled = false;
  const calmly = () => {
    probe();
    // Endless triggers would keep everyone awake.
    const up = host.up();
    if (up && !cancelled) {
      cancelled = true;
      for (const agent of agents) void stopTriggers(agent);
    }
    return steps % 16 === 0 && resting();
  };
  const stopTriggers = async (agent: string): Promise<void> => {
    for (const id of host.up()?.runtime.opened(agent)?.live.state().triggers.keys() ?? []) {
      await host
        .up()
        ?.runtime.send(agent, { type: "trigger.cancel", trigger: id }, { actor: "human" })
        .catch(() => undefined);
    }
  };
  if ((await time.run({ ms: calmMs, until: calmly })) !== "until")
    watch.violated("I4", `no rest after ten calm minutes: ${whyNotResting()}`);
  await time.run({ ms: 10_000, until: probe });
  await time.run({ ms: calmMs, until: calmly });
  const written = new Map(agents.map((agent) => [agent, host.up()?.runtime.opened(agent)?.live.durableSeq() ?? 0]));
  await time.run({ ms: 3_000 });
  await time.run({ ms: calmMs, until: calmly });

  function whyNotResting(): string {
    const up = host.up();
    if (!up) return "the process does not come up";
    if (!human.done()) return "requests without an answer";
    return agents
      .map((agent) => {
        const open = up.runtime.opened(agent);
        if (!open) return `${agent} is not open: ${up.runtime.fault(agent)?.message}`;
        const state = open.live.state();
        const busy = [...state.participants.values()]
          .filter(canRun)
          .map((one) => `${one.id} ${JSON.stringify("turn" in one ? one.turn : "")}`);
        return `${agent} is ${state.agent?.status}, running ${[...open.running()]}, could run ${busy}`;
      })
      .join("; ");
  }

  /* What everyone was told must be so. */
  let events = 0;
  const answered = new Set<string>();
  const up = host.up();
  for (const agent of agents) {
    const bytes = disk.peek(`${home}/agents/${agent}/events.jsonl`);
    if (!bytes) {
      watch.violated("I1", `${agent} has no log`);
      continue;
    }
    const { lines, violations } = parseLog(bytes);
    if (process.env.DUMP === agent)
      for (const line of lines.slice(-(Number(process.env.LAST) || 40)))
        console.log(line.seq, line.ts.slice(11), line.type, line.actor, JSON.stringify(line.data).slice(0, 150));
    events += lines.length;
    for (const { type, data } of lines) if (type === "turn.answered") answered.add(`${agent} ${data.turn}`);
    for (const { invariant, what } of [...violations, ...checkLog(lines, limits(setup))])
      watch.violated(invariant, `${agent}: ${what}`);
    for (const [key, { agent: whose, seq }] of human.acked) {
      if (whose !== agent) continue;
      const line = lines[seq - 1];
      if (!line?.cause?.startsWith(`${key}#`))
        watch.violated(
          "I1",
          `${agent}: ${key} was acknowledged as event ${seq}, which is ${line ? `${line.type} of ${line.cause}` : "not there"}`,
        );
    }
    for (const event of human.seen.get(agent)!) {
      const line = lines[event.seq - 1];
      if (JSON.stringify(line?.data) !== JSON.stringify(event.data))
        watch.violated("I6", `${agent}: event ${event.seq} was shown as ${event.type} and is now ${line?.type}`);
    }
    const open = up?.runtime.opened(agent);
    if (!open) continue;
    const last = human.seen.get(agent)!.at(-1)?.seq ?? 0;
    if (last < written.get(agent)!) watch.violated("I16", `${agent}: the stream ended at ${last} of ${lines.length}`);
    const again = fold(emptyState(), lines as unknown as Event[]);
    const state = open.live.state();
    const [folded, live] = [canonical(again), canonical(state)];
    if (folded !== live)
      watch.violated("I5", `${agent}: the state is not the fold of the log\n${difference(folded, live)}`);
    if (state.agent?.status === "active" && state.run?.status === "open") {
      for (const one of state.participants.values()) {
        if (one.kind !== "human" && !one.retired && !one.wait && one.unread.length)
          watch.violated("I3", `${agent}: ${one.id} has unread mail and nothing happens`);
      }
      for (const one of state.participants.values()) {
        if (one.kind === "human" || !one.wait) continue;
        const { wait } = one;
        const nodes = wait.for === "nodes" ? wait.nodes.map((id) => state.nodes.get(id)?.status) : [];
        const moves = wait.for === "question" ? state.questions.get(wait.question)?.status === "open" : nodes.some((status) => /pending|assigned|running|waiting/.test(status ?? ""));
        if (!moves) watch.violated("I4", `${agent}: ${one.id} waits for what has happened: ${JSON.stringify(wait)}`);
      }
      for (const node of state.nodes.values()) {
        if (node.status === "running" && !node.worker)
          watch.violated("I4", `${agent}: ${node.id} runs without a worker`);
      }
    }
    for (const one of state.participants.values()) {
      if (one.kind !== "human" && one.turn && state.agent?.status !== "paused")
        watch.violated("I4", `${agent}: ${one.turn.id} never ended`);
    }
    checkPublished(disk, agent, lines, watch);
    const index = host.index();
    if (index && setup.index) checkIndex(index, agent, lines, written.get(agent)!, watch);
  }
  for (const turn of answered) if (!heard.has(turn)) watch.violated("cut", `${turn} acts on an answer that was cut off`);
  for (const [what, turns] of shown) {
    const consumed = [...turns].filter((turn) => answered.has(turn));
    if (consumed.length > 1) watch.violated("I2", `${what} was consumed by the turns ${consumed.join(", ")}`);
  }
  for (const [key, times] of pokes) if (times > 1) watch.violated("I10", `${key} was done ${times} times`);
  const orphans = sim.processes.running();
  if (orphans.length) watch.violated("I20", `still running at the end: ${orphans.map((one) => one.tag).join(", ")}`);

  for (const [name, times] of Object.entries(disk.injected) as [FaultName, number][]) if (times) injected[name] = times;
  for (const [name, times] of sim.points) injected[`point ${name}`] = times;
  return { seed, violations: [...found.values()], steps: time.steps, events, injected, trace: time.trace.value() };
}

function difference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `fold: …${a.slice(Math.max(0, at - 100), at + 200)}\nlive: …${b.slice(Math.max(0, at - 100), at + 200)}`;
}
