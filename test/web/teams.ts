/** Agents for tests of the graph and of time: a scripted team with stages that stops at a question, and one with very many nodes. Also a workflow. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScriptInput } from "../../src/backend/scripted.ts";
import { start, t0 } from "../../src/core/core.test-help.ts";
import { agentRoot } from "../../src/home/layout.ts";
import { encode } from "../../src/store/log-line.ts";

const node = (name: string, worker: string, more: object = {}) => ({
  tool: "create_work_node",
  input: { name, task: `${name}: two sources for every number. Say where only the vendor claims it.`, worker, ...more },
});
const wait = { tool: "wait_for_nodes" };
const publish = (summary: string, path: string) => [
  { seconds: 0.2, usd: 0.04, calls: [{ tool: "write_file", input: { path, content: `# ${summary}\n` } }] },
  { seconds: 0.2, usd: 0.02, calls: [{ tool: "publish", input: { summary } }] },
];

/** Each runs two commands that want to reach a host of their own. No name that ends in `.invalid` exists. */
const hostsOf: [name: string, task: string, command: string][] = [
  ["Ada", "Prices of today", "curl -sS https://api.prices.invalid/v1/today?chip=h200 | tee price.txt"],
  ["Ben", "Prices of last year", "curl -sS https://archive.prices.invalid/2025.csv -o 2025.csv"],
  ["Cleo", "Exchange rates", "curl -sS https://rates.invalid/usd/eur"],
  [
    "Dan",
    "A chart of both",
    "set -e\npython3 -m pip install --retries 0 --target lib matplotlib 'pandas>=2.2'\nPYTHONPATH=lib python3 chart.py --from price.txt --and 2025.csv --into chart.png",
  ],
];

/** Four workers wait for a host each. */
export const reachers: ScriptInput = {
  goal: "Find out what an hour of an H200 costs",
  participants: {
    coordinator: [
      { calls: hostsOf.map(([name]) => ({ tool: "spawn_worker", input: { name, role: "fetches" } })) },
      { calls: [...hostsOf.map(([name, task]) => node(task, name)), wait] },
      ...hostsOf.map(() => ({ calls: [wait] })),
    ],
    ...Object.fromEntries(
      hostsOf.map(([name, , command]) => [
        name.toLowerCase(),
        [
          { calls: [{ tool: "bash", input: { command } }] },
          { calls: [{ tool: "bash", input: { command } }] },
          { calls: [{ tool: "publish", input: { summary: "Fetched what there was." } }] },
        ],
      ]),
    ),
  },
};

/** Scan is done, Research waits for Carol, who waits for the human. */
export const chips: ScriptInput = {
  goal: "Map the AI chip landscape for the board",
  participants: {
    coordinator: [
      {
        usd: 0.03,
        calls: ["Alice", "Bob", "Carol", "Dave"].map((name) => ({
          tool: "spawn_worker",
          input: { name, role: "reads" },
        })),
      },
      {
        usd: 0.02,
        calls: [
          { tool: "reconvene", input: { assessment: "Find out who there is.", next_stage: { name: "Scan" } } },
          node("Vendors", "Alice"),
          node("Prices per hour", "Bob"),
          wait,
        ],
      },
      {
        usd: 0.03,
        calls: [
          {
            tool: "reconvene",
            input: { assessment: "23 vendors, prices for most.", next_stage: { name: "Research" } },
          },
          node("NVIDIA: B300, price, supply", "Alice", { refs: { vendors: "n1-vendors/vendors.md" } }),
          node("AMD: MI355X and software", "Bob", { refs: { prices: "n2-prices-per-hour/prices.md" } }),
          node("Cloud silicon: TPU, Trainium", "Carol", { refs: { vendors: "n1-vendors/vendors.md" } }),
          node("One table, one method", "Dave", {
            depends_on: ["n3-nvidia-b300-price-supply", "n4-amd-mi355x-and-software", "n5-cloud-silicon-tpu-trainium"],
          }),
          wait,
        ],
      },
    ],
    alice: [
      ...publish("23 vendors, 9 of them sell to others", "vendors.md"),
      {
        seconds: 0.3,
        usd: 0.05,
        calls: [{ tool: "suggest_next", input: { suggestion: "HBM and packaging supply decide who can deliver" } }],
      },
      ...publish("Leads training, rent down 31%", "nvidia.md"),
      ...publish("Closed division only", "mlperf.md"),
    ],
    bob: [
      ...publish("Prices for 19 of 23", "prices.md"),
      { usd: 0.03, calls: [node("MLPerf data", "Alice")] },
      { seconds: 600, usd: 0.06, calls: [wait] },
    ],
    carol: [
      { seconds: 0.3, usd: 0.08, calls: [{ tool: "write_file", input: { path: "tpu-v7.md", content: "# TPU v7\n" } }] },
      {
        usd: 0.04,
        calls: [
          {
            tool: "ask_human",
            input: {
              question: "Are chips that are only sold in China in?",
              options: ["Leave out", "One page", "Full section"],
            },
          },
        ],
      },
    ],
  },
};

