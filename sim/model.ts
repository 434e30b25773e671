/**
 * A model that does anything: works, talks, idles, talks nonsense, breaks off. What it answers depends only on the seed, who asks and which
 * turn it is, so a call that is made again after a crash gets the same answer.
 *
 * It is also where the promises of a turn are watched: each request must be well formed, and each piece of mail must be shown in one turn only.
 */
import { type Backend, BackendError, type Part, type Request } from "../src/backend/backend.ts";
import type { Clock } from "../src/lib/world.ts";
import type { Line } from "../src/schema/worker.ts";
import { lookUp } from "./look-up.ts";
import { agentCommand, checkCommand } from "./processes.ts";
import type { SimRandom } from "./random.ts";
import type { Setup } from "./setup.ts";
import { chooseTogether, voteAsked } from "./teamwork.ts";

export interface Watch {
  violated(invariant: string, what: string): void;
  /** This turn's answer came to its end. */
  heard(request: Request): void;
  /** The provider counts this for the agent, whether or not anybody hears of it. */
  billed(agent: string, usd: number): void;
  /** A call begins for this participant; returns what to do when it ends. */
  calling(request: Request, life: number, signal: AbortSignal): () => void;
}

/** What a request costs, and each token of its answer; the longest answer. */
const asking = 0.001;
const perToken = 5e-7;
const longest = 16_000;

export function createModel(options: {
  random: SimRandom;
  setup: Setup["model"];
  window: Setup["window"];
  programs: boolean;
  cli: boolean;
  checks: boolean;
  project: boolean;
  /** How many agents there are to write to; none if they do not. */
  mail: number;
  /** Those in whose teams it takes part, if participants work together. */
  teams: readonly string[] | undefined;
  clock: Clock;
  agent: string;
  life: number;
  watch: Watch;
}): Backend {
  const { random, setup, window, programs, cli, checks, project, mail, teams, clock, agent, life, watch } = options;
  const tries = new Map<string, number>();
  return {
    ...(window ? { window: window.tokens } : {}),
    name: `sim/${agent}`,
    most: () => ({ output: longest, searches: 0 }),
    worst: ({ allowed }) => ({ usd: asking + (allowed?.output ?? longest) * perToken, tokens: 100 }),
    async *call(request, signal) {
      checkPairs(request, watch);
      const ended = watch.calling(request, life, signal);
      try {
        const dice = random.fork(`${agent} ${request.participant} ${request.turns}`);
        // Errors must not repeat for ever: they come from the harness's own stream, per try.
        const attempt = (tries.get(`${request.participant}.${request.turns}`) ?? 0) + 1;
        tries.set(`${request.participant}.${request.turns}`, attempt);
        const luck = random.fork(`${agent} ${request.participant} ${request.turns} try ${attempt}`);
        await wait(clock, 1 + luck.int(setup.slowMs), signal);
        if (luck.chance(setup.errors))
          throw new BackendError("transient", "overloaded", luck.chance(0.3) ? 2_000 : undefined);
        if (luck.chance(request.model.endsWith("/other") ? 0.3 : setup.errors / 20))
          throw new BackendError("permanent", "no such model");
        if (window && request.lines.length > 6 && luck.chance(window.overflows))
          throw new BackendError("overflow", "prompt is too long");
        const parts = within(
          request,
          answer(request, dice, setup, window, { programs, cli, checks, project, mail, teams }),
          agent,
          watch,
        );
        const cut = luck.chance(setup.cuts) ? luck.int(parts.length) : parts.length;
        watch.billed(agent, asking);
        for (const part of parts.slice(0, cut)) {
          await wait(clock, 1, signal);
          watch.billed(agent, tokensOf(part) * perToken);
          if (part.type === "end") watch.heard(request);
          yield part;
        }
      } finally {
        ended();
      }
    },
  };
}

