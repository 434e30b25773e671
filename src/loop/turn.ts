/**
 * One turn: reserve, call, record, act, acknowledge. It can begin anywhere: a turn that a crash interrupted goes on from what the log knows.
 *
 * Always holds: nothing outside is touched before the log durably says so; a tool is run only from an answer that ended properly and is
 * recorded; every tool call gets exactly one result before the next model call.
 */
import { BackendError, type Part, type Request } from "../backend/backend.ts";
import { overdrawn } from "../core/budget.ts";
import { modelOf } from "../core/lookup.ts";
import { iso } from "../core/noun.ts";
import { assemble } from "../guard/context.ts";
import { Problem } from "../schema/problem.ts";
import type { Call, Kept, Turn } from "../schema/turn.ts";
import type { Thinker } from "../schema/worker.ts";
import { act } from "./act.ts";
import type { Seat } from "./seat.ts";

/** Returns `later` when the call failed: the log says what happens next, and when. */
export async function turn(seat: Seat): Promise<"done" | "later"> {
  if (!seat.me()?.turn && !begin(seat)) return "later";
  const me = mine(seat);
  if (me.turn.status === "calling") {
    let stale: unknown;
    await Promise.all([seat.durable(), seat.refresh().catch((error) => (stale = error))]);
    await seat.world.point?.("turn.started");
    if (!(await call(seat, me, stale))) return "later";
  }
  const { turn } = mine(seat);
  if (turn.status !== "acting") return "later";
  for (const asked of turn.calls) {
    seat.signal.throwIfAborted();
    if (asked.status !== "ended") await act(seat, turn, asked);
  }
  seat.record({ type: "turn.end", turn: turn.id, participant: me.id });
  return "done";
}

/** Starts the turn and reserves its price. A budget that does not allow it ends in a state that says so, and there is no call. */
function begin(seat: Seat): boolean {
  const one = seat.me()!;
  const reserve = seat.backend(modelOf(seat.state(), one)).worst(request(seat, one));
  try {
    seat.record({ type: "turn.start", participant: one.id, reserve });
    return true;
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== "budget_exhausted") throw problem;
    seat.record(overdrawn(one, problem));
    return false;
  }
}

/** True when the answer is recorded; false when the call failed and the log says what happens next. */
async function call(seat: Seat, me: InTurn, stale: unknown): Promise<boolean> {
  const of = { turn: me.turn.id, participant: me.id };
  let answer: Awaited<ReturnType<typeof listen>>;
  try {
    answer = await listen(seat, me, stale);
  } catch (error) {
    if (seat.signal.aborted) throw error;
    if (!(error instanceof BackendError)) throw error;
    const message = error.message.toWellFormed() || `the backend failed (${error.kind}) and did not say why`;
    if (error.kind === "transient" && me.turn.retried < patience) {
      const wait = Math.max(error.retryAfterMs || 0, backoff(me.turn.retried, seat.world.random.next()));
      const not_before = iso(seat.world.clock.now() + wait);
      seat.record({ type: "turn.retry", ...of, error: message, not_before });
    } else {
      const code = error.kind === "provider" ? "provider" : "backend";
      seat.record({ type: "turn.fail", ...of, reason: { code, message, next_mover: "human" } });
    }
    return false;
  }
  await seat.world.point?.("turn.heard");
  seat.record({ type: "turn.answer", ...of, ...answer });
  await seat.world.point?.("turn.answered");
  return true;
}

/** Collects the answer. A stream that ends without saying so is as good as none. Nobody is asked before what people changed is taken in. */
async function listen(seat: Seat, me: InTurn, stale: unknown) {
  seat.signal.throwIfAborted();
  if (stale) throw new BackendError("transient", stale instanceof Error ? stale.message : String(stale));
  let text = "";
  const calls: Call[] = [];
  for await (const part of seat.backend(modelOf(seat.state(), me)).call(request(seat, me), seat.signal)) {
    if (part.type === "text") text += part.text;
    else if (part.type === "call") calls.push({ id: part.id, tool: part.tool || "nothing", input: part.input });
    else if (part.type === "end") return { ...ended(part), text: text.toWellFormed(), calls: distinct(calls) };
    await seat.world.point?.("turn.streaming");
  }
  throw new BackendError("transient", "the answer was cut off before its end");
}

const ended = ({ cost, stop, usage, kept }: Extract<Part, { type: "end" }>) => ({
  cost,
  ...(stop ? { stop } : {}),
  ...(usage ? { usage } : {}),
  ...(kept ? { kept: sound(kept) as Kept } : {}),
});

/** Of a tool's name or a call's id; the log takes 128. */
const longest = 100;

/** Models reuse or forget ids; within a turn each call has its own. */
function distinct(calls: Call[]): Call[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const wish = call.id.slice(0, longest).toWellFormed() || "call";
    let id = call.id ? wish : `${wish}-${index + 1}`;
    for (let n = index + 1; seen.has(id); n++) id = `${wish}-${n}`;
    seen.add(id);
    return { id, tool: call.tool.slice(0, longest).toWellFormed(), input: sound(call.input) };
  });
}

/** Models may cut a character in half, or nest without end; nothing of ours ever holds that. */
function sound(value: unknown, depth = 0): unknown {
  if (depth > 64) return "nested too deep";
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((inner) => sound(inner, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), sound(inner, depth + 1)]));
}

const patience = 6;

/** Doubling from half a second to a minute, spread over half its length. */
function backoff(attempt: number, chance: number): number {
  const most = Math.min(60_000, 500 * 2 ** attempt);
  return most / 2 + (most / 2) * chance;
}

const request = (seat: Seat, one: Thinker): Request => assemble(seat.state(), one, seat.tools);

type InTurn = Thinker & { turn: Turn };

function mine(seat: Seat): InTurn {
  const one = seat.me();
  if (one?.turn) return one as InTurn;
  throw new Problem("closed", "the turn is over");
}
