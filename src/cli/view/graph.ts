/**
 * The work graph in letters: one line a node, what it depends on above it, and rails on the left that lead from a node to all that wait for
 * it. Pure. Every line fits the width; where there are more rails than room, the rest is left out and said in words.
 */
import { evidenceOf } from "../../core/board/check.ts";
import type { State } from "../../core/state.ts";
import type { Node } from "../../schema/node.ts";
import { clean, truncate } from "../terminal/text.ts";
import { short } from "./labels.ts";
import { type Colors, mark } from "./mark.ts";

export interface GraphLook {
  width: number;
  colors: Colors;
}

/** Rails beside each other that are still drawn. */
const mostRails = 12;

export function graph(state: State, { width, colors }: GraphLook): string[] {
  const nodes = inOrder([...state.nodes.values()]);
  const left = new Map(nodes.map(({ id }) => [id, 0]));
  for (const { depends_on } of nodes) for (const need of depends_on) left.set(need, (left.get(need) ?? 0) + 1);
  /** Who has a rail in which place, as long as somebody below waits for it. */
  const rails: (string | undefined)[] = [];
  let stage: string | undefined;
  const lines: string[] = [];
  for (const node of nodes) {
    if (node.stage !== stage && state.stages.size > 1) {
      const named = state.stages.get(node.stage ?? "");
      if (named) lines.push(colors.dim(truncate(`${rest(rails)}── ${clean(named.name)} ──`, width)));
    }
    stage = node.stage;
    const drawn = place(rails, node, left);
    const { glyph, word, paint } = mark(node, colors);
    const who = "worker" in node && node.worker ? (state.participants.get(node.worker)?.name ?? node.worker) : "";
    const proof = evidenceOf(node);
    const needs = node.depends_on.length ? `  ← ${node.depends_on.map(short).join(", ")}` : "";
    const text = `${short(node.id)} ${clean(node.name)}  ${word}${proof ? `, ${proof}` : ""}${who ? `, ${clean(who)}` : ""}${needs}`;
    const gutter = drawn.slice(0, mostRails * 2).join("");
    lines.push(colors.dim(gutter).replace("●", paint(glyph)) + truncate(` ${text}`, width - gutter.length));
  }
  return lines;
}

/** What a node depends on stands above it; otherwise as they were made. */
function inOrder(nodes: readonly Node[]): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const placed = new Set<string>();
  const found: Node[] = [];
  const put = (node: Node): void => {
    if (placed.has(node.id)) return;
    placed.add(node.id);
    for (const need of node.depends_on) if (byId.has(need)) put(byId.get(need)!);
    found.push(node);
  };
  nodes.forEach(put);
  return found;
}

/** Draws the node's line between the rails, and leaves the rails as they are below it. */
function place(rails: (string | undefined)[], node: Node, left: Map<string, number>): string[] {
  const needs = new Set(node.depends_on);
  const joined = new Map<number, boolean>(); // a rail that leads to this node; true if it ends here
  rails.forEach((id, at) => {
    if (id === undefined || !needs.has(id)) return;
    left.set(id, left.get(id)! - 1);
    joined.set(at, left.get(id) === 0);
  });
  const ends = [...joined].find(([, over]) => over)?.[0];
  const free = rails.indexOf(undefined);
  const here = ends ?? (free < 0 ? rails.length : free);
  const [first, last] = [Math.min(here, ...joined.keys()), Math.max(here, ...joined.keys())];
  const drawn: string[] = [];
  for (let at = 0; at < Math.max(rails.length, here + 1); at++) {
    const inside = at >= first && at <= last;
    if (at === here) drawn.push("●");
    else if (joined.has(at)) drawn.push(corner(joined.get(at)!, at === first, at === last));
    else if (inside) drawn.push(rails[at] === undefined ? "─" : "┼");
    else drawn.push(rails[at] === undefined ? " " : "│");
    drawn.push(inside && at < last ? "─" : " ");
  }
  for (const [at, over] of joined) if (over) rails[at] = undefined;
  rails[here] = left.get(node.id)! > 0 ? node.id : undefined;
  while (rails.length && rails.at(-1) === undefined) rails.pop();
  return drawn;
}

function corner(over: boolean, first: boolean, last: boolean): string {
  if (over) return first ? "╰" : last ? "╯" : "┴";
  return first ? "├" : last ? "┤" : "┼";
}

const rest = (rails: readonly (string | undefined)[]): string =>
  rails.map((id) => (id === undefined ? "  " : "│ ")).join("");
