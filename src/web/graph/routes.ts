/**
 * How a line of the graph runs: along the axes only, in the free space between columns, around and never over a card. Lines to the same one
 * share their last piece, and what leaves a section does so at its bar: so lines meet only where they belong together.
 */
import { barOf, cardRows, type Place, type Plan, type Spot, sectionOf, topMargin } from "./layout.ts";

export type Point = readonly [x: number, y: number];

/** A path through these points, with soft corners. */
export function through(points: readonly Point[], radius = 6): string {
  const steps = points.filter(([x, y], index) => x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1]);
  const way = steps.filter(([x, y], index) => {
    const [before, after] = [steps[index - 1], steps[index + 1]];
    // Straight on: no corner here.
    return !(before && after && ((before[0] === x && after[0] === x) || (before[1] === y && after[1] === y)));
  });
  let d = "";
  way.forEach(([x, y], index) => {
    const [before, after] = [way[index - 1], way[index + 1]];
    if (!before) d += `M${x} ${y}`;
    else if (!after) d += `L${x} ${y}`;
    else {
      const [near, far] = [toward([x, y], before, radius), toward([x, y], after, radius)];
      d += `L${near[0]} ${near[1]}Q${x} ${y} ${far[0]} ${far[1]}`;
    }
  });
  return d;
}

function toward([x, y]: Point, [x2, y2]: Point, radius: number): Point {
  const step = (from: number, to: number) => from + Math.sign(to - from) * Math.min(radius, Math.abs(to - from) / 2);
  return [step(x, x2), step(y, y2)];
}

export const middle = ({ y, height }: Spot): number => y + height / 2;

/** Which places are seen, to know what stands in the way. */
export interface Ground {
  /** Nothing stands right of it, up to the end of its section. */
  last(place: Place): boolean;
  /** Nothing stands in its row between it and this column. */
  free(place: Place, until: number): boolean;
}

export function groundOf(plan: Plan, shown: Iterable<Place>): Ground {
  const taken = new Set<string>();
  for (const { column, row, small } of shown)
    for (let unit = row; unit < row + (small ? 1 : cardRows); unit++) taken.add(`${column} ${unit}`);
  const free: Ground["free"] = ({ column, row, small }, until) => {
    const unit = small ? row : row + 1;
    for (let next = column + 1; next < until; next++) if (taken.has(`${next} ${unit}`)) return false;
    return true;
  };
  return {
    free,
    last: (place) => {
      const section = sectionOf(plan, place.column);
      return free(place, plan.sections[section + 1]?.first ?? plan.columns.length);
    },
  };
}

interface End {
  place: Place;
  spot: Spot;
}

/** From one to another that stands right of it; `lane` keeps apart what goes to different ones in the same column. */
export function routeOf(plan: Plan, ground: Ground, from: End, to: End, lane: number): Point[] {
  const [y, y2] = [middle(from.spot), middle(to.spot)];
  const start = from.spot.x + from.spot.width;
  const turn = to.spot.x - 14 - (lane % 5) * 9;
  const [section, last] = [sectionOf(plan, from.place.column), sectionOf(plan, to.place.column)];
  const below = from.spot.y + from.spot.height + 8;
  /** Out of its own row where something stands in the way. */
  const out = (clear: boolean): Point[] =>
    clear
      ? [[start, y]]
      : [
          [start, y],
          [start + 10, y],
          [start + 10, below],
        ];
  if (section === last) {
    const way = out(ground.free(from.place, to.place.column));
    const at = way.at(-1)![1];
    return [...way, [turn, at], [turn, y2], [to.spot.x, y2]];
  }
  const [one, other] = [barOf(plan, section), barOf(plan, last - 1)];
  const way = out(ground.last(from.place));
  way.push([one, way.at(-1)![1]]);
  if (one !== other) way.push([one, topMargin - 10], [other, topMargin - 10]);
  if (to.place.column === plan.sections[last]!.first) return [...way, [other, y2], [to.spot.x, y2]];
  const above = to.spot.y - 8;
  return [...way, [other, above], [turn, above], [turn, y2], [to.spot.x, y2]];
}

/** Down out of the one it is a part of, and into its side. */
export function partOf(from: Spot, to: Spot): Point[] {
  if (to.x >= from.x + from.width) {
    const low = from.y + from.height + 8;
    const [x, y] = [from.x + 28, middle(to) + 14];
    return [
      [x, from.y + from.height],
      [x, low],
      [to.x - 20, low],
      [to.x - 20, y],
      [to.x, y],
    ];
  }
  const x = to.x - 18;
  const begin = x > from.x ? from.y + from.height : middle(from);
  return [
    [x, begin],
    [x, middle(to)],
    [to.x, middle(to)],
  ];
}
