/**
 * What anyone may want of an agent, in whatever order: commands of every type, right and wrong, drawn by chance from the state. Chance comes from a
 * number, so that the same steps give the same log.
 */
import fc from "fast-check";
import type { BudgetLimit } from "../schema/budget.ts";
import type { CommandType } from "../schema/command.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { State } from "./state.ts";
import { callKey } from "./turn/call-key.ts";

const over = new Set(["completed", "failed", "cancelled"]);

export const t0 = Date.parse("2026-01-01T23:00:00.000Z");
const hash = (n: number) => String(n % 10).repeat(64);
const spellings = (name: string) => [name, name.toUpperCase(), `@${name}`, ` ${name}`, name.replace("a", "ａ")];
const junk = ["", "nobody", "__proto__", "constructor", "../x", "n999", "q99", "p99", "t99", "*", "a\u0000b", "\ud800"];
const names = "Carol CAROL Ｃarol Straße STRASSE ΟΔΟΣ οδοσ Анна Борис 日本 X x-2 a.b a-b Human System __proto__".split(
  " ",
);
const titles = ["plan.md", "Plan.md", "PLAN.MD", "Straße.txt", "STRASSE.txt", "__proto__.json", "../x.md", "x.exe"];
const wishes = [
  ["hook", "webhook"],
  ["mail", "email"],
] as const;
const patterns = [
  "node.*",
  "message.posted",
  "question.*",
  "turn.*",
  "nonsense",
  "trigger.*",
  "agent.*",
  "worker.spawned",
];

