/**
 * A large team on the board: 500 nodes over 50 workers, through the real runtime on the disk, with a model that answers at once.
 *
 * Each node is one turn of its worker: it writes a file and publishes. The coordinator puts the nodes on the board with its own tool, fifty at a
 * time, and waits for them, so that the board grows as it does in real work. Measured is the processor's time of the whole process, which does
 * not depend on the disk or on others at work; against it the same number of turns of the same workers without a board: woken by a
 * message, two tool calls that write a file each. What comes before only warms up: a small team, and the first node or turn of each worker.
 */
import type { Backend, Part, Request } from "../src/backend/backend.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import type { Bench } from "./figure.ts";
import { createHouse } from "./house.ts";
import { pause, timed } from "./rounds.ts";

const workers = 50;
const batch = 50;
/** As long as everybody waits and is watched. */
const watched = 3_000;

export const team: Bench = {
  name: "team",
  about:
    "500 nodes over 50 workers with an instant model: processor time of a node against that of a turn without a board; of the last 100 nodes against the first 100; and calls of the model while everybody waits.",
  async run(place) {
    const nodes = Math.max(200, Math.round((500 * place.size) / batch) * batch);
    const home = place.folder("team");
    const model = createModel();
    const limits = {
      ...defaultLimits,
      workers_per_run: workers,
      concurrency: workers,
      nodes_per_run: nodes + batch,
      live_nodes: nodes,
      turns_alone: nodes,
      messages_without_effect: nodes,
      seconds_per_node: 100_000,
    };
    const house = { ...createHouse({ home, backend: () => model.backend, snapshotEvery: 10_000 }), limits };
    const runtime = createRuntime(house);
    await runtime.start();

    async function assemble(name: string) {
      const agent = await runtime.create({ goal: "wait", name, model: "bench/instant" });
      const { live, projector, running, settled } = runtime.opened(agent)!;
      for (let n = 1; n <= workers; n++)
        await runtime.send(agent, { type: "worker.spawn", name: `W${n}`, role: "works" }, as);
      const rest = async () => {
        while (running().size > 0) await pause(2);
        await settled();
        await projector.idle();
        await live.durable();
      };
      await rest();
      return { agent, live, rest };
    }
    const tell = (agent: string, to: string, text: string) =>
      runtime.send(agent, { type: "message.post", from: to === "coordinator" ? "human" : "coordinator", to, text });

    /** Processor milliseconds after each node. */
    async function onBoard(name: string, count: number): Promise<{ cpu: number[]; wall: number }> {
      const { agent, live, rest } = await assemble(name);
      await tell(agent, "coordinator", `create ${batch} publish`);
      await rest();
      const cpu = [cpuNow()];
      const wall = await timed(async () => {
        for (let left = count; left > 0; left -= batch) {
          await tell(agent, "coordinator", `create ${batch} publish`);
          await rest();
          cpu.push(cpuNow());
        }
      });
      const done = [...live.state().nodes.values()].filter(({ status }) => status === "completed").length;
      if (done !== count + batch) throw new Error(`${done} of ${count + batch} nodes are completed`);
      return { cpu, wall };
    }

    async function withoutBoard(name: string, count: number): Promise<number> {
      const { agent, rest } = await assemble(name);
      let began = 0;
      for (let left = count + workers; left > 0; left -= workers) {
        if (left === count) began = cpuNow();
        const told = Array.from({ length: workers }, (_, n) => tell(agent, `W${n + 1}`, "keep"));
        await Promise.all(told);
        await rest();
      }
      return cpuNow() - began;
    }

    await onBoard("warm-board", 2 * batch);
    await withoutBoard("warm-turns", 2 * batch);
    const plain = (await withoutBoard("turns", nodes)) / nodes;
    const { cpu, wall } = await onBoard("board", nodes);
    const each = (cpu.at(-1)! - cpu[0]!) / nodes;
    const of = (from: number, upto: number) => (cpu[upto]! - cpu[from]!) / ((upto - from) * batch);
    const [first, last] = [of(0, 2), of(cpu.length - 3, cpu.length - 1)];

    // Everybody waits: each worker for the human, the other nodes behind theirs, the coordinator for all of them.
    const { agent, live, rest } = await assemble("waiting");
    await tell(agent, "coordinator", `create ${workers} ask`);
    for (let made = workers; made < nodes; made += batch) await tell(agent, "coordinator", `create ${batch} behind`);
    await rest();
    const asked = [...live.state().questions.values()].filter(({ status }) => status === "open").length;
    if (asked !== workers) throw new Error(`${asked} of ${workers} workers wait for the human`);
    const [calls, before] = [model.calls(), cpuNow()];
    await pause(watched);
    const [made, busy] = [model.calls() - calls, cpuNow() - before];
    await runtime.send(agent, { type: "question.answer", question: "q1", answer: "go on" }, { actor: "human" });
    await rest();
    if (model.calls() === calls + made) throw new Error("nobody went on after an answer: it was not waiting");

    await runtime.stop();
    await house.store.close();
    return [
      {
        name: "team.node",
        value: each,
        unit: "ms CPU",
        baseline: plain,
        ratio: each / plain,
        goal: "ratio ≤ 3",
        ok: each / plain <= 3,
        note: `${nodes} nodes over ${workers} workers, ${(wall / nodes).toFixed(2)} ms each on the wall. A node is created, assigned, worked on in one turn with two tool calls, published with its manifest and told to the coordinator; the baseline is a turn with two tool calls that a message woke.`,
      },
      {
        name: "team.growth",
        value: last,
        unit: "ms CPU",
        baseline: first,
        ratio: last / first,
        goal: "ratio ≤ 2",
        ok: last / first <= 2,
        note: `Of a node: the last 100 of ${nodes} against the first 100.`,
      },
      {
        name: "team.calls.waiting",
        value: made,
        unit: "calls",
        baseline: null,
        ratio: null,
        goal: "0",
        ok: made === 0,
        note: `In ${watched / 1000} s in which ${workers} workers wait for the human, ${nodes - workers} nodes for theirs and the coordinator for all; ${busy.toFixed(0)} ms CPU in that time.`,
      },
    ];
  },
};