/** A provider cuts an answer at the limit it was given, and asks for nothing then. */
function within(request: Request, parts: Part[], agent: string, watch: Watch): Part[] {
  const { allowed } = request;
  if (!allowed || allowed.output > longest) {
    watch.violated("I9", `${agent}: a call of ${request.participant} is allowed ${allowed?.output} tokens`);
    return parts;
  }
  let left = allowed.output;
  const given: Part[] = [];
  for (const part of parts) {
    if (part.type === "end") given.push(ended(part, allowed.output - left));
    else if (tokensOf(part) <= left) {
      given.push(part);
      left -= tokensOf(part);
    } else {
      const end = parts.at(-1) as End;
      const said = given.filter(({ type }) => type === "text");
      return [...said, { type: "text", text: "x".repeat(left * 4) }, { ...ended(end, allowed.output), stop: "length" }];
    }
  }
  return given;
}

type End = Extract<Part, { type: "end" }>;

const ended = (end: End, output: number): End => ({
  ...end,
  cost: { usd: asking + output * perToken, tokens: end.cost.tokens },
  usage: { ...end.usage!, output },
});

const tokensOf = (part: Part): number => (part.type === "text" ? Math.ceil(part.text.length / 4) : 0);

/** Rejects at once when the signal aborts. */
function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    clock.after(ms, resolve);
  });
}

function answer(
  request: Request,
  dice: SimRandom,
  { nonsense, text, haste }: Setup["model"],
  window: Setup["window"],
  others: Others,
): Part[] {
  const cost = { usd: 0, tokens: dice.int(100) };
  const input = window ? Math.min(window.tokens, request.lines.length * 4_000) : 0;
  const usage = { model: request.model, input, output: 0, cache_read: 0, cache_write: 0, priced: true };
  const end: Part = { type: "end", cost, usage };
  // Now and then it has much to say, longer than it may be allowed.
  const long = dice.chance(0.06) ? 1 + dice.int(3) : 0;
  const words = Array.from({ length: long }, (): Part => ({ type: "text", text: "so ".repeat(700 + dice.int(2_000)) }));
  if (dice.chance(text))
    return [{ type: "text", text: dice.pick(["I think.", "I think.", "@bea look at what @ann did"]) }, ...words, end];
  if (dice.chance(nonsense)) {
    const input = dice.pick([
      null,
      7,
      "x",
      [],
      {},
      { path: "../../x", content: "y" },
      { to: "nobody", content: "x" },
      { node_ids: ["n999"] },
    ]);
    const ids = dice.pick([["a", "a"], ["", ""], ["a"]]);
    const tool = dice.pick([
      "no_such_tool",
      "write_file",
      "send_message",
      "create_work_node",
      "wait_for_nodes",
      "publish",
      "finish",
    ]);
    return [...ids.map((id): Part => ({ type: "call", id, tool, input })), end];
  }
  if (request.participant === "reviewer") {
    // A worker that reviews may look for itself first.
    const look = request.tools.length > 0 && dice.chance(0.4);
    if (!look) return [{ type: "text", text: judgement(dice) }, end];
    const [tool, input] = dice.pick([
      ["bash", { command: checkCommand }],
      ["read_file", { path: dice.pick(["f1.md", "../x"]) }],
    ] as const);
    return [{ type: "call", id: "look", tool, input }, end];
  }
  const calls = Array.from({ length: 1 + dice.int(3) }, (_, index) => {
    if (haste && dice.chance(haste)) return endOf(request);
    // A stream of its own: the other choices stay what they were.
    const aside = dice.fork(`look up ${index}`);
    return others.teams && aside.chance(0.1) ? lookUp(aside) : choose(request, dice, others);
  });
  return [
    ...words,
    ...calls.map(([tool, input], index): Part => ({ type: "call", id: `c${index}`, tool, input })),
    end,
  ];
}

