/**
 * The lines of the graph, as a few paths that hold many lines each, so that a big graph is still a handful of elements.
 *
 * Inside a section a line goes from what is needed to who needs it. Where a stage ends everything meets at its bar: each node of the stage
 * arrives at its own gate, and what begins after it leaves from the bar; so lines never tangle.
 */
import type { State } from "../../core/state.ts";
import type { CardView } from "./cards.ts";
import { barOf, card, type Place, type Plan, sectionOf, spotOf, top, xOf, yOf } from "./layout.ts";

export type Kind = "depends" | "spawned" | "suggested" | "done" | "working" | "chosen" | "why";

export interface Gate {
  x: number;
  y: number;
  look: CardView["look"];
}

export interface Bar {
  stage: string;
  x: number;
  height: number;
  /** It has reconvened. */
  over: boolean;
}

export interface Lines {
  paths: ReadonlyMap<Kind, { d: string; arrows: string; count: number }>;
  gates: readonly Gate[];
  bars: readonly Bar[];
}

export interface Drawn {
  state: State;
  plan: Plan;
  cards: readonly CardView[];
  /** Shown only as part of a stack: the id of the one in whose place it stands. */
  inside: ReadonlyMap<string, string>;
  suggestions: readonly { id: string; node?: string | undefined }[];
  chosen?: string | undefined;
  /** Nodes from one that waits down to its cause. */
  why: readonly string[];
}

export function linesOf({ state, plan, cards, inside, suggestions, chosen, why }: Drawn): Lines {
  const paths = new Map<Kind, { d: string; arrows: string; count: number }>();
  const drawn = new Set<string>();
  const put = (kind: Kind, d: string, arrow?: { x: number; y: number }) => {
    if (drawn.has(`${kind} ${d}`)) return;
    drawn.add(`${kind} ${d}`);
    const path = paths.get(kind) ?? { d: "", arrows: "", count: 0 };
    const arrows = arrow
      ? `M${arrow.x - 6} ${arrow.y - 3.5}L${arrow.x - 1} ${arrow.y}L${arrow.x - 6} ${arrow.y + 3.5}`
      : "";
    paths.set(kind, { d: path.d + d, arrows: path.arrows + arrows, count: path.count + 1 });
  };
  const spot = (id: string) => spotOf(plan, inside.get(id) ?? id);
  const between = (kind: Kind, from: string, to: string) => {
    const [a, b] = [spot(from), spot(to)];
    if (!a || !b || (a.x === b.x && a.y === b.y)) return;
    const [x, y, x2, y2] = [a.x + card.width, a.y + card.height / 2, b.x, b.y + card.height / 2];
    put(kind, x2 > x ? swing(x, y, x2, y2) : `M${x} ${y}L${x2} ${y2}`, { x: x2, y: y2 });
  };

  const staged = plan.sections.map(({ stage }) => stage !== undefined);
  const gates: Gate[] = [];
  const edge = edgesOf(plan);
  for (const { id, look, status } of cards) {
    const at = spot(id);
    const place = plan.at.get(id);
    const node = state.nodes.get(id);
    if (!at || !place || !node) continue;
    const section = sectionOf(plan, place.column);
    const y = at.y + card.height / 2;
    if (staged[section] && edge.last(place)) {
      const x = barOf(plan, section);
      const kind =
        status === "completed" ? "done" : look === "working" ? "working" : look === "waiting" ? "why" : "depends";
      if (status !== "cancelled") {
        put(kind, `M${at.x + card.width} ${y}H${x}`);
        if (!inside.has(id) || inside.get(id) === id) gates.push({ x, y, look });
      }
    }
    const own = node.depends_on.filter((need) => need !== node.parent);
    for (const need of own) {
      const other = plan.at.get(need);
      if (!other) continue;
      const from = sectionOf(plan, other.column);
      if (from === section || !staged[from] || !staged[section - 1]) between("depends", need, id);
    }
    if (section > 0 && staged[section - 1] && place.column === plan.sections[section]!.first) {
      const x = barOf(plan, section - 1);
      put("depends", `M${x} ${y}H${at.x}`, { x: at.x, y });
    }
    if (node.parent) elbow(node.parent, id);
  }

  function elbow(from: string, to: string): void {
    const [a, b] = [spot(from), spot(to)];
    if (!a || !b || (a.x === b.x && a.y === b.y)) return;
    const [x, y, y2] = [a.x + 28, a.y + card.height, b.y + card.height / 2 + 14];
    const mid = b.x - 20;
    // Down out of the card, along below it, and into the side.
    const low = y + 8;
    put("spawned", `M${x} ${y}V${low - 4}Q${x} ${low} ${x + 4} ${low}H${mid}V${y2}H${b.x}`, { x: b.x, y: y2 });
  }

  for (const { id, node } of suggestions) if (node) between("suggested", node, id);
  if (chosen !== undefined) {
    for (const need of state.nodes.get(chosen)?.depends_on ?? []) between("chosen", need, chosen);
    for (const { id } of cards) if (state.nodes.get(id)?.depends_on.includes(chosen)) between("chosen", chosen, id);
  }
  for (let index = 0; index + 1 < why.length; index++) between("why", why[index + 1]!, why[index]!);

  const tall = yOf(Math.max(1, ...plan.columns)) - 16;
  const bars = plan.sections.flatMap(({ stage }, section) =>
    stage === undefined || !state.stages.has(stage)
      ? []
      : [{ stage, x: barOf(plan, section), height: tall - top, over: state.stages.get(stage)?.status !== "running" }],
  );
  return { paths, gates, bars };
}

/** Straight where it can be, else a soft S. */
function swing(x: number, y: number, x2: number, y2: number): string {
  if (y === y2 && x2 - x < card.width) return `M${x} ${y}H${x2}`;
  const bend = Math.min(64, (x2 - x) / 2);
  return `M${x} ${y}C${x + bend} ${y} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** Whether anything stands right of a place in the same row of its section: then its line to the bar would go through it. */
function edgesOf(plan: Plan): { last(place: Place): boolean } {
  const ends = new Map<string, number>();
  for (const { column, row } of plan.at.values()) {
    const key = `${sectionOf(plan, column)} ${row}`;
    ends.set(key, Math.max(ends.get(key) ?? 0, column));
  }
  return { last: ({ column, row }) => ends.get(`${sectionOf(plan, column)} ${row}`) === column };
}

/** Heads of the sections that have a stage. */
export function headsOf(state: State, plan: Plan, cards: readonly CardView[]) {
  return plan.sections.flatMap(({ stage, first }, section) => {
    const known = stage === undefined ? undefined : state.stages.get(stage);
    if (!known) return [];
    const members = cards.filter((one) => one.stage === stage);
    const done = members.filter(({ status }) => status === "completed").length;
    const says =
      known.status === "completed" ? "done" : `${done} of ${members.length}, ${known.contract.max_turns} turns each`;
    return [{ stage: known, x: xOf(plan, first, section), name: known.name, says, done, count: members.length }];
  });
}
