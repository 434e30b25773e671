/**
 * Builds the prompt of one call from named parts (parts.ts) that compete for room (select.ts), most stable first, so that provider caches hit. What
 * changes from call to call (time, turns, money) comes last, as a note for this call only.
 */

import type { Request } from "../backend/backend.ts";
import { modelOf } from "../core/lookup.ts";
import { lead } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { isSingle, isWorker } from "../core/team/worker.ts";
import { isProgram, worksByFiles } from "../core/turn/driver.ts";
import { tokensOfLine } from "../core/turn/line.ts";
import { money } from "../lib/text/amounts.ts";
import { shortLine } from "../lib/text/text.ts";
import { estimateTokens } from "../lib/text/tokens.ts";
import type { Bill, ShownContext } from "../schema/context.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Line, Thinker } from "../schema/worker.ts";
import { asData } from "../toolkit/data.ts";
import { shapeOf, type Tool } from "../toolkit/tool.ts";
import type { Listing } from "./listing.ts";
import { type Part, type PartName, partNames } from "./parts.ts";
import * as prompts from "./prompts/index.ts";
import { type Choice, countOnce, selectParts, textOf, usualBudget } from "./select.ts";

/** Texts of the files, as last read. */
export interface Sources {
  soul: string;
  goal: string;
  memory: string;
  skills: string;
  spec: string;
  refs: string;
  files: string;
  /** Why the agent's project folder may not be read; empty if it may. */
  withheld: string;
  /** What else there is for this task (Shelf.parts). */
  parts?: readonly Part[];
}

export interface Moment {
  state: State;
  one: Thinker;
  now: number;
}

/** What stays the same from call to call. */
export interface Frame {
  system: string;
  /** Text by others: not for the system role. */
  data: string;
  tools: readonly ToolShape[];
  bill: Bill;
  /** What is in it, from where and why, and what was left out. */
  context: ShownContext;
}

export function frame(
  state: State,
  one: Thinker,
  { tools, further }: Pick<Listing, "tools" | "further">,
  sources: Sources,
  budget: number = usualBudget,
): Frame {
  const { shapes, schemas, guidance } = describe(tools);
  const own = systemParts(state, one, guidance, sources);
  const names = new Set(own.map(({ name }) => name));
  const more = sources.parts?.filter(({ name }) => names.has(name) || !hasOwnRules(state, one)) ?? [];
  const choices = selectParts([...own, ...more], budget);
  const bill: Bill = {};
  for (const name of partNames) {
    const text = textOf(choices.filter(({ part }) => part.name === name));
    if (text) bill[name] = countOnce(text);
  }
  bill.schemas = countOnce(schemas);
  return {
    system: textOf(choices.filter(({ part }) => !part.isData)),
    data: textOf(choices.filter(({ part }) => part.isData)),
    tools: [...shapes],
    bill,
    context: {
      parts: choices.map(factOf),
      tools: tools.map(({ name }) => name),
      ...(further.length ? { further: [...further] } : {}),
      budget,
    },
  };
}

const factOf = ({ part: { name, source, why, value }, tokens, shown }: Choice): ShownContext["parts"][number] => ({
  name,
  source,
  why,
  value,
  tokens,
  ...(shown === "whole" ? {} : { shown }),
});

/** A single call and a program by files are shown little, and only what is theirs. */
const hasOwnRules = (state: State, one: Thinker): boolean => isSingle(one) || worksByFiles(state, one);

/** A list of tools as it is shown: for the provider, as a text, and their guidance. */
interface Described {
  shapes: readonly ToolShape[];
  schemas: string;
  guidance: string;
}

/** A participant has the same list from call to call, and no tool ever changes. */
const described = new WeakMap<readonly Tool[], Described>();