/** What a reviewer says; sometimes nothing that can be read. */
const judgement = (dice: SimRandom): string =>
  dice.pick([
    '{"passes": true, "findings": []}',
    '{"passes": true, "findings": [{"text": "fine"}]}',
    '{"passes": false, "findings": [{"file": "f1.md", "text": "not enough"}]}',
    '{"passes": false}',
    "I like it.",
  ]);

const endOf = ({ participant, node }: Request): [tool: string, input: unknown] =>
  participant === "coordinator"
    ? ["finish", { summary: "done" }]
    : node
      ? ["publish", { summary: "made it" }]
      : ["decline", { reason: "nothing to do" }];

/** Turns after which a participant writes to no other agent. */
const mostLetters = 12;

/** Who may be spawned besides workers with a model. */
export interface Others {
  programs: boolean;
  cli: boolean;
  /** Nodes are given checks. */
  checks?: boolean;
  /** It works on files of the user's, and what workers published is merged. */
  project?: boolean;
  /** How many agents there are to write to. */
  mail?: number;
  /** Those in whose teams it takes part; missing: participants do not write documents together, nor vote. */
  teams?: readonly string[] | undefined;
}

/** The model of a worker that an agent CLI drives. */
export const cliModel = "claude-code/sim";

/** Who chooses, and what it was shown. */
export type Asking = Pick<Request, "participant" | "turns" | "node" | "model"> & { lines?: readonly Line[] };

