/**
 * Violations of the same promise for the same cause are one group. The cause is the text of the violation without what differs from world to
 * world: names, ids, numbers, paths, data.
 *
 * Not here: whether two groups have the same root; only people know. Nor what a world is: a seed, or a home that was killed.
 */
export interface Violation {
  invariant: string;
  what: string;
}

/** A world in which it happened, with the text it had there. */
export interface Example<World> {
  world: World;
  what: string;
  /** How much happened in it, to prefer the smaller ones. */
  size: number;
}

export interface Group<World> {
  invariant: string;
  cause: string;
  times: number;
  /** The smallest ones, at most `most`. */
  examples: Example<World>[];
  /** The commit with which it was last seen. */
  commit: string;
  /** The smallest world so far that was found to fail the same way; `done` when nothing smaller was. */
  shrunk?: Example<World> & { tries: number; done: boolean };
  /** The commit with which its world no longer fails. */
  gone?: string;
}

const most = 8;

export const causeOf = (what: string): string =>
  what
    .split("\n")[0]!
    .replace(/[{[].*[}\]]/g, "{…}")
    .replace(/"[^"]*"/g, "“…”")
    .replace(/\b(ann|bea|cai|coordinator|human)\b/gi, "#")
    .replace(/[\w.-]*\d[\w.-]*/g, "#")
    .replace(/\b[\w-]+\.(md|json|jsonl|txt)\b/g, "PATH")
    .replace(/\/?(?:[\w#-]+\/)+[\w#-]+/g, "PATH")
    .replace(/x{3,}/g, "x")
    .replace(/#(?:[,. /:]*#)+/g, "#")
    .replace(/(\S+)(?:, \1)+/g, "$1")
    .slice(0, 200);

export const isOf = (violation: Violation, group: { invariant: string; cause: string }): boolean =>
  violation.invariant === group.invariant && causeOf(violation.what) === group.cause;

/** Takes a violation into the groups; returns its group. */
export function addTo<World>(
  groups: Group<World>[],
  { invariant, what }: Violation,
  { world, size, commit }: { world: World; size: number; commit: string },
): Group<World> {
  let group = groups.find((each) => isOf({ invariant, what }, each));
  if (!group) {
    group = { invariant, cause: causeOf(what), times: 0, examples: [], commit };
    groups.push(group);
  }
  group.times++;
  group.commit = commit;
  if (group.gone !== undefined) {
    // Its worlds no longer fail; this one does.
    delete group.gone;
    delete group.shrunk;
    group.examples = [];
  }
  group.examples.push({ world, what: what.slice(0, 2_000), size });
  group.examples.sort((a, b) => a.size - b.size);
  group.examples.length = Math.min(most, group.examples.length);
  return group;
}