function describe(tools: readonly Tool[]): Described {
  const known = described.get(tools);
  if (known) return known;
  const shapes = tools.map(shapeOf);
  const guided = tools.filter((tool) => tool.guidance);
  const guidance = `# Your tools\n${guided.map((tool) => `## ${tool.name}\n${tool.guidance}`).join("\n\n")}`;
  const made = { shapes, schemas: `[${shapes.map(written).join()}]`, guidance };
  described.set(tools, made);
  return made;
}

const asWritten = new WeakMap<ToolShape, string>();

function written(shape: ToolShape): string {
  const known = asWritten.get(shape) ?? JSON.stringify(shape);
  asWritten.set(shape, known);
  return known;
}

/** The bill is computed on demand: most requests are made without it. */
export function assemble(
  { system, data, tools, bill, context }: Frame,
  moment: Moment,
): { request: Request; readonly bill: Bill; context: ShownContext } {
  const { state, one } = moment;
  const lines = inSight(one);
  const said = note(moment);
  return {
    request: {
      model: modelOf(state, one) ?? state.agent?.model ?? "",
      participant: one.id,
      turns: one.turns,
      node: one.node,
      system,
      ...(data ? { data } : {}),
      lines,
      note: said,
      tools,
    },
    context,
    get bill() {
      return { ...bill, conversation: tokensOfConversation(lines), note: estimateTokens(said) };
    },
  };
}

function systemParts(state: State, one: Thinker, guidance: string, sources: Sources): Part[] {
  if (isSingle(one)) return singleParts(state, one, sources);
  if (worksByFiles(state, one)) return programParts(state, one, sources);
  const coordinates = one.kind === "coordinator";
  const led = lead(state) !== undefined;
  const others = [...state.participants.values()].filter((other) => isWorker(other) && !other.retired);
  const hasTeam = others.length > (coordinates ? 0 : 1);
  const leading = others.length || state.nodes.size ? prompts.leading : "";
  const mode = state.agent?.mode === "infinite" ? prompts.infinite : prompts.finite;
  return [
    rule("rules", rulesFor(state, one), "who it is and how it works"),
    rule("mode", coordinates ? mode : "", "whether the run ends"),
    rule("voices", prompts.voices, "whose words are orders"),
    rule("mastery", prompts.mastery, "ways of working that succeed"),
    rule("runbook", coordinates || sources.memory.trim() ? prompts.memory : "", "how its memory is kept"),
    rule("errors", prompts.errors, "what to do when something fails"),
    howTo(isProgram(state, one) ? `${prompts.cli}\n\n${guidance}` : guidance),
    rule("manners", coordinates ? leading : led && hasTeam ? prompts.team : "", "there is a team"),
    soul(coordinates ? sources.soul : soulOf(one), coordinates ? "SOUL.md" : "the log"),
    goal(state, one, sources),
    project(state, sources),
    {
      ...{ name: "skills", value: "task", source: "skills/", why: "it can read them when needed" },
      ...{ title: "Skills you can read up when you need them", text: sources.skills },
      brief: "There are skills that you can read up: `list_files` of skills/ names them.",
    },
    memory(sources),
    team(hasTeam ? roster(state, one) : ""),
    {
      ...{ name: "workflow", value: "always", source: "the workflow", why: "the team was declared" },
      ...{ title: "The declared team", text: coordinates ? writtenDown(state) : "" },
    },
    node(state, one, sources, `Your node ${one.node}`),
    {
      ...{ name: "files", value: "task", source: "scratch/", why: "the conversation was compacted" },
      ...{ title: "Your own files", text: sources.files, score: 3, brief: "`list_files` shows your own files." },
    },
    refs(sources),
  ];
}

const rule = (name: PartName, text: string, why: string): Part => ({
  name,
  value: "always",
  source: "prompts",
  why,
  text,
});

const howTo = (text: string): Part => ({
  ...{ name: "tools", value: "always", source: "the tools it is offered", why: "how to use them well", text },
});

const soul = (text: string, source: string): Part => ({
  ...{ name: "soul", value: "always", source, why: "its identity", title: "Who you are", text },
});

