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
import { type Need, needsOf, taskOf, whyNeeded } from "../toolkit/need.ts";
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

export function listTools(state: State, one: Thinker, granted: readonly Tool[], hasMemory: boolean): Listing {
  const isThere = (name: string) => granted.some((tool) => tool.name === name);
  if (!isThere(discovery.find) || !isThere(discovery.use)) return { tools: granted, offered: {}, further: [] };
  const others = listedOthers(state, one, granted);
  const wanted = new Set([...(state.agent?.tools ?? []), ...(("tools" in one && one.tools) || [])]);
  const role = one.kind === "coordinator" ? "coordinator" : "worker";
  const isFixed = ({ name, offer }: Tool) =>
    wanted.has(name) || others.has(name) || offer?.always === "everyone" || offer?.always === role;
  const fixed = granted.filter(isFixed);
  const before = (one.offered ?? []).flatMap(
    (name) => granted.find((tool) => tool.name === name && !isFixed(tool)) ?? [],
  );
  const listed = new Set([...fixed, ...before]);
  const rest = granted.filter((tool) => !listed.has(tool));
  const offered = newlyOffered(state, one, rest, hasMemory);
  const now = rest.filter(({ name }) => name in offered);
  return {
    tools: [...fixed, ...before, ...now],
    offered,
    further: rest.flatMap(({ name }) => (name in offered ? [] : [name])),
  };
}

function newlyOffered(state: State, one: Thinker, rest: readonly Tool[], hasMemory: boolean): Record<string, string> {
  const needs = needsOf(state, one, hasMemory);
  const task = taskOf(state, one).toLowerCase();
  const offered: Record<string, string> = {};
  for (const { name, offer } of rest) {
    const reason = reasonFor(offer?.when, needs) ?? cueFor(offer?.cues, task);
    if (reason !== undefined) offered[name] = reason;
  }
  const changes = Object.keys(offered).length > 0;
  const isVisible = one.conversation.some((line) => line.role === "tool" && line.tool === discovery.find);
  if (changes || !isVisible)
    for (const name of one.found ?? [])
      if (rest.some((tool) => tool.name === name)) offered[name] ??= `found with ${discovery.find}`;
  return offered;
}

function reasonFor(when: readonly Need[] | undefined, needs: ReadonlySet<Need>): string | undefined {
  const need = when?.find((each) => needs.has(each));
  return need && whyNeeded(need);
}

function cueFor(cues: string | undefined, task: string): string | undefined {
  const found = cues && patternOf(cues).exec(task);
  return found ? `the task says “${found[0]}”` : undefined;
}

/** Made once: every turn of everyone asks. */
const patterns = new Map<string, RegExp>();

function patternOf(cues: string): RegExp {
  const pattern = patterns.get(cues) ?? new RegExp(`\\b(?:${cues.split(", ").join("|")})\\b`);
  patterns.set(cues, pattern);
  return pattern;
}

/** All, if they fit; else those that the goal and the node speak of, as far as they fit. */
function listedOthers(state: State, one: Thinker, granted: readonly Tool[]): Set<string> {
  const others = granted.filter(({ offer }) => offer === undefined);
  const size = (tool: Tool) => countOnce(JSON.stringify(shapeOf(tool))) + countOnce(tool.guidance);
  let left = roomForOthers;
  if (others.reduce((sum, tool) => sum + size(tool), 0) <= left) return new Set(others.map(({ name }) => name));
  const found = findTools(others, taskOf(state, { ...one, unread: [] }), others.length);
  const fit = found.filter((tool) => {
    const fits = size(tool) <= left;
    if (fits) left -= size(tool);
    return fits;
  });
  return new Set(fit.map(({ name }) => name));
}
