/**
 * Builds the prompt of one call from named parts, most stable first, so that provider caches hit. What changes from call to call (time, turns,
 * money) comes last, as a note for this call only.
 */
import type { Request } from "../backend/backend.ts";
import { modelOf } from "../core/lookup.ts";
import { lead } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { isSingle, isWorker } from "../core/team/worker.ts";
import { isProgram, worksByFiles } from "../core/turn/driver.ts";
import { tokensOfLine } from "../core/turn/line.ts";
import { shortLine } from "../lib/text.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { Bill } from "../schema/context.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Line, Thinker } from "../schema/worker.ts";
import { asData } from "../toolkit/data.ts";
import { shapeOf, type Tool } from "../toolkit/tool.ts";
import type { PartName } from "./parts.ts";
import * as prompts from "./prompts/index.ts";

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
}

export function frame(state: State, one: Thinker, tools: readonly Tool[], sources: Sources): Frame {
  const { shapes, schemas, guidance } = describe(tools);
  const shown = systemParts(state, one, guidance, sources).filter(([, text]) => text);
  const bill: Bill = {};
  for (const [name, text] of shown) bill[name] = countOnce(text);
  bill.schemas = countOnce(schemas);
  const textOf = (isData: boolean) =>
    shown.flatMap(([name, text]) => ((name === "refs") === isData ? [text] : [])).join("\n\n");
  return { system: textOf(false), data: textOf(true), tools: [...shapes], bill };
}

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
  const made = { shapes, schemas: `[${shapes.map(textOf).join()}]`, guidance };
  described.set(tools, made);
  return made;
}

const written = new WeakMap<ToolShape, string>();

function textOf(shape: ToolShape): string {
  const known = written.get(shape) ?? JSON.stringify(shape);
  written.set(shape, known);
  return known;
}

/** Most parts are the same for everyone, and are cached. */
const counts = new Map<string, number>();

function countOnce(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  const tokens = estimateTokens(text);
  if (counts.size >= 256) counts.clear();
  counts.set(text, tokens);
  return tokens;
}

/** The bill is computed on demand: most requests are made without it. */
export function assemble(
  { system, data, tools, bill }: Frame,
  moment: Moment,
): { request: Request; readonly bill: Bill } {
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
    get bill() {
      return { ...bill, conversation: tokensOf(lines), note: estimateTokens(said) };
    },
  };
}

function systemParts(state: State, one: Thinker, guidance: string, sources: Sources): [PartName, string][] {
  if (isSingle(one)) return singleParts(state, one, sources);
  if (worksByFiles(state, one)) return programParts(state, one, sources);
  const coordinates = one.kind === "coordinator";
  const led = lead(state) !== undefined;
  const others = [...state.participants.values()].filter((other) => isWorker(other) && !other.retired);
  const node = one.node ? state.nodes.get(one.node) : undefined;
  return [
    ["rules", rulesFor(state, one)],
    ["mode", coordinates ? (state.agent?.mode === "infinite" ? prompts.infinite : prompts.finite) : ""],
    ["voices", prompts.voices],
    ["mastery", prompts.mastery],
    ["runbook", prompts.memory],
    ["errors", prompts.errors],
    ["tools", isProgram(state, one) ? `${prompts.cli}\n\n${guidance}` : guidance],
    ["manners", led && others.length > (coordinates ? 0 : 1) ? prompts.team : ""],
    ["soul", titled("Who you are", coordinates ? sources.soul : soulOf(one))],
    ["goal", titled(coordinates ? "Your goal" : "What the whole team works for", goalOf(state, sources))],
    ["project", projectOf(state, sources)],
    ["skills", titled("Skills you can read up when you need them", sources.skills)],
    ["memory", titled("What you remember", sources.memory)],
    ["team", others.length > (coordinates ? 0 : 1) ? titled("The team", roster(state, one)) : ""],
    ["workflow", coordinates ? titled("The declared team", writtenDown(state)) : ""],
    ["node", node ? titled(`Your node ${node.id}`, sources.spec) : ""],
    ["files", sources.files ? titled("Your own files", sources.files) : ""],
    ["refs", titled("What others published for you", sources.refs)],
  ];
}

function rulesFor(state: State, one: Thinker): string {
  if (one.kind === "coordinator") return prompts.fill(prompts.coordinator, { name: state.agent?.id ?? one.name });
  return prompts.fill(lead(state) ? prompts.worker : prompts.member, { name: one.name, role: roleOf(one) });
}

const soulOf = (one: Thinker): string => ("soul" in one && one.soul) || "";
const roleOf = (one: Thinker): string => ("role" in one && one.role ? `: ${one.role}` : "");

/** The task of a program with its own loop. */
function programParts(state: State, one: Thinker, sources: Sources): [PartName, string][] {
  return [
    ["rules", prompts.fill(prompts.autonomous, { name: one.name, role: roleOf(one) })],
    ["soul", titled("Who you are", soulOf(one))],
    ["goal", titled("What the whole team works for", goalOf(state, sources))],
    ["project", projectOf(state, sources)],
    ["team", titled("The team", roster(state, one))],
    ...singleParts(state, one, sources).slice(2),
  ];
}

/** A single call needs no ways of working: who it is, what is wanted, what it has. */
function singleParts(state: State, one: Thinker, sources: Sources): [PartName, string][] {
  const node = one.node ? state.nodes.get(one.node) : undefined;
  return [
    ["rules", prompts.fill(prompts.single, { name: one.name, role: roleOf(one) })],
    ["soul", titled("Who you are", soulOf(one))],
    ["memory", titled("What you remember", sources.memory)],
    ["node", node ? titled("Your task", sources.spec) : ""],
    ["refs", titled("What others published for you", sources.refs)],
  ];
}

const titled = (title: string, text: string): string => (text.trim() ? `# ${title}\n${text.trim()}` : "");

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
    limit === undefined ? "" : `Spent so far: $${spent.toFixed(2)} of $${limit.toFixed(2)}.`,
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

/** A line never changes, so each is counted once; which lines there are is checked every time. */
export function tokensOf(lines: readonly Line[]): number {
  let sum = 0;
  for (const line of lines) sum += tokensOfLine(line);
  return sum;
}