export function choose(
  { participant, turns, node, model, lines = [] }: Asking,
  dice: SimRandom,
  { programs, cli, checks, project, mail, teams }: Others,
): [tool: string, input: unknown] {
  const last = lines.at(-1);
  const newest = last?.role === "inbox" ? last.entries.at(-1)?.seq : undefined;
  const voters = [...new Set(["ann", participant, "bea", "human"])];
  if (teams && turns < mostLetters && dice.chance(teams.length ? 0.6 : 0.35))
    return chooseTogether(dice, voters, teams);
  const news = last?.role === "inbox" && teams && dice.chance(0.8) ? voteAsked(dice, last.entries) : undefined;
  if (news) return news;
  // Not for ever: a message opens a completed run again.
  if (mail && turns < mostLetters && dice.chance(participant === "coordinator" ? 0.4 : 0.05)) {
    if (dice.chance(0.1) && newest !== undefined)
      return [
        "decline",
        { reason: "not now", message: newest, ...(dice.chance(0.7) ? { later: dice.pick(["idle", 3, 40]) } : {}) },
      ];
    if (dice.chance(0.1)) return ["channel_read", dice.pick([{}, { query: "letter", limit: 3 }, { from: "human" }])];
    const content = dice.chance(0.1) ? `letter ${"word ".repeat(300)}${dice.int(1000)}` : `letter ${dice.int(1000)}`;
    const others = Array.from({ length: dice.chance(0.1) ? 2 : 1 }, () => `agent:a${1 + dice.int(mail + 1)}`);
    return [
      "send_message",
      { to: others.join(", "), content, ...(dice.chance(0.2) ? { priority: "background" } : {}) },
    ];
  }
  const spawn = (): [string, unknown] => [
    "spawn_worker",
    {
      name: dice.pick(["Ann", "Bea", "Cai"]),
      role: "works",
      ...(programs && dice.chance(0.6)
        ? { type: "autonomous", agent_command: agentCommand }
        : cli
          ? { model: dice.chance(0.7) ? cliModel : `sim/${model.split("/")[1]}` }
          : {}),
    },
  ];
  const names = ["ann", "bea", "cai", ...(teams ? ["gus"] : [])];
  const nodes = (n: number) => Array.from({ length: n }, () => `n${1 + dice.int(6)}-x`);
  const priority = () => (dice.chance(0.2) ? { priority: dice.pick(["immediate", "background"]) } : {});
  const say = (): [string, unknown] => [
    "send_message",
    { to: dice.pick([...names, "coordinator", "human", "*"]), content: `word ${dice.int(1000)}`, ...priority() },
  ];
  const add = (): [string, unknown] => [
    "create_work_node",
    {
      task: `task ${dice.int(100)}`,
      name: "x",
      depends_on: dice.chance(0.4) ? nodes(1 + dice.int(2)) : [],
      ...(dice.chance(0.2) ? { worker: dice.pick(names) } : {}),
      ...(dice.chance(0.1) ? { retry_of: `n${1 + dice.int(6)}` } : {}),
      ...(dice.chance(0.1) ? { suggestion: `sg${1 + dice.int(3)}` } : {}),
      ...(dice.chance(0.15) ? { max_turns: 1 + dice.int(2) } : {}),
      ...(dice.chance(0.1) ? { model: `sim/${model.split("/")[1]}/other` } : {}),
      ...(checks ? proof(dice, model) : {}),
    },
  ];
  const other = (): [string, unknown] => {
    const [node_id, worker_id] = [`n${1 + dice.int(6)}`, dice.pick(names)];
    const when = dice.pick([
      { type: "delayed", config: { delay_seconds: 1 + dice.int(20) } },
      { type: "on_event", config: { pattern: "node.*" } },
    ]);
    const next_stage = { name: `stage ${dice.int(3)}`, policy: dice.pick(["all", "majority", "any"]) };
    return dice.pick<[string, unknown]>([
      ["check_messages", dice.chance(0.5) ? { wait: true } : {}],
      ["checkpoint", { summary: "so far" }],
      ["decline", { reason: "nothing to do" }],
      ["schedule", { ...when, action: "look" }],
      ["cancel_trigger", { trigger_id: `t${1 + dice.int(4)}` }],
      ["resource_create", { title: "r", content: `text ${dice.int(3)}` }],
      ["send_message", { to: "coordinator", content: `long ${"word ".repeat(300)}${dice.int(3)}` }],
      ["suggest_next", { suggestion: "more" }],
      ["dismiss_suggestion", { suggestion: `sg${1 + dice.int(3)}`, reason: "no" }],
      ["read_file", { path: `nodes/n${1 + dice.int(6)}-x/failure_notes.md` }],
      ["edit_file", { path: `f${dice.int(3)}.md`, old: "text", new: "words" }],
      ["read_file", { path: dice.pick([`f${dice.int(3)}.md`, "_plan.md", `published/n${1 + dice.int(6)}-x/f1.md`]) }],
      ["list_files", { path: dice.pick([".", "published", "../x"]) }],
      ["search_files", { query: "text" }],
      ["memory_write", { path: dice.pick(["MEMORY.md", "memory/knowledge/x.md"]), content: `fact ${dice.int(100)}` }],
      ["memory_search", { query: "fact" }],
      ["memory_read", { path: "MEMORY.md" }],
      ["list_triggers", {}],
      ["resource_read", { id: "abcdef" }],
      ["read_ref", { ref_name: "p1" }],
      ["todo", { action: dice.pick(["add", "list"]), text: "later" }],
      ["check_board", {}],
      ["assign_worker", { node_id, worker_id }],
      ["cancel_node", { node_id, reason: "r" }],
      ["retire_worker", { worker_id }],
      ["reconvene", { assessment: "a", ...(dice.chance(0.7) ? { next_stage } : {}) }],
    ]);
  };
  if (project && turns > 1 && dice.chance(0.3)) return onProject(dice, participant === "coordinator") ?? spawn();
  if (turns > 1 && dice.chance(0.2)) return other();
  if (participant === "coordinator") {
    if (turns <= 1) return spawn();
    const luck = dice.next();
    if (luck < 0.3) return add();
    if (luck < 0.5) return ["wait_for_nodes", dice.chance(0.5) ? {} : { timeout_seconds: 1 + dice.int(30) }];
    if (luck < 0.6) return say();
    if (luck < 0.7) return spawn();
    if (luck < 0.75)
      return [
        "ask_human",
        { question: "what now?", ...(dice.chance(0.3) ? { deadline_seconds: 5, default: "go" } : {}) },
      ];
    if (luck < 0.8) return ["poke", {}];
    if (luck < 0.82) return ["write_plan", { content: `plan ${turns}` }];
    return turns > 2 ? ["finish", { summary: "done" }] : say();
  }
  const luck = dice.next();
  if (node && luck < 0.35)
    return ["publish", { summary: "made it", ...(dice.chance(0.3) ? { learned: `fact ${dice.int(9)}` } : {}) }];
  if (luck < 0.5) return ["write_file", { path: `f${dice.int(3)}.md`, content: `text ${dice.int(1000)}` }];
  if (luck < 0.65) return ["poke", {}];
  if (luck < 0.72) return ["program", {}];
  if (luck < 0.82) return say();
  if (luck < 0.87) return ["ask_human", { question: "may I?" }];
  if (luck < 0.93) return add();
  return ["wait_for_nodes", {}];
}

