/**
 * Which of its tools a participant finds in its prompt: a small set always, others once its task shows the need. All the rest is one call away: find_tools
 * describes it, use_tool calls it.
 *
 * Always holds: what was listed once stays listed, in the same place, for the rest of the conversation (the log has it: turn.started, offered); new tools come
 * after the others. A tool that find_tools described is listed only when the prompt changes anyway, because a list that changes costs the provider's
 * whole cache. Who cannot find tools (a program, a worker with a list of its own) is listed all of them.
 * Not here: who may call what (runtime/participant/participant-context.ts): a tool that is not listed can still be called.
 */
import type { State } from "../core/state.ts";
import { discovery } from "../schema/tool.ts";
import type { Thinker } from "../schema/worker.ts";
import { mailOf, type Need, needsOf, taskOf, whyNeeded } from "../toolkit/need.ts";
import { shapeOf, type Tool } from "../toolkit/tool.ts";
import { findTools } from "../toolkit/tool-search.ts";
import { countOnce } from "./select.ts";

export interface Listing {
  tools: readonly Tool[];
  /** Of these, what comes with the next turn, each with the reason. */
  offered: Readonly<Record<string, string>>;
  /** What it may call and is not listed. */
  further: readonly string[];
}

/** Tokens for tools of servers and of the user; beyond that they are found. */
const roomForOthers = 2_000;

/** What stays the same from turn to turn, as long as the tools, the goal and the node do. */
interface Arrangement {
  of: readonly unknown[];
  fixed: readonly Tool[];
  before: readonly Tool[];
  rest: readonly Tool[];
  /** What of the rest the goal and the node speak of. */
  cued: ReadonlyMap<Tool, string>;
}

/** Lists the tools of one participant, and remembers what every turn would find again. */
export function createListing(): (state: State, one: Thinker, granted: readonly Tool[], hasMemory: boolean) => Listing {
  let known: Arrangement | undefined;
  return (state, one, granted, hasMemory) => {
    const isThere = (name: string) => granted.some((tool) => tool.name === name);
    if (!isThere(discovery.find) || !isThere(discovery.use)) return { tools: granted, offered: {}, further: [] };
    known = arrange(state, one, granted, known);
    const { fixed, before, rest } = known;
    const offered = newlyOffered(state, one, known, hasMemory);
    const now = rest.filter(({ name }) => name in offered);
    return {
      tools: [...fixed, ...before, ...now],
      offered,
      further: rest.flatMap(({ name }) => (name in offered ? [] : [name])),
    };
  };
}

function arrange(state: State, one: Thinker, granted: readonly Tool[], known: Arrangement | undefined): Arrangement {
  const own = "tools" in one ? one.tools : undefined;
  const { agent, run, nodes } = state;
  const of = [granted, agent?.tools, own, one.offered, one.kind, agent?.goal, run?.goal, nodes.get(one.node ?? "")];
  if (known && of.every((value, at) => value === known.of[at])) return known;
  const task = taskOf(state, { ...one, unread: [] });
  const others = listedOthers(granted, task);
  const wanted = new Set([...(agent?.tools ?? []), ...(own ?? [])]);
  const role = one.kind === "coordinator" ? "coordinator" : "worker";
  const isFixed = ({ name, offer }: Tool) =>
    wanted.has(name) || others.has(name) || offer?.always === "everyone" || offer?.always === role;
  const fixed = granted.filter(isFixed);
  const before = (one.offered ?? []).flatMap(
    (name) => granted.find((tool) => tool.name === name && !isFixed(tool)) ?? [],
  );
  const listed = new Set([...fixed, ...before]);
  const rest = granted.filter((tool) => !listed.has(tool));
  return { of, fixed, before, rest, cued: cuesIn(task, rest) };
}

function newlyOffered(
  state: State,
  one: Thinker,
  { rest, cued }: Arrangement,
  hasMemory: boolean,
): Record<string, string> {
  const needs = needsOf(state, one, hasMemory);
  const mail = mailOf(one);
  const mailed = mail ? cuesIn(mail, rest) : undefined;
  const offered: Record<string, string> = {};
  for (const tool of rest) {
    const reason = reasonFor(tool.offer?.when, needs) ?? cued.get(tool) ?? mailed?.get(tool);
    if (reason !== undefined) offered[tool.name] = reason;
  }
  const found = one.found ?? [];
  if (found.length === 0) return offered;
  const changes = Object.keys(offered).length > 0;
  const isVisible = one.conversation.some((line) => line.role === "tool" && line.tool === discovery.find);
  if (changes || !isVisible)
    for (const name of found)
      if (rest.some((tool) => tool.name === name)) offered[name] ??= `found with ${discovery.find}`;
  return offered;
}

function reasonFor(when: readonly Need[] | undefined, needs: ReadonlySet<Need>): string | undefined {
  const need = when?.find((each) => needs.has(each));
  return need && whyNeeded(need);
}

/** Which tools a text of the task speaks of, and in which word. */
function cuesIn(text: string, tools: readonly Tool[]): Map<Tool, string> {
  const task = text.toLowerCase();
  const cued = new Map<Tool, string>();
  for (const tool of tools) {
    const cue = tool.offer?.cues && patternOf(tool.offer.cues).exec(task);
    if (cue) cued.set(tool, `the task says “${cue[0]}”`);
  }
  return cued;
}

/** Made once: every turn of everyone asks. */
const patterns = new Map<string, RegExp>();

function patternOf(cues: string): RegExp {
  const pattern = patterns.get(cues) ?? new RegExp(`\\b(?:${cues.split(", ").join("|")})\\b`);
  patterns.set(cues, pattern);
  return pattern;
}

/** All, if they fit; else those that the goal and the node speak of, as far as they fit. */
function listedOthers(granted: readonly Tool[], task: string): Set<string> {
  const others = granted.filter(({ offer }) => offer === undefined);
  const size = (tool: Tool) => countOnce(JSON.stringify(shapeOf(tool))) + countOnce(tool.guidance);
  let left = roomForOthers;
  if (others.reduce((sum, tool) => sum + size(tool), 0) <= left) return new Set(others.map(({ name }) => name));
  const found = findTools(others, task, others.length);
  const fit = found.filter((tool) => {
    const fits = size(tool) <= left;
    if (fits) left -= size(tool);
    return fits;
  });
  return new Set(fit.map(({ name }) => name));
}
