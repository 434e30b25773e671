/**
 * What each part of the work has cost over an agent's whole life, folded from its log: the state knows workers and nodes only of the run that
 * is under way, and days without their models. Money and tokens are those of the accounts: the day is that on which the turn began.
 */
import { z } from "zod";
import { type Amount, Used } from "../schema/budget.ts";
import type { Event } from "../schema/event.ts";
import { NodeId, ParticipantId, RunId } from "../schema/ids.ts";
import type { Usage } from "../schema/turn.ts";
import { OfAgent } from "./agents.ts";
import { Paging, page } from "./page.ts";
import { route } from "./route.ts";

export const Spending = Used.extend({
  id: z.string().describe("Run, day, worker, node and model, separated by spaces"),
  run: RunId.optional(),
  day: z.string().describe("YYYY-MM-DD in UTC"),
  worker: ParticipantId,
  node: NodeId.optional(),
  model: z.string().optional().describe("Missing if unknown: lost calls, programs that do not report it"),
  tokens: z.number().nonnegative().describe("As the budgets count them"),
}).describe("What one worker used of one model for one node on one day of one run");
export type Spending = z.infer<typeof Spending>;

export const spendingRoutes = {
  listSpending: route({
    method: "GET",
    path: "/agents/{agent}/spending",
    tag: "cost",
    summary: "List the cost by run, day, worker, node and model",
    about: "From the whole log, including earlier runs. Oldest first; an item grows while its turns continue.",
    params: OfAgent,
    query: Paging.extend({ run: RunId.optional().describe("Only this run; default: all") }),
    ok: 200,
    answer: page(Spending),
    errors: ["not_found", "stale"],
  }),
};

interface Open {
  run?: string;
  day: string;
  worker: string;
  node?: string;
}

export interface Ledger {
  take(event: Event): void;
  items(): Spending[];
}

export function createLedger(): Ledger {
  const open = new Map<string, { turn: string; reserved: Amount }>();
  /** Turns of programs: their calls were counted as they were made. */
  const metered = new Set<string>();
  const turns = new Map<string, Open>();
  /** Reviews that have not ended, by node or `run`: what is reserved for each. */
  const reviews = new Map<string, Amount>();
  const rows = new Map<string, Spending>();

  function add(turn: string, cost: Amount, model?: string, used?: Partial<Used>): void {
    const at = turns.get(turn);
    if (!at || (cost.usd === 0 && cost.tokens === 0 && !used)) return;
    const id = [at.run ?? "-", at.day, at.worker, at.node ?? "-", model ?? "-"].join(" ");
    const row: Spending = rows.get(id) ?? {
      id,
      ...at,
      ...(model === undefined ? {} : { model }),
      ...{ calls: 0, unpriced: 0, input: 0, output: 0, cache_read: 0, cache_write: 0, usd: 0, tokens: 0 },
    };
    for (const unit of ["calls", "unpriced", "input", "output", "cache_read", "cache_write"] as const)
      row[unit] += used?.[unit] ?? 0;
    row.usd = Math.round((row.usd + cost.usd) * 1e8) / 1e8;
    row.tokens += cost.tokens;
    rows.set(id, row);
  }

  /** Calls of its program that had not ended are charged what was reserved (core/turn/program.ts). */
  function lose(turn: string): void {
    for (const [key, call] of open) {
      if (call.turn !== turn) continue;
      open.delete(key);
      add(turn, call.reserved);
    }
  }

  /** A review of this node, or of the run's answer, has no more to say (core/board/check.ts). */
  function endReview(place: string, lost?: Amount, usage?: Usage): void {
    const review = reviews.get(place);
    if (!review) return;
    reviews.delete(place);
    const { model, priced, ...tokens } = usage ?? {};
    const used = usage && { ...tokens, calls: 1, unpriced: priced ? 0 : 1 };
    add(place === "reflection" ? place : `review ${place}`, lost ?? review, model, used);
  }

  return {
    take({ type, data, run, ts }) {
      switch (type) {
        case "check.started": {
          const { node, by, payer: worker, reserved, lost, usage } = data;
          const place = node ?? "run";
          endReview(place, lost, usage);
          if (by === "runtime") return; // a command costs nothing
          turns.set(`review ${place}`, {
            day: ts.slice(0, 10),
            worker,
            ...(run ? { run } : {}),
            ...(node ? { node } : {}),
          });
          return void reviews.set(place, reserved);
        }
        case "check.ended": {
          return endReview(data.node ?? "run", data.cost, data.usage);
        }
        case "reflection.started":
          turns.set("reflection", {
            day: ts.slice(0, 10),
            worker: "coordinator",
            ...(data.run ? { run: data.run } : {}),
            ...(data.node ? { node: data.node } : {}),
          });
          return void reviews.set("reflection", data.reserved);
        case "reflection.ended":
          return endReview("reflection", data.cost, data.usage);
        case "run.started":
          return endReview("reflection");
        case "node.completed":
        case "node.failed":
        case "node.cancelled":
        case "node.retried":
          return endReview(data.node);
        case "run.completed":
        case "run.stopped":
          for (const place of [...reviews.keys()]) if (place !== "reflection") endReview(place);
          return;
        case "turn.started": {
          const { turn, participant: worker, node } = data;
          const at = { day: ts.slice(0, 10), worker, ...(run ? { run } : {}), ...(node ? { node } : {}) };
          return void turns.set(turn, at);
        }
        case "program.reserved":
          return void open.set(`${data.turn} ${data.call}`, { turn: data.turn, reserved: data.reserved });
        case "program.settled": {
          const { turn, call, cost, usage } = data;
          open.delete(`${turn} ${call}`);
          metered.add(turn);
          if (!usage) return add(turn, cost, undefined, { calls: 1 });
          const { model, priced, ...tokens } = usage;
          return add(turn, cost, model, { ...tokens, calls: 1, unpriced: priced ? 0 : 1 });
        }
        case "turn.answered": {
          const { turn, cost, usage } = data;
          lose(turn);
          if (metered.delete(turn)) return add(turn, cost);
          if (!usage) return add(turn, cost, undefined, { calls: 1 });
          const { model, priced, ...tokens } = usage;
          return add(turn, cost, model, { ...tokens, calls: 1, unpriced: priced ? 0 : 1 });
        }
        case "turn.resumed":
        case "turn.retried":
          lose(data.turn);
          return add(data.turn, data.lost);
        case "turn.failed":
          lose(data.turn);
          metered.delete(data.turn);
          add(data.turn, data.lost);
          return void turns.delete(data.turn);
        case "turn.ended":
          return void turns.delete(data.turn);
      }
    },
    items: () => [...rows.values()].map((row) => ({ ...row })),
  };
}