/** What is done with the user's files, besides making changes; undefined: a worker brings another. */
function onProject(dice: SimRandom, leads: boolean): [tool: string, input: unknown] | undefined {
  const node = () => `n${1 + dice.int(5)}`;
  const luck = dice.next();
  if (luck < (leads ? 0.6 : 0.2)) return ["merge", { node: node() }];
  if (luck < 0.8) {
    const task = { task: `task ${dice.int(100)}`, name: "x", depends_on: dice.chance(0.3) ? [node()] : [] };
    return ["create_work_node", { ...task, ...(dice.chance(0.5) ? { base: dice.pick(["base", node()]) } : {}) }];
  }
  return leads ? ["write_file", { path: `f${dice.int(3)}.md`, content: `text ${dice.int(1000)}` }] : undefined;
}

/** What a node must pass. */
function proof(dice: SimRandom, model: string): object {
  const all = [
    { run: checkCommand, ...(dice.chance(0.3) ? { seconds: 1 + dice.int(4) } : {}) },
    { file: "f1.md", matches: "[4-9]$" },
    { file: "f0.md", min_bytes: 1 },
    { links: true },
    { review: true, ...(dice.chance(0.4) ? { by: dice.pick(["ann", "bea", `sim/${model.split("/")[1]}`]) } : {}) },
  ];
  const checks = all.filter((_, at) => dice.chance([0.5, 0.1, 0.1, 0.15, 0.5][at]!));
  return { ...(checks.length ? { checks } : {}), ...(dice.chance(0.3) ? { if_unverified: "fail" } : {}) };
}

/** I8: before a call, every tool call has exactly one result, directly after the line that asked for it. */
function checkPairs({ lines, participant, turns }: Request, watch: Watch): void {
  let open: string[] = [];
  const bad = (line: Line, why: string) =>
    watch.violated("I8", `${participant} turn ${turns}: ${why} at ${JSON.stringify(line).slice(0, 200)}`);
  for (const line of lines) {
    if (line.role === "tool") {
      if (!open.includes(line.call)) bad(line, "a result without its call");
      open = open.filter((id) => id !== line.call);
    } else {
      if (open.length) bad(line, `no result for ${open.join(", ")}`);
      open = line.role === "assistant" ? line.calls.map((call) => call.id) : [];
    }
  }
  if (open.length)
    watch.violated("I8", `${participant} turn ${turns}: called again without a result for ${open.join(", ")}`);
  const last = lines.at(-1);
  // Who writes down what must survive goes on after it without news, at most twice in a row.
  const silent = (line: Line | undefined) => line?.role === "assistant" && line.calls.length === 0;
  if (silent(last) && silent(lines.at(-2)) && silent(lines.at(-3)))
    watch.violated("I8", `${participant} turn ${turns}: three answers in a row`);
}