/** Two who work for each other; the second asks the human, and there is an end. */
export const shed: ScriptInput = {
  goal: "Paint the shed",
  participants: {
    coordinator: [
      { calls: ["Alice", "Bob"].map((name) => ({ tool: "spawn_worker", input: { name, role: "paints" } })) },
      { seconds: 1, calls: [node("Look at the wood", "Alice"), wait] },
      { seconds: 1, calls: [node("Buy paint", "Bob", { depends_on: ["n1-look-at-the-wood"] }), wait] },
      { calls: [{ tool: "finish", input: { summary: "# The shed is green\n\nIt took **five litres**." } }] },
    ],
    alice: publish("Larch, dry", "wood.md"),
    bob: [
      {
        seconds: 0.5,
        calls: [{ tool: "ask_human", input: { question: "Which colour?", options: ["Blue", "Green"] } }],
      },
      ...publish("Five litres of green", "paint.md"),
    ],
  },
};

/** Writes the log of an agent with this many nodes in stages of a hundred, paused so that nobody works on it. */
export function writeBig(home: string, count: number, name = "chips"): void {
  const limits = { live_nodes: 5_000, nodes_per_run: 5_000, stages_per_run: 500 };
  const world = start(limits);
  for (let made = 0; made < count; made++) {
    world.now = t0 + made * 20_000;
    if (made % 100 === 0) {
      if (made) world.tell({ type: "stage.complete", assessment: "Enough." }, "coordinator");
      world.tell({ type: "stage.start", name: `Stage ${made / 100 + 1}` }, "coordinator");
    }
    const before = [...world.state.nodes.keys()];
    const depends_on = made % 100 > 8 && made % 3 === 0 ? [before.at(-7)!] : [];
    const id = world.node({ task: `Look at source ${made + 1}`, name: `Source ${made + 1}`, depends_on });
    if (made > count - 30 || made % 41 === 0) continue;
    world.append({ type: "node.assigned", data: { node: id, worker: made % 2 ? "alice" : "bob" } });
    world.append({ type: "node.started", data: { node: id, worker: made % 2 ? "alice" : "bob" } });
    world.append({
      type: "node.completed",
      data: {
        node: id,
        worker: made % 2 ? "alice" : "bob",
        summary: `Source ${made + 1} agrees`,
        partial: false,
        files: [],
      },
    });
  }
  world.tell({ type: "agent.pause", reason: { code: "asked", message: "a test", next_mover: "human" } });
  const path = join(agentRoot(home, name), "events.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, world.log.map((event) => encode(event)).join(""));
}

/** An agent of which the first stage is done and the second under way, with a night between: paused so that nobody works on it. */
export function writeStages(home: string, name = "chips"): void {
  const world = start();
  const night = 9 * 3_600_000;
  world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
  for (const [index, task] of ["Vendors", "Prices", "Dates"].entries()) {
    world.now = t0 + index * 60_000;
    const id = world.node({ task, name: task, worker: "Alice" });
    world.turn("alice");
    world.now += 30_000;
    world.tell({ type: "node.publish", node: id, summary: `${task} are known`, files: [] }, "alice");
  }
  world.now = t0 + night;
  world.tell({ type: "stage.complete", assessment: "Good." }, "coordinator");
  world.tell({ type: "stage.start", name: "Research" }, "coordinator");
  const first = world.node({ task: "Look at AMD", name: "AMD", worker: "Bob" });
  world.turn("bob");
  world.now += 120_000;
  world.node({ task: "Write the table", name: "Table", depends_on: [first] });
  world.tell({ type: "agent.pause", reason: { code: "asked", message: "a test", next_mover: "human" } });
  const path = join(agentRoot(home, name), "events.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, world.log.map((event) => encode(event)).join(""));
}

/** A workflow of two stages, as a file in the home. */
export const brief = `about: A question, someone who looks and someone who writes.
goal: Write a page on chips
budget: { usd: 3 }
workers:
  Ada: Looks things up. With sources.
  Ben: Writes short and plain
stages: [{ name: Look }, { name: Write }]
nodes:
  - { id: facts, title: What is known, spec: Find it, worker: Ada, stage: Look }
  - { id: page, title: Write the page, spec: Write it, worker: Ben, stage: Write, depends_on: [facts] }
`;

/** A workflow that nobody leads and that asks for a place, as a file in the home. */
export const review = `about: One reviews, one mends, until nothing is left.
params:
  place: { required: true, about: The folder to look at }
  depth: { type: choice, choices: [quick, whole], default: quick }
agents:
  reviewer: Says what would break, and never how to write it.
  coder: Mends what the reviewer found.
kickoff: "@reviewer please review \${{ params.place }}."
`;