const goal = (state: State, one: Thinker, sources: Sources): Part => ({
  ...{ name: "goal", value: "always", source: "GOAL.md", why: "what all of it is for", text: goalOf(state, sources) },
  title: one.kind === "coordinator" ? "Your goal" : "What the whole team works for",
});

const project = (state: State, sources: Sources): Part => ({
  ...{ name: "project", value: "always", source: "the project folder", why: "the agent was given one" },
  text: projectOf(state, sources),
});

const memory = ({ memory: text }: Sources): Part => ({
  ...{ name: "memory", value: "task", source: "memory/", why: "what it knows from before", text },
  ...{
    title: "What you remember",
    score: 2,
    brief: "Your memory is not shown: find what you need with `memory_search`.",
  },
});

const team = (text: string): Part => ({
  ...{ name: "team", value: "always", source: "the log", why: "who else is there", title: "The team", text },
});

const node = (state: State, one: Thinker, { spec }: Sources, title: string): Part => ({
  ...{ name: "node", value: "always", source: "_spec.md", why: "the node it holds", title },
  text: one.node && state.nodes.has(one.node) ? spec : "",
});

const refs = ({ refs: text }: Sources): Part => ({
  ...{ name: "refs", value: "task", source: "published/", why: "its inputs", isData: true, score: 4, text },
  ...{ title: "What others published for you", brief: "Others published inputs for you: `read_ref` reads them." },
});

function rulesFor(state: State, one: Thinker): string {
  if (one.kind === "coordinator") return prompts.fill(prompts.coordinator, { name: state.agent?.id ?? one.name });
  const who = { name: one.name, role: roleOf(one) };
  return lead(state) ? prompts.fill(prompts.worker, who) : prompts.fill(prompts.member, { ...who, id: one.id });
}

const soulOf = (one: Thinker): string => ("soul" in one && one.soul) || "";
const roleOf = (one: Thinker): string => ("role" in one && one.role ? `: ${one.role}` : "");

/** The task of a program with its own loop. */
function programParts(state: State, one: Thinker, sources: Sources): Part[] {
  return [
    rule(
      "rules",
      prompts.fill(prompts.autonomous, { name: one.name, role: roleOf(one) }),
      "how it works with the team",
    ),
    soul(soulOf(one), "the log"),
    goal(state, one, sources),
    project(state, sources),
    team(roster(state, one)),
    ...singleParts(state, one, sources).slice(2),
  ];
}

/** A single call needs no ways of working: who it is, what is wanted, what it has. */
function singleParts(state: State, one: Thinker, sources: Sources): Part[] {
  return [
    rule("rules", prompts.fill(prompts.single, { name: one.name, role: roleOf(one) }), "how it answers"),
    soul(soulOf(one), "the log"),
    memory(sources),
    node(state, one, sources, "Your task"),
    refs(sources),
  ];
}

/** A run may have a goal of its own, within the agent's. */
function goalOf({ agent, run }: State, { goal }: Sources): string {
  const lasting = goal.trim() || agent?.goal || "";
  return run && run.goal !== agent?.goal ? `${lasting}\n\nIn this run: ${run.goal}` : lasting;
}

function projectOf({ agent }: State, { withheld }: Sources): string {
  if (agent?.folder === undefined) return "";
  const { folder } = agent;
  return withheld
    ? prompts.fill(prompts.withheld, { folder, why: withheld })
    : prompts.fill(prompts.project, { folder });
}

/** What exists already, so that nobody makes it a second time. */
function writtenDown({ run }: State): string {
  if (!run?.team) return "";
  const { workflow, workers, nodes, stages, coordinator } = run.team;
  const from = workflow ? `The workflow ${workflow}` : "Your human";
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).join(", ");
  const declared = prompts.fill(prompts.workflow, {
    from,
    workers: names(workers),
    nodes: nodes.length ? ` ${prompts.fill(prompts.plannedNodes, { count: nodes.length })}` : "",
    stages: stages.length ? ` ${prompts.fill(prompts.plannedStages, { names: names(stages) })}` : "",
  });
  return coordinator?.prompt ? `${declared}\n\n${coordinator.prompt}` : declared;
}

