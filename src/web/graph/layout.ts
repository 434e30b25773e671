/**
 * Where everything on the graph stands: left to right by stage, inside a stage by what needs what, downwards in the order of creation. What a
 * worker added to its own node is a small card in the same column; a suggestion stands in the column of the node it came from.
 *
 * Always holds: what has a place keeps it, whatever comes later (`grow` only adds); everything stands right of all it needs; no two share a
 * place; it does not matter in how many steps things came. A column that is full is never squeezed: what comes next goes to the right.
 *
 * Not here: what is drawn there (cards.ts), the lines between (lines.ts).
 */
export interface Item {
  id: string;
  stage?: string | undefined;
  /** What it stands right of, as far as that has a place. */
  needs: readonly string[];
  /** It is a part of this one: small, in the same column. */
  under?: string | undefined;
  /** It came from this one: in the same column. */
  beside?: string | undefined;
  /** It takes the place of this one, if it may stand there. */
  takes?: string | undefined;
  /** Of no stage of its own: it stands with what came last. */
  loose?: boolean;
}

export interface Place {
  column: number;
  /** Of the grid, which is finer than a card: see `tall`. */
  row: number;
  small?: boolean;
}

/** Neighbouring columns of the same stage, or of none. */
export interface Section {
  stage: string | undefined;
  first: number;
}

export interface Plan {
  at: ReadonlyMap<string, Place>;
  sections: readonly Section[];
  /** How many rows are taken in each column. */
  columns: readonly number[];
}

export const emptyPlan: Plan = { at: new Map(), sections: [], columns: [] };
/** Rows that a card takes; a small one takes one. */
export const cardRows = 3;
export const rows = 8 * cardRows;

export function grow(plan: Plan, items: readonly Item[]): Plan {
  if (items.every(({ id }) => plan.at.has(id))) return plan;
  const at = new Map(plan.at);
  const sections = [...plan.sections];
  const columns = [...plan.columns];
  for (const item of items) {
    if (at.has(item.id)) continue;
    let section = sections.at(-1);
    if (!section || (!item.loose && section.stage !== item.stage)) {
      section = { stage: item.stage, first: columns.length };
      sections.push(section);
    }
    let column = section.first;
    for (const need of item.needs) column = Math.max(column, (at.get(need)?.column ?? -1) + 1);
    if (item.beside !== undefined) column = Math.max(column, at.get(item.beside)?.column ?? 0);
    const left = item.takes === undefined ? undefined : at.get(item.takes);
    if (left && left.column >= column) {
      at.set(item.id, left);
      continue;
    }
    const over = item.under === undefined ? undefined : at.get(item.under);
    if (over && over.column >= column) {
      if (columns[over.column]! < rows) {
        at.set(item.id, { column: over.column, row: columns[over.column]!, small: true });
        columns[over.column]!++;
        continue;
      }
      column = over.column + 1;
    }
    while ((columns[column] ?? 0) + cardRows > rows) column++;
    while (columns.length <= column) columns.push(0);
    at.set(item.id, { column, row: columns[column]! });
    columns[column]! += cardRows;
  }
  return { at, sections, columns };
}

/* In pixels: */
export const card = { width: 226, height: 104 };
/** A small one hangs below what it is a part of. */
const small = { width: card.width - 28, height: 30, right: 28, up: 6 };
const pitch = { x: card.width + 64, y: (card.height + 16) / cardRows };
/** What a stage's end adds between two columns. */
const bar = 40;
export const topMargin = 44;

export const sectionOf = ({ sections }: Plan, column: number): number =>
  Math.max(
    0,
    sections.findLastIndex(({ first }) => first <= column),
  );

/** A free place after the last one counts to the last stage. */
export const xOf = (plan: Plan, column: number, section = sectionOf(plan, column)): number =>
  column * pitch.x + section * bar;
export const yOf = (row: number): number => topMargin + row * pitch.y;

export interface Spot {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function spotOf(plan: Plan, id: string): Spot | undefined {
  const place = plan.at.get(id);
  if (!place) return undefined;
  const [x, y] = [xOf(plan, place.column), yOf(place.row)];
  return place.small
    ? { x: x + small.right, y: y - small.up, width: small.width, height: small.height }
    : { x, y, ...card };
}

/** The first column after a section. */
export const endOf = ({ sections, columns }: Plan, section: number): number =>
  sections[section + 1]?.first ?? columns.length;

/** Where the bar stands at which a stage comes together. */
export const barOf = (plan: Plan, section: number): number =>
  xOf(plan, endOf(plan, section) - 1, section) + card.width + (pitch.x - card.width + bar) / 2;

export type Way = "left" | "right" | "up" | "down";

/** The next one in a direction among those that are shown: straight ahead before aslant, near before far. */
export function neighbour(plan: Plan, shown: Iterable<string>, from: string, way: Way): string | undefined {
  const here = plan.at.get(from);
  if (!here) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const id of shown) {
    const there = plan.at.get(id);
    if (!there || id === from) continue;
    const [across, down] = [there.column - here.column, there.row - here.row];
    const ahead = { left: -across, right: across, up: -down, down }[way];
    const aside = Math.abs(way === "left" || way === "right" ? down : across);
    if (ahead <= 0 || ((way === "up" || way === "down") && aside > 0)) continue;
    const far = ahead * 100 + aside;
    if (far < least) [best, least] = [id, far];
  }
  return best;
}