const as = { actor: "coordinator" };

/** Processor milliseconds of this process so far, with the system's. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

type Asked = { tool: string; input: Record<string, unknown> };

/** Does at once what its last mail says. */
function createModel(): { backend: Backend; calls(): number } {
  let calls = 0;

  function answer({ participant, lines }: Request): Asked[] {
    const line = lines.at(-1);
    if (line?.role !== "inbox") return [];
    const words = line.entries.map(({ text }) => text).join("\n");
    if (participant === "coordinator") return /create/.test(words) ? create(words) : [];
    if (/: publish/.test(words)) return [write(calls), { tool: "publish", input: { summary: "It is in result.md." } }];
    if (/: ask/.test(words)) return [{ tool: "ask_human", input: { question: "Which of the two?" } }];
    if (/keep/.test(words)) return [keep(calls), learn(calls)];
    return [];
  }
  return {
    calls: () => calls,
    backend: {
      worst: () => ({ usd: 0, tokens: 0 }),
      async *call(request: Request): AsyncGenerator<Part> {
        calls++;
        let n = 0;
        for (const asked of answer(request)) yield { type: "call", id: `c${++n}`, ...asked };
        yield { type: "end", cost: { usd: 0, tokens: 0 } };
      },
    },
  };
}

/** `create COUNT WHAT`, several times: the nodes, then the wait for them. `behind` is a node behind the first one. */
function create(words: string): Asked[] {
  const asked: Asked[] = [];
  for (const [, count, what] of words.matchAll(/create (\d+) (\w+)/g))
    for (let n = 0; n < Number(count); n++) {
      const depends_on = what === "behind" ? ["n1"] : undefined;
      const task = `${what}: part ${n} of what was asked`;
      asked.push({ tool: "create_work_node", input: { name: "part", task, depends_on } });
    }
  return [...asked, { tool: "wait_for_nodes", input: {} }];
}

const text =
  "The second candidate meets all five needs, if someone else runs it; the first is enough for one server.\n";

const write = (n: number): Asked => ({ tool: "write_file", input: { path: "result.md", content: `${n}: ${text}` } });
const keep = (n: number): Asked => ({
  tool: "resource_create",
  input: { title: `entry ${n}`, content: `${n}: ${text}` },
});
const learn = (n: number): Asked => ({ tool: "memory_write", input: { path: "memory.md", content: `${n}: ${text}` } });