function roster(state: State, me: Thinker): string {
  const lines: string[] = [];
  for (const one of state.participants.values()) {
    if (one.kind === "human" || one.id === me.id || one.retired) continue;
    lines.push(`- ${one.name}${"role" in one && one.role ? `: ${one.role.split("\n")[0]}` : ""}`);
  }
  return lines.join("\n");
}

function note({ state, one, now }: Moment): string {
  const node = one.node ? state.nodes.get(one.node) : undefined;
  const run = state.accounts.get("run");
  const agent = state.accounts.get("agent");
  const limit = run?.limit.usd ?? agent?.limit.usd;
  const spent = (run?.limit.usd === undefined ? agent : run)?.spent.usd ?? 0;
  return [
    `It is ${new Date(now).toISOString().slice(0, 16)} UTC.`,
    node ? `This is turn ${Math.max(1, node.turns)} of ${node.max_turns} for ${node.id}.` : "",
    limit === undefined ? "" : `Spent so far: ${money(spent)} of ${money(limit)}.`,
    one.shortened && one.turns - one.shortened.turn <= 1
      ? prompts.fill(prompts.shortened, { turns: one.shortened.dropped })
      : "",
    one.full ? prompts.flush : "",
    one.conversation.findLast((line) => line.role === "assistant")?.stop === "length" ? prompts.cut : "",
    lately(state, one),
  ]
    .filter(Boolean)
    .join(" ");
}

const mostLately = 8;
const longestLately = 300;

/** Where nobody leads, what others said to each other: without it nobody knows how far the work is. It is data. */
function lately(state: State, me: Thinker): string {
  if (lead(state)) return "";
  const others = state.channel.filter(({ from, to }) => from !== me.id && !to.includes(me.id)).slice(-mostLately);
  const lines = others.map(({ from, to, text }) => `${from} to ${to.join(", ")}: ${shortLine(text, longestLately)}`);
  return lines.length ? `\n\nLately, between others:\n${asData({ from: "the channel", text: lines.join("\n") })}` : "";
}

/** Everything; or, after the provider refused that as too large, the end of it, smaller with each retry. */
function inSight(one: Thinker): readonly Line[] {
  if (one.full?.why !== "overflow") return one.conversation;
  const half = Math.floor(tokensOf(one.conversation) / 2 ** one.full.tries);
  const most = Math.min(half, one.full.room ?? half);
  let tokens = 0;
  let from = one.conversation.length;
  while (from > 0) {
    tokens += tokensOf([one.conversation[from - 1]!]);
    if (tokens > most && from < one.conversation.length) break;
    from--;
  }
  while (from < one.conversation.length && one.conversation[from]!.role === "tool") from++;
  return one.conversation.slice(from);
}

/** The lines of a conversation as they were counted last, and the sum up to each. */
const counted = new WeakMap<readonly Line[], { lines: Line[]; sums: number[] }>();

/** The same as `tokensOf`, for a list that grows from turn to turn: only what is new since the last time is looked up. */
export function tokensOfConversation(conversation: readonly Line[]): number {
  const { lines, sums } = counted.get(conversation) ?? { lines: [], sums: [] };
  let same = 0;
  while (same < lines.length && lines[same] === conversation[same]) same++;
  lines.length = sums.length = same;
  for (const line of conversation.slice(same)) {
    lines.push(line);
    sums.push((sums.at(-1) ?? 0) + tokensOfLine(line));
  }
  counted.set(conversation, { lines, sums });
  return sums.at(-1) ?? 0;
}

/** A line never changes, so each is counted once; which lines there are is checked every time. */
export function tokensOf(lines: readonly Line[]): number {
  let sum = 0;
  for (const line of lines) sum += tokensOfLine(line);
  return sum;
}
