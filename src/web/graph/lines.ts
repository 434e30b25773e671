/**
 * The lines of the graph, as a few paths that hold many lines each, so that a big graph is still a handful of elements.
 *
 * Inside a section a line goes from what is needed to who needs it. Where a stage ends everything meets at its bar: each node of the stage
 * arrives at its own gate, and what begins after it leaves from the bar; so lines never tangle. How a line runs: routes.ts.
 */
import type { State } from "../../core/state.ts";
import type { CardView } from "./cards.ts";
import { barOf, cardRows, type Plan, sectionOf, spotOf, topMargin, xOf, yOf } from "./layout.ts";
import { groundOf, middle, type Point, partOf, routeOf, through } from "./routes.ts";

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
  /** What is waited for and who waits for it, along the chain that is lit. */
  why: readonly (readonly [need: string, node: string])[];
}

export function linesOf({ state, plan, cards, inside, suggestions, chosen, why }: Drawn): Lines {
  const paths = new Map<Kind, { d: string; arrows: string; count: number }>();
  const drawn = new Set<string>();
  const put = (kind: Kind, points: readonly Point[], arrow = true) => {
    const d = through(points);
    if (drawn.has(`${kind} ${d}`)) return;
    drawn.add(`${kind} ${d}`);
    const path = paths.get(kind) ?? { d: "", arrows: "", count: 0 };
    const [x, y] = points.at(-1)!;
    const arrows = arrow ? `M${x - 6} ${y - 3.5}L${x - 1} ${y}L${x - 6} ${y + 3.5}` : "";
    paths.set(kind, { d: path.d + d, arrows: path.arrows + arrows, count: path.count + 1 });
  };
  const seen = (id: string) => inside.get(id) ?? id;
  const end = (id: string) => {
    const [place, spot] = [plan.at.get(seen(id)), spotOf(plan, seen(id))];
    return place && spot ? { place, spot } : undefined;
  };
  const shown = [...cards.map(({ id }) => id).filter((id) => seen(id) === id), ...suggestions.map(({ id }) => id)];
  const places = shown.flatMap((id) => plan.at.get(id) ?? []);
  const ground = groundOf(plan, places);
  const lanes = lanesOf(state, plan, shown, seen);
  const between = (kind: Kind, from: string, to: string) => {
    const [a, b] = [end(from), end(to)];
    if (!a || !b || seen(from) === seen(to) || b.spot.x <= a.spot.x) return;
    put(kind, routeOf(plan, ground, a, b, lanes.get(seen(to)) ?? 0));
  };

  const staged = plan.sections.map(({ stage }) => stage !== undefined);
  const gates: Gate[] = [];
  /** To the bar at the end of its section, and from the one before. */
  const bars = (id: string, into: Kind, outOf: Kind, look: CardView["look"]) => {
    const { place, spot } = end(id)!;
    if (place.small) return;
    const section = sectionOf(plan, place.column);
    const y = middle(spot);
    if (staged[section] && ground.last(place)) {
      const x = barOf(plan, section);
      put(outOf, straight(spot.x + spot.width, x, y), false);
      gates.push({ x, y, look });
    }
    if (section > 0 && staged[section - 1] && place.column === plan.sections[section]!.first)
      put(into, straight(barOf(plan, section - 1), spot.x, y));
  };
  for (const { id, look, status } of cards) {
    const node = state.nodes.get(id);
    const at = plan.at.get(id);
    if (!at || !node) continue;
    if (seen(id) === id && status !== "cancelled")
      bars(
        id,
        "depends",
        status === "completed" ? "done" : look === "working" ? "working" : look === "waiting" ? "why" : "depends",
        look,
      );
    const section = sectionOf(plan, at.column);
    for (const need of node.depends_on) {
      const other = plan.at.get(need);
      if (!other || need === node.parent) continue;
      const from = sectionOf(plan, other.column);
      if (from === section || !staged[from] || !staged[section - 1]) between("depends", need, id);
    }
    if (node.parent) part("spawned", node.parent, id);
  }
  function part(kind: Kind, from: string, to: string): void {
    const [a, b] = [end(from), end(to)];
    if (!a || !b || seen(from) === seen(to)) return;
    if (sectionOf(plan, a.place.column) !== sectionOf(plan, b.place.column)) return;
    put(kind, partOf(a.spot, b.spot), b.spot.x >= a.spot.x + a.spot.width);
  }

  for (const { id, node } of suggestions) {
    if (!end(id)) continue;
    bars(id, "suggested", "suggested", "pending");
    const source = node === undefined ? undefined : end(node);
    const { place, spot } = end(id)!;
    // Where no bar leads to it: down from what it came from.
    if (!source || staged[sectionOf(plan, place.column)] || source.place.column !== place.column) continue;
    put(
      "suggested",
      [[spot.x + 20, source.spot.y + source.spot.height] as const, [spot.x + 20, spot.y] as const],
      false,
    );
  }
  if (chosen !== undefined) {
    for (const need of state.nodes.get(chosen)?.depends_on ?? []) between("chosen", need, chosen);
    for (const { id } of cards) if (state.nodes.get(id)?.depends_on.includes(chosen)) between("chosen", chosen, id);
  }
  for (const [need, node] of why) between("why", need, node);

  const low = Math.max(cardRows, ...places.map(({ row, small }) => row + (small ? 1 : cardRows)));
  const height = yOf(low) - 16 - topMargin;
  const ends = plan.sections.flatMap(({ stage }, section) =>
    stage === undefined || !state.stages.has(stage)
      ? []
      : [{ stage, x: barOf(plan, section), height, over: state.stages.get(stage)?.status !== "running" }],
  );
  return { paths, gates, bars: ends };
}

