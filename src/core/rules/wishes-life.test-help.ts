/** Wishes of an agent: its runs, budgets, soul and triggers. */
import { hash, patterns, type Wish } from "./draws.test-help.ts";
import type { Makers } from "./wishes.test-help.ts";

const planned = (id: string, more: object = {}) => ({ id, title: id, spec: `make ${id}`, ...more });
const looks = planned("look", { worker: "Carol" });
/** Teams that are written down; names that others use too. */
export const teams = [
  { workers: [{ name: "Carol", role: "" }] },
  {
    workers: [
      { name: "Carol", role: "", budget: { usd: 1 } },
      { name: "X", role: "", max_turns: 2 },
    ],
    nodes: [looks, planned("say", { depends_on: ["look"] })],
  },
  {
    workers: [{ name: "Straße", role: "" }],
    stages: [{ name: "hello", policy: "any" }, { name: "bye" }],
    nodes: [planned("a", { stage: "hello" }), planned("b", { stage: "hello" }), planned("c", { stage: "bye" })],
  },
  {
    workers: [
      { name: "Rae", role: "reviews" },
      { name: "Cody", role: "codes" },
    ],
    lead: false,
    kickoff: "@Rae please review, with @Cody",
  },
  {
    workers: [{ name: "Rae", role: "reviews" }],
    lead: false,
    setup: [{ shell: "git diff", as: "diff" }, { shell: "true" }],
    documents: [{ name: "notes.md", owner: "Rae", text: "n" }],
    kickoff: "@Rae, ${{ setup.diff }}",
  },
  { workers: [{ name: "X", role: "" }], documents: [{ name: "plan.md" }, { name: "a.txt", text: "x" }] },
];

export const lifeWishes = {
  "agent.create": (d) => ({
    agent: "twin",
    goal: d.text(),
    model: "m",
    budget: d.some(0.5, d.limit()),
    folder: d.some(0.2, "/srv/project"),
    team: d.some(0.2, d.pick(...teams)),
  }),
  "cycle.begin": () => ({}),
  "agent.pause": (d) => ({ reason: d.some(0.5, d.reason()) }),
  "agent.resume": () => ({}),
  "agent.stop": () => ({}),
  "agent.archive": () => ({}),
  "agent.move": (d) => ({ most: d.limit(), reason: { ...d.reason(), code: "imported" } }),
  "run.start": (d) => ({
    goal: d.some(0.5, d.text()),
    model: d.some(0.2, "m2"),
    budget: d.some(0.2, d.limit()),
    team: d.some(0.4, d.pick(null, ...teams)),
  }),
  "run.end_idle": () => ({}),
  "setup.end": (d, { preparation }) => {
    const step = (preparation?.results.length ?? 0) + (d.chance() < 0.9 ? 1 : 2);
    const { shell = "x", as } = preparation?.team.setup?.[step - 1] ?? {};
    const outcome = d.chance() < 0.7 ? "passed" : d.pick("failed", "late", "errored", "unsafe");
    const kept = as && outcome === "passed" ? { resource: hash(d.int(9)) } : {};
    const run = preparation?.run ?? "r1";
    return { run, step, as, shell, outcome, code: d.pick(0, 1, null), output: "out", size: 3, seconds: 1, ...kept };
  },
  "run.begin": (_d, { preparation }) => {
    const { run = "r1", team = { workers: [] }, results = [] } = preparation ?? {};
    const declared = (team as { documents?: { name: string; owner?: string }[] }).documents ?? [];
    const documents = declared.map(({ name, owner }) => ({ name, owner, sha256: hash(3), size: 1 }));
    const attached = results.flatMap(({ resource }) => resource ?? []);
    return { run, team, documents, attached, quotes: attached.length ? "<outside_data/>" : undefined };
  },
  "run.plan": (d) => ({ plan: d.text() }),
  "run.checkpoint": (d) => ({ summary: d.text() }),
  "run.finish": (d) => ({
    summary: d.text(),
    checks: d.some(0.3, [{ run: "true" }]),
    on: d.some(0.8, hash(d.int(3))),
  }),
  "trigger.create": (d, { nodes }) => ({
    schedule: d.pick<Wish>(
      { type: "delayed", delay_seconds: d.pick(1, 3_153_600_000) },
      { type: "heartbeat", interval_seconds: d.pick(1, 600) },
      { type: "scheduled", cron: d.pick("0 * * * *", "* * * * * *", "nonsense") },
      { type: "on_event", pattern: d.pick(...patterns), filter: d.some(0.2, { node: "n1" }) },
      { type: "on_idle", idle_seconds: d.pick(5, 300) },
      { type: "at_time", at: d.pick("2026-01-02T00:00:00Z", "1999-01-01T00:00:00+01:00") },
    ),
    action: d.pick<Wish>(
      { type: "wake_agent", text: d.text() },
      { type: "run_node", node: d.known(nodes.keys()) },
      { type: "send_message", to: d.who(), text: d.text() },
    ),
    missed: d.some(0.5, d.pick("skip", "once", "all")),
    key: d.some(0.2, d.pick("a", "b")),
  }),
  "trigger.fire": (d, { triggers }) => ({ trigger: d.known(triggers.keys()) }),
  "trigger.cancel": (d, { triggers }) => ({ trigger: d.known(triggers.keys()) }),
  "trigger.disarm": (d, { triggers }) => ({ trigger: d.known(triggers.keys()) }),
  "trigger.fire_now": (d, { triggers }) => ({ trigger: d.known(triggers.keys()) }),
  "trigger.arm": (d, { triggers }) => ({ trigger: d.known(triggers.keys()) }),
  "budget.set": (d, { nodes }) => ({
    scope: d.pick<Wish>(
      { of: "agent" },
      { of: "run" },
      { of: "day" },
      { of: "node", node: d.known(nodes.keys()) },
      { of: "worker", worker: d.who() },
    ),
    limit: d.limit(),
  }),
  "soul.accept": (d, { soulProposals }) => ({
    proposal: d.known(soulProposals.keys()),
    line: d.some(0.3, d.text()),
    by: d.pick("human", "rule"),
  }),
  "soul.decline": (d, { soulProposals }) => ({
    proposal: d.known(soulProposals.keys()),
    reason: d.some(0.5, d.reason()),
  }),
  "log.repair": () => ({ bytes: 1, kept_as: "torn" }),
  "log.close": () => ({}),
} satisfies Partial<Makers>;