/** Chance from a number, so that a failing sequence can be shrunk step by step. */
export function draws(seed: number, state: State, now: number) {
  let at = seed >>> 0;
  const chance = () => {
    at = (at + 0x6d2b79f5) >>> 0;
    let x = Math.imul(at ^ (at >>> 15), at | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (n: number) => Math.floor(chance() * n);
  const pick = <T>(...list: T[]): T => list[int(list.length)]!;
  const some = <T>(p: number, value: T): T | undefined => (chance() < p ? value : undefined);
  const known = (ids: Iterable<string>): string => {
    const list = [...ids];
    return list.length && chance() < 0.95 ? pick(...list) : pick(...junk);
  };
  const maybe = (p: number, ids: Iterable<string>): string | undefined => {
    const list = [...ids];
    return list.length && chance() < p ? known(list) : undefined;
  };
  const people = [...state.participants.values()];
  const thinkers = people.filter((one) => one.kind !== "human");
  const workers = thinkers.filter((one) => one.kind !== "coordinator");
  const busy = thinkers.filter((one) => one.turn);
  const live = () => [...state.nodes.values()].filter(({ status }) => !over.has(status)).map(({ id }) => id);
  const who = () =>
    chance() < 0.9 ? known(state.participants.keys()) : pick(...spellings(pick("alice", "bob", "carol")));
  const text = () =>
    chance() < 0.96
      ? pick("x", "hello", "é日", "__proto__")
      : pick("", "x".repeat(3_000), "\ud800", chance() < 0.05 ? "x".repeat(100_001) : "y");
  const amount = () => ({ usd: pick(0, 1, 7, 1_000_003, 5_000_000) / 1e8, tokens: pick(0, 1, 10, 333) });
  const limit = (): BudgetLimit =>
    pick({}, {}, { usd: pick(0.2, 1) }, { tokens: pick(2_000, 9_000) }, { usd: 0.4, tokens: 5_000 }, { usd: 0 });
  const wait = () =>
    pick(
      { for: "mail" } as const,
      { for: "mail", deadline: new Date(now + int(1e6)).toISOString() } as const,
      { for: "question", question: known(state.questions.keys()) } as const,
      { for: "nodes", nodes: [known(state.nodes.keys()), known(state.nodes.keys())], deadline: undefined } as const,
    );
  const of = () => {
    const one = busy.length && chance() < 0.95 ? pick(...busy) : undefined;
    return one
      ? { turn: one.turn!.id, participant: one.id }
      : { turn: pick("alice.1", "x.9", "bad"), participant: who() };
  };
  const call = ({ participant }: { participant: string }) => {
    const one = state.participants.get(participant);
    const turn = one && "turn" in one ? one.turn : undefined;
    const calls = turn?.status === "acting" ? turn.calls : (turn?.own?.open ?? []);
    return known(calls.map(({ id }) => id));
  };
  const use = ({ participant }: { participant: string }) => {
    const one = state.participants.get(participant);
    const turn = one && "turn" in one ? one.turn : undefined;
    return known(turn?.status === "calling" ? (turn.uses ?? []).map((open) => open.call) : []);
  };
  const reason = () => ({
    code: pick("backend", "provider", "budget", "interrupted", "fault"),
    message: "m",
    next_mover: "human",
  });
  const actor = () =>
    people.length && chance() < 0.7 ? pick(...people).id : pick("human", "coordinator", "system", "nobody");
  const voter = actor();
  /** Sometimes a program of its own does the thinking. */
  const program = () =>
    chance() < 0.3 ? pick<Wish>({ kind: "autonomous", agent_command: "x" }, { model: "claude-code/m" }) : {};
  const hostWish = () => {
    const { turn, participant } = of();
    const host = pick("pypi.org", "registry.npmjs.org", "a.example", "b.example", `h${int(90)}.example`);
    const subject = host.endsWith(".org") ? "packages" : host;
    return { participant, call: callKey(state, turn, pick("c0", "c1")), host, subject };
  };
  return {
    hostWish,
    program,
    actor,
    voter,
    chance,
    int,
    pick,
    some,
    known,
    maybe,
    who,
    text,
    amount,
    limit,
    wait,
    of,
    call,
    use,
    reason,
    thinkers,
    workers,
    live,
  };
}
type Draws = ReturnType<typeof draws>;
export type Wish = Record<string, unknown>;

const planned = (id: string, more: object = {}) => ({ id, title: id, spec: `make ${id}`, ...more });
const looks = planned("look", { worker: "Carol" });
/** Teams that are written down; names that others use too. */
const teams = [
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

const programTypes = [
  "program.open",
  "program.report",
  "program.tell",
  "program.reserve",
  "program.settle",
  "program.act",
  "program.ask",
] as const;

/** One maker for every command there is: a new command without one does not compile. */
const makers: Record<CommandType, (draw: Draws, state: State) => Wish> = {
  "agent.create": (d) => ({
    agent: "twin",
    goal: d.text(),
    model: "m",
    budget: d.some(0.5, d.limit()),
    folder: d.some(0.2, "/srv/project"),
    team: d.some(0.2, d.pick(...teams)),
  }),
  "membership.vote": (d) => ({ team: "twin", proposal: "p1", option: d.text() || "yes" }),
  "proposal.delegate": (d) => ({ proposal: "p1", voter: d.voter, to: d.actor() }),
  "proposal.review": () => ({ proposal: "p1" }),
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
  "node.create": (d, { nodes, suggestions }) => ({
    task: d.text(),
    name: d.some(0.3, d.text()),
    depends_on: [d.maybe(0.4, nodes.keys()), d.maybe(0.2, nodes.keys())].filter((id) => id !== undefined),
    refs: d.chance() < 0.05 ? { [d.pick("a", "__proto__")]: d.pick(`${d.known(nodes.keys())}/file`, "x") } : {},
    worker: d.maybe(
      0.3,
      d.workers.map(({ id }) => id),
    ),
    parent: d.maybe(0.2, nodes.keys()),
    stage: d.some(0.05, d.pick("s1", "s2", "hello", "none")),
    max_turns: d.some(0.3, d.chance() < 0.95 ? d.pick(1, 2, 5) : 0),
    model: d.some(0.1, "other"),
    retry_of: d.maybe(0.1, nodes.keys()),
    suggestion: d.maybe(0.1, suggestions.keys()),
    checks: d.some(0.5, d.pick<unknown[]>([{ run: "true" }], [{ review: true }], [{ review: "x" }, { file: "a" }], [])),
    if_unverified: d.some(0.3, d.pick("complete", "fail")),
    workspace: d.some(0.1, "scratch"),
    base: d.maybe(0.1, nodes.keys()),
    resolves: d.maybe(0.05, nodes.keys()),
  }),
  "node.assign": (d) => ({
    node: d.known(d.live()),
    worker: d.chance() < 0.9 ? d.known(d.workers.map(({ id }) => id)) : d.who(),
  }),
  "node.want": (d) => ({ node: d.known(d.live()), worker: d.who() }),
  "node.checkpoint": (d) => ({ node: d.known(d.live()), summary: d.text() }),
  "node.attempt": (d) => ({ node: d.known(d.live()), on: hash(d.int(3)), partial: d.some(0.1, true) }),
  "check.start": (d) => ({
    node: d.some(0.9, d.known(d.live())),
    check: d.pick(1, 1, 2),
    on: hash(d.int(3)),
    by: d.pick("m", "runtime", d.who()),
    payer: d.who(),
    reserve: d.chance() < 0.3 ? { usd: 0, tokens: 0 } : d.amount(),
    lost: d.some(0.3, d.amount()),
  }),
  "check.end": (d) => ({
    node: d.some(0.9, d.known(d.live())),
    check: d.pick(1, 1, 2),
    on: hash(d.int(3)),
    what: d.some(0.7, { run: "true" }),
    outcome: d.pick("passed", "passed", "failed", "errored"),
    by: d.pick("runtime", "m", d.who()),
    output: d.pick("", "out"),
    seconds: 1,
    cost: d.some(0.5, d.amount()),
  }),
  "node.publish": (d) => ({
    node: d.known(d.live()),
    summary: d.text(),
    files: [],
    partial: d.some(0.2, true),
    limit: d.some(0.1, "limit.turns"),
    on: d.some(0.9, hash(d.int(3))),
  }),
  "node.fail": (d, { nodes }) => ({ node: d.known(d.chance() < 0.8 ? d.live() : nodes.keys()), reason: d.reason() }),
  "node.cancel": (d, { nodes }) => ({ node: d.known(d.chance() < 0.8 ? d.live() : nodes.keys()), reason: d.text() }),
  "stage.start": (d) => ({
    name: d.text(),
    policy: d.pick("all", "majority", "any", "any_completes", "most"),
    max_turns: d.some(0.5, d.pick(2, 5)),
    timeout_seconds: d.some(0.5, d.pick(60, 1e300)),
  }),
  "stage.complete": (d) => ({ assessment: d.text() }),
  "worker.spawn": (d) => ({
    name: d.pick(...names),
    role: d.text(),
    kind: d.pick("harnessed", "autonomous"),
    ...d.program(),
    budget: d.some(0.3, d.limit()),
  }),
  "worker.retire": (d) => ({ worker: d.who() }),
  "worker.unpark": (d) => ({ worker: d.who(), reason: d.text() }),
  "turn.start": (d) => ({ participant: d.who(), reserve: d.amount(), known: d.some(0.5, d.amount()) }),
  "turn.queue": (d) => ({ participant: d.who(), reserve: d.amount() }),
  "turn.hear": (d) => ({ ...d.of(), known: d.amount() }),
  "turn.answer": (d) => ({
    ...d.of(),
    text: d.text(),
    calls: Array.from({ length: d.int(3) }, (_, n) => ({
      id: d.chance() < 0.95 ? `c${n}` : "c",
      tool: "look",
      input: d.pick<unknown>({}, null, d.text()),
    })),
    cost: d.amount(),
  }),
  "program.open": (d) => ({ ...d.of(), driver: d.pick("claude-code/m", "codex"), session: d.pick("s1", "s2") }),
  "program.report": (d) => ({ ...d.of(), kind: d.pick("text", "notice"), text: d.text() }),
  "program.tell": (d, { seq }) => ({ ...d.of(), upto: 1 + d.int(seq + 3) }),
  "program.reserve": (d) => ({ ...d.of(), model: "m", reserve: d.amount() }),
  "program.settle": (d) => {
    const of = d.of();
    const counted = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, usd: d.amount().usd };
    return { ...of, call: d.some(0.7, d.use(of)), cost: d.amount(), counted: d.some(0.5, counted) };
  },
  "program.act": (d) => ({ ...d.of(), tool: "Bash", input: d.pick<unknown>({}, null, d.text()) }),
  "program.ask": (d) => ({ ...d.of(), call: d.pick("may-1", "may-2"), tool: "bash", text: d.text() }),
  "host.ask": (d) => ({ ...d.hostWish(), command: d.text() }),
  "host.open": (d) => ({ ...d.hostWish(), allowed: d.chance() < 0.2 }),
  "host.keep": (d, { hosts }) => ({ subject: d.known(hosts.unkept) }),
  "context.fill": (d) => ({
    participant: d.who(),
    why: d.pick("window", "overflow"),
    tokens: d.int(1000),
    window: 1000,
  }),
  "tool.ask": (d) => ({ ...d.of(), call: d.pick("c0", "c1"), text: d.text() }),
  "turn.resume": (d) => d.of(),
  "turn.retry": (d) => ({
    ...d.of(),
    error: d.text(),
    endpoint: d.some(0.5, { host: "api.example.com", why: d.text() }),
    not_before: "2026-01-01T23:30:00.000Z",
    lost: d.some(0.5, d.amount()),
  }),
  "turn.end": (d) => d.of(),
  "turn.fail": (d) => ({ ...d.of(), reason: d.reason(), lost: d.some(0.3, d.amount()) }),
  "tool.start": (d) => {
    const of = d.of();
    return { ...of, call: d.call(of) };
  },
  "tool.call": (d) => ({ ...d.of(), tool: "look", input: d.pick<unknown>({}, null, d.text()) }),
  "tool.end": (d, { seq }) => {
    const of = d.of();
    const more = {
      wait: d.some(0.3, d.wait()),
      final: d.some(0.1, true),
      effect: d.some(0.5, d.pick("reads", "state", "outside")),
      progress: d.some(0.5, d.pick("none", "words", "work")),
      upto: d.some(0.1, d.pick(seq, seq + 1_000)),
      touched: d.some(0.3, true),
    };
    return { ...of, call: d.call(of), outcome: d.pick("ok", "error", "unknown", "denied"), result: d.text(), ...more };
  },
  "message.post": (d) => ({
    from: d.who(),
    to: d.pick<unknown>(
      d.who(),
      [d.who(), d.who()],
      "*",
      [],
      undefined,
      d.pick("agent:dan", "@Agent:eve", "agent:chips"),
    ),
    text: d.chance() < 0.1 ? `@${d.who()} ${d.text()}` : d.text(),
    priority: d.some(0.3, d.pick("immediate", "background", "normal")),
  }),
  "message.receive": (d, { correspondents }) => {
    const from = d.pick("dan", "eve", "chips");
    const resource = { id: hash(d.int(10)), title: "t", type: "text/plain", size: 1, preview: "" };
    return {
      from,
      born: d.pick("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z"),
      seq: Math.max(1, (correspondents.get(from)?.seq ?? 0) + d.pick(-1, 0, 1, 1, 5)),
      hops: d.pick(1, 2, 9),
      text: d.text(),
      resource: d.some(0.2, resource),
      priority: d.some(0.3, d.pick("immediate", "background")),
      fresh: d.some(0.3, true),
      tainted: d.some(0.1, "example.com"),
      notice: d.some(0.2, true),
    };
  },
  "outbox.confirm": (d, { outbox }) => ({ outgoing: d.known(outbox.keys()) }),
  "outbox.refuse": (d, { outbox }) => ({ outgoing: d.known(outbox.keys()), reason: d.reason() }),
  "suggestion.make": (d) => ({ by: d.who(), text: d.text() }),
  "suggestion.dismiss": (d, { suggestions }) => ({ suggestion: d.known(suggestions.keys()), reason: d.text() }),
  "insight.propose": (d) => ({
    by: d.who(),
    run: d.some(0.5, "r1"),
    node: d.maybe(0.3, d.live()),
    subject: d.pick("a", "b"),
    text: d.text() || "x",
    file: d.some(0.4, {
      path: d.pick("MEMORY.md", "memory/a.md"),
      sha256: hash(d.int(3)),
      base: d.pick(null, hash(1)),
    }),
  }),
  "insight.accept": (d, { insights }) => ({
    insight: d.known(insights.keys()),
    path: "memory/knowledge/a.md",
    outcome: d.pick("created", "superseded", "known"),
  }),
  "insight.decline": (d, { insights }) => ({ insight: d.known(insights.keys()), reason: d.text() || "no" }),
  "reflection.start": (d) => ({ node: d.maybe(0.5, d.live()), model: "m", reserve: d.amount() }),
  "reflection.end": (d, { reflections }) => ({
    proposed: d.int(3),
    cost: d.some(0.5, reflections.open?.reserved ?? { usd: 0, tokens: 0 }),
  }),
  "inbox.ack": (d, { seq }) => ({ participant: d.who(), upto: d.pick(seq, seq + 1, d.int(seq + 1), 0) }),
  "inbox.defer": (d, { participants }) => {
    const one = participants.get(d.who());
    const entry = Number(d.known((one?.unread ?? []).map(({ seq }) => String(seq)))) || 1;
    return { participant: one?.id ?? d.who(), entry, seconds: d.some(0.5, d.pick(1, 600)), reason: d.text() };
  },
  "inbox.return": (d, { participants }) => {
    const one = participants.get(d.who());
    const put = one && one.kind !== "human" ? (one.deferred ?? []) : [];
    return { participant: one?.id ?? d.who(), entry: Number(d.known(put.map(({ entry }) => String(entry.seq)))) || 1 };
  },
  "question.ask": (d) => ({
    by: d.who(),
    text: d.text(),
    default: d.some(0.3, "d"),
    deadline_seconds: d.some(0.5, d.pick(30, 1e300)),
    channel: d.some(0.3, d.pick("hook", "email", "cli")),
  }),
  "question.answer": (d, { questions }) => ({
    question: d.some(0.8, d.known(questions.keys())),
    answer: d.chance() < 0.7 ? d.text() : d.pick("this time", "this run", "always", "no", "yes"),
  }),
  "question.expire": (d, { questions }) => ({ question: d.known(questions.keys()) }),
  "delivery.route": (d) => ({
    channels: Object.fromEntries(
      [...wishes]
        .filter(() => d.chance() < 0.8)
        .map(([name, kind]) => [
          d.chance() < 0.99 ? name : d.pick(...junk),
          {
            kind,
            for: (["questions", "approvals", "messages", "paused", "completed", "failed"] as const).filter(
              () => d.chance() < 0.7,
            ),
          },
        ]),
    ),
  }),
  "delivery.confirm": (d, { deliveries }) => ({ delivery: d.known(deliveries.keys()) }),
  "delivery.fail": (d, { deliveries }) => ({
    delivery: d.known(deliveries.keys()),
    error: d.text(),
    retry_after_seconds: d.some(0.2, d.pick(0, 5_000, 1e300)),
  }),
  "document.write": (d, { documents }) => ({
    document: d.pick(d.known(documents.keys()), ...titles),
    sha256: hash(d.int(10)),
    size: 1,
    owner: d.some(0.3, d.who()),
    expected_version: d.some(0.2, d.int(3)),
  }),
  "document.own": (d, { documents }) => ({ document: d.known(documents.keys()), owner: d.some(0.8, d.who()) }),
  "document.remove": (d, { documents }) => ({ document: d.known(documents.keys()) }),
  "resource.create": (d) => ({ resource: hash(d.int(10)), title: d.text(), size: 1, preview: "" }),
  "proposal.create": (d, { documents, nodes }) => ({
    text: d.text(),
    options: d.chance() < 0.7 ? ["yes", "no", "x"] : d.pick([d.who(), d.who()], ["a", "A"], ["ß", "SS", "x"], ["one"]),
    binding: d.some(
      0.3,
      d.pick<Wish>(
        { effect: "own", document: d.known(documents.keys()) },
        { effect: "assign", node: d.known(nodes.keys()) },
        { effect: "merge", node: d.known(nodes.keys()) },
      ),
    ),
    voters: d.some(0.4, [d.actor(), d.actor()]),
    rule: d.pick("plurality", "majority", "unanimous"),
    quorum: d.chance() < 0.9 ? d.int(3) : 9,
    expires_seconds: d.some(0.5, d.pick(60, 3_153_600_000)),
  }),
  "proposal.vote": (d, { proposals }) => ({
    proposal: d.known(proposals.keys()),
    voter: d.voter,
    option: d.pick("yes", "NO", "x", "abstain", d.who()),
    reason: d.some(0.3, d.text()),
  }),
  "proposal.expire": (d, { proposals }) => ({ proposal: d.known(proposals.keys()) }),
  "proposal.withdraw": (d, { proposals }) => ({ proposal: d.known(proposals.keys()) }),
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
  "file.write": (d) => ({ path: d.pick("GOAL.md", ...junk), sha256: hash(d.int(10)) }),
  "file.edit": (d) => ({ path: d.pick("GOAL.md", ...junk), sha256: d.pick(null, hash(d.int(10))) }),
  "memory.ask": (d) => ({ by: "other", participant: "coordinator", question: d.text() || "?", notes: [] }),
  "memory.record": (d) => ({ participant: d.who(), path: "memory/a.md", outcome: d.pick("created", "appended") }),
  "workspace.base": (d) => ({
    kind: d.pick("repository", "folder"),
    base: hash(d.int(2)),
    branch: d.pick(null, "main"),
  }),
  "workspace.open": (d) => ({
    workspace: d.pick("r1", d.known(d.live())),
    from: hash(d.int(2)),
    merging: d.some(0.1, { node: d.known(d.live()), theirs: hash(3), base: hash(1) }),
  }),
  "workspace.keep": (d, { workspaces, seq }) => ({
    ...(d.chance() < 0.5
      ? { workspace: d.known(workspaces.keys()) }
      : { workspace: d.pick("r1", d.known(d.live())), scratch: true, upto: d.int(seq + 1) }),
    version: hash(d.int(4)),
    files: d.int(3),
    added: d.int(3),
    removed: d.int(3),
    left_out: d.chance() < 0.2 ? [{ path: "a", why: "large" }] : [],
    more_left_out: 0,
  }),
  "workspace.restore": (d) => ({
    workspace: d.pick("r1", d.known(d.live())),
    version: hash(d.int(4)),
    why: d.pick("missing", "damaged", "elsewhere"),
    files: 1,
    paths: ["a"],
    copy: d.pick("c1", "c2"),
  }),
  "workspace.merge": (d, { workspace, workspaces }) => ({
    workspace: d.known(workspaces.keys()),
    commit: hash(d.int(4)),
    integration: hash(d.int(6)),
    onto: d.chance() < 0.8 ? (workspace?.integration ?? workspace?.base ?? hash(0)) : hash(9),
  }),
  "workspace.hand_over": (d) => ({ as: d.pick("merge", "branch", "patch"), commit: hash(d.int(4)), into: "main" }),
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
};
/** An agent is moved before anybody here can want something of it (moved.test.ts). */
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