const straight = (from: number, to: number, y: number): Point[] => [
  [from, y],
  [to, y],
];

/** What needs the same in the same column comes in by the same lane, everything else by its own. */
function lanesOf(state: State, plan: Plan, shown: readonly string[], seen: (id: string) => string) {
  const lanes = new Map<string, number>();
  const known = new Map<number, Map<string, number>>();
  for (const id of shown) {
    const needs = state.nodes.get(id)?.depends_on;
    const place = plan.at.get(id);
    if (!needs?.length || !place) continue;
    const key = [...new Set(needs.map(seen))].sort().join(" ");
    const there = known.get(place.column) ?? new Map<string, number>();
    known.set(place.column, there);
    if (!there.has(key)) there.set(key, there.size);
    lanes.set(id, there.get(key)!);
  }
  return lanes;
}

/** Heads of the sections that have a stage, and of a stage that has nothing yet, where its first node will stand. */
export function headsOf(state: State, plan: Plan, cards: readonly CardView[]) {
  const heads = plan.sections.flatMap(({ stage, first }, section) => {
    const known = stage === undefined ? undefined : state.stages.get(stage);
    if (!known) return [];
    const members = cards.filter((one) => one.stage === stage);
    const done = members.filter(({ status }) => status === "completed").length;
    const begun = members.some(({ started_at, ended_at }) => started_at ?? ended_at);
    const each = `${known.contract.max_turns} turns each`;
    const says =
      known.status === "completed"
        ? "done"
        : known.status === "reconvening"
          ? `${done} of ${members.length}, reconvening`
          : begun
            ? `${done} of ${members.length}, ${each}`
            : `${members.length} planned, ${each}`;
    return [{ stage: known, x: xOf(plan, first, section), name: known.name, says, done, count: members.length }];
  });
  const stage = [...state.stages.values()].at(-1);
  if (stage?.status === "running" && !plan.sections.some((one) => one.stage === stage.id)) {
    const x = xOf(plan, plan.columns.length, plan.sections.length);
    heads.push({ stage, x, name: stage.name, says: "nothing planned yet", done: 0, count: 0 });
  }
  return heads;
}
