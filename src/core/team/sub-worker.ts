/**
 * Workers that a worker brings for the sub-nodes of its node.
 *
 * Always holds: a sub-worker is never more than its spawner. It has no tool and no program that its spawner could not use, rules of the policy that
 * speak of the spawner hold for it too, and what it may spend is taken out of its spawner's budget. It is brought only for a node that may have
 * sub-nodes; how many workers a run may have is the same limit for everyone.
 */
import type { BudgetLimit } from "../../schema/budget.ts";
import type { Fact } from "../../schema/event.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker, Worker } from "../../schema/worker.ts";
import { accountFor } from "../agent/budget.ts";
import { requireNode } from "../lookup.ts";
import type { Context } from "../noun.ts";
import type { State } from "../state.ts";

/** It and the workers through whom it came, the nearest first. */
export function lineage(state: State, one: Thinker): Thinker[] {
  const line = [one];
  for (let next: Thinker | undefined = one; next && "spawner" in next && next.spawner !== undefined; ) {
    const above = state.participants.get(next.spawner);
    next = above && above.kind !== "human" && !line.includes(above) ? above : undefined;
    if (next) line.push(next);
  }
  return line;
}

interface Wanted {
  name: string;
  tools?: string[] | undefined;
  budget?: BudgetLimit | undefined;
}

/** What the worker is given by this spawner, and what that takes from the spawner. Throws if it may not bring one. */
export function givenBy(
  state: State,
  spawner: Worker,
  { name, tools, budget }: Wanted,
  isProgram: boolean,
  { limits }: Context,
): { given: { spawner: string; tools?: string[]; budget?: BudgetLimit }; facts: Fact[] } {
  const node = spawner.node === undefined ? undefined : requireNode(state, spawner.node);
  if (!node)
    throw new Problem("wrong_state", `${spawner.name} holds no node; a worker brings others only for its node`);
  if (node.depth + 1 >= limits.spawn_depth)
    throw new Problem(
      "limit_reached",
      `${node.id} is ${node.depth + 1} levels deep and may have no sub-nodes (limit ${limits.spawn_depth}), so it needs no further workers; do it yourself`,
    );
  const own = spawner.tools;
  const beyond = own ? (tools ?? []).filter((tool) => !own.includes(tool)) : [];
  if (beyond.length)
    throw new Problem("forbidden", `${spawner.name} may not use ${beyond.join(", ")} and cannot give it to ${name}`);
  if (isProgram && own && !own.includes("bash"))
    throw new Problem("forbidden", `${spawner.name} may not run commands (bash), so it cannot bring a program`);
  const granted = tools ?? own;
  const { share, rest } = shareOf(state, spawner, budget);
  return {
    given: { spawner: spawner.id, ...(granted ? { tools: granted } : {}), ...(share ? { budget: share } : {}) },
    facts: rest ? [{ type: "budget.set", data: { scope: { of: "worker", worker: spawner.id }, limit: rest } }] : [],
  };
}

/**
 * The idle worker for a node that wants nobody in particular: first one whom its creator has brought, then one whom nobody has brought for
 * something else, and only then one for whom another node waits.
 */
export function nearest(
  { nodes }: State,
  idle: readonly Worker[],
  { creator }: Pick<Node, "creator">,
): Worker | undefined {
  if (idle.length < 2) return idle[0];
  const awaited = new Set([...nodes.values()].map((node) => node.status === "pending" && node.wanted_worker));
  const distance = ({ id, spawner }: Worker): number =>
    (spawner === creator ? 0 : spawner === undefined ? 1 : 2) + (awaited.has(id) ? 3 : 0);
  return idle.toSorted((one, other) => distance(one) - distance(other))[0];
}

const units = ["usd", "tokens", "turns", "seconds"] as const;

/** What it may spend, taken out of its spawner's limits: as much as was asked for, else half of what is left. */
function shareOf(
  state: State,
  spawner: Worker,
  asked: BudgetLimit | undefined,
): { share?: BudgetLimit | undefined; rest?: BudgetLimit } {
  const { limit, spent, reserved } = accountFor(state, `worker:${spawner.id}`);
  const limited = units.filter((unit) => limit[unit] !== undefined);
  if (!limited.length) return { share: asked };
  const share: BudgetLimit = { ...asked };
  const rest: BudgetLimit = { ...limit };
  for (const unit of limited) {
    const left = limit[unit]! - spent[unit] - (unit === "usd" || unit === "tokens" ? reserved[unit] : 0);
    const smallest = unit === "usd" ? 1e8 : 1;
    const part = asked?.[unit] ?? Math.floor((left / 2) * smallest) / smallest;
    if (part <= 0 || part > left)
      throw new Problem(
        "budget_exhausted",
        `${spawner.name} has ${Math.max(0, left)} ${unit} left and cannot give ${Math.max(0, part)} to another worker`,
        { account: `worker:${spawner.id}`, unit },
      );
    share[unit] = part;
    rest[unit] = limit[unit]! - part;
  }
  return { share, rest };
}
