/**
 * The model call of a turn: what is asked, what is heard, and what follows when it fails.
 *
 * Always holds: nobody is asked before what people changed is taken in; an answer counts only if it ended properly; a call that was made is charged,
 * also if its end is never heard. Failures are facts in the log, by their kind: retry, hand off, compact, or wait for the human.
 */
import { type Backend, BackendError, type Part, type Request } from "../backend/backend.ts";
import { budgetReason } from "../core/agent/budget.ts";
import { modelOf } from "../core/lookup.ts";
import { iso } from "../core/noun.ts";
import { isStuck, isTooLargeForProvider } from "../core/team/stall.ts";
import { callKey } from "../core/turn/call-key.ts";
import { mapTexts, wellFormed } from "../lib/json/json.ts";
import type { Amount } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import type { Call, Kept, Turn } from "../schema/turn.ts";
import type { Thinker } from "../schema/worker.ts";
import { squeeze } from "./features/compaction.ts";
import { handOff } from "./features/handoff.ts";
import type { ParticipantContext } from "./participant-context.ts";

export const backendOf = (seat: ParticipantContext, one: Thinker): Backend => seat.backend(modelOf(seat.state(), one));

/** What the call of the turn under way is given. */
export function requestOf(seat: ParticipantContext, { turn }: InTurn): Request {
  const { request } = seat.guard.request(seat.world.clock.now());
  return turn.status === "calling" && turn.allowed ? { ...request, allowed: turn.allowed } : request;
}

/** A request, and the event after which it was made. */
export interface Prepared {
  seq: number;
  request: Request;
}

export function prepare(seat: ParticipantContext): Prepared | undefined {
  const me = seat.me();
  return me?.turn ? { seq: seat.state().seq, request: requestOf(seat, me as InTurn) } : undefined;
}

/** How far an answer can come before that is noted: so much, then twice as much, and so on. */
const firstMark = 1_000;

/** What a call is charged that is lost when this many tokens of its answer were heard: all up to the next mark. */
export function knownOf(backend: Backend, request: Request, heard: number): Amount {
  const { output, searches } = request.allowed!;
  let mark = firstMark;
  while (mark <= heard) mark *= 2;
  return backend.worst({ ...request, allowed: { output: Math.min(mark, output), searches } });
}

/** What people changed since the turn began made it dearer than was reserved: it begins anew. */
export function outgrown(seat: ParticipantContext, me: InTurn): boolean {
  const { usd, tokens } = backendOf(seat, me).worst(requestOf(seat, me));
  if (usd <= me.turn.reserved.usd + 1e-9 && tokens <= me.turn.reserved.tokens) return false;
  const message = "it starts over: what it is shown has grown";
  const reason = { code: "interrupted", message, next_mover: "nobody" };
  seat.record({ type: "turn.fail", turn: me.turn.id, participant: me.id, reason });
  return true;
}

/** True when the answer is recorded; false when the call failed and the log says what happens next. */
export async function call(seat: ParticipantContext, me: InTurn, stale: unknown, ready?: Prepared): Promise<boolean> {
  const of = { turn: me.turn.id, participant: me.id };
  let answer: Awaited<ReturnType<typeof listen>>;
  let began = false;
  try {
    answer = await listen(seat, me, { stale, ready, answering: () => (began = true) });
  } catch (error) {
    if (seat.signal.aborted) throw error;
    if (error instanceof Problem && error.code === "budget_exhausted") {
      // A program spends while it works, so its budget may be used up in the middle of a turn.
      seat.record({ type: "turn.fail", ...of, reason: budgetReason(seat.state(), me, error) });
      return false;
    }
    if (!(error instanceof BackendError)) throw error;
    const message = error.message.toWellFormed() || `the backend failed (${error.kind}) and did not say why`;
    if (error.kind === "overflow") {
      const over = isStuck(mine(seat)) || isTooLargeForProvider(mine(seat));
      if (over && (await handOff(seat, "limit.context", callKey(seat.state(), me.turn.id, "handoff")))) return false;
      if (squeeze(seat, mine(seat))) return call(seat, mine(seat), undefined);
    }
    if (!seat.me()?.turn) return false;
    // What was refused is not paid for. What broke off is, also before its first word: it was asked.
    const lost = began || error.mayCost ? knownLoss(mine(seat)) : {};
    const endpoint = error.endpoint ? { endpoint: error.endpoint } : {};
    if (error.kind === "transient" && me.turn.retried < patience) {
      const wait = Math.max(error.retryAfterMs || 0, backoff(me.turn.retried, seat.world.random.next()));
      const not_before = iso(seat.world.clock.now() + wait);
      seat.record({ type: "turn.retry", ...of, error: message, ...endpoint, not_before, ...lost });
    } else {
      const code = { provider: "provider", overflow: "limit.context", transient: "backend", permanent: "backend" }[
        error.kind
      ];
      const until =
        error.kind === "provider" && error.retryAfterMs ? iso(seat.world.clock.now() + error.retryAfterMs) : undefined;
      seat.record({
        type: "turn.fail",
        ...of,
        reason: { code, message, next_mover: "human", ...(until ? { until } : {}), ...endpoint },
        ...lost,
      });
    }
    return false;
  }
  await seat.world.point?.("turn.heard");
  seat.record({ type: "turn.answer", ...of, ...answer });
  await seat.world.point?.("turn.answered");
  if (answer.stop !== "refused" || answer.calls.length) return true;
  const message = `the model refused to answer${answer.text ? `: ${answer.text.slice(0, 500)}` : ""}`.toWellFormed();
  seat.record({ type: "turn.fail", ...of, reason: { code: "refused", message, next_mover: "human" } });
  return false;
}

/** Collects the answer. A stream that ends without saying so is as good as none. Nobody is asked before what people changed is taken in. */
async function listen(
  seat: ParticipantContext,
  me: InTurn,
  { stale, ready, answering }: { stale: unknown; ready: Prepared | undefined; answering(): void },
) {
  seat.signal.throwIfAborted();
  if (stale) throw new BackendError("transient", stale instanceof Error ? stale.message : String(stale));
  let text = "";
  const calls: Call[] = [];
  const request = ready?.seq === seat.state().seq ? ready.request : requestOf(seat, mine(seat));
  const backend = backendOf(seat, me);
  const mark = marker(seat, me, backend, request);
  const pieces = { text: seat.redact.pieces(), thought: seat.redact.pieces() };
  const hear = (type: "text" | "thought", given: string, last?: boolean) => {
    const text = pieces[type](given, last);
    if (text) seat.hear?.({ type, text, turn: me.turn.id, participant: me.id });
  };
  for await (const part of backend.call(request, seat.signal)) {
    answering();
    if (part.type === "text" || part.type === "thought") {
      await mark(part.text.length);
      hear(part.type, part.text);
    }
    if (part.type === "text") text += part.text;
    else if (part.type === "call") {
      const input = wellFormed(part.input);
      await mark(JSON.stringify(input)?.length ?? 0);
      calls.push({ id: part.id, tool: part.tool || "nothing", input });
    } else if (part.type === "end") {
      hear("thought", "", true);
      hear("text", "", true);
      const said = { ...ended(part), text: text.toWellFormed(), calls: distinct(calls) };
      return redacted(said, seat.redact.text);
    }
    await seat.world.point?.("turn.streaming");
  }
  throw new BackendError("transient", "the answer was cut off before its end", undefined, true);
}

/** Notes durably how long the answer has become, at each mark: so much is charged if it is lost. */
function marker(
  seat: ParticipantContext,
  me: InTurn,
  backend: Backend,
  request: Request,
): (characters: number) => Promise<void> {
  let heard = 0;
  let next = firstMark;
  return async (characters) => {
    heard += characters / charactersPerToken;
    if (!request.allowed || heard < next) return;
    while (next <= heard) next *= 2;
    seat.record({ type: "turn.hear", turn: me.turn.id, participant: me.id, known: knownOf(backend, request, heard) });
    await seat.durable();
  };
}

/** Few, so that the tokens are not underestimated. */
const charactersPerToken = 3;

/** Of a call that was made and whose end nobody hears. */
export const knownLoss = ({ turn }: InTurn): { lost?: Amount } =>
  turn.status === "calling" && turn.known ? { lost: turn.known } : {};

const ended = ({ cost, stop, usage, kept }: Extract<Part, { type: "end" }>) => ({
  cost,
  ...(stop ? { stop } : {}),
  ...(usage ? { usage } : {}),
  ...(kept ? { kept: wellFormed(kept) as Kept } : {}),
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
    return { id, tool: call.tool.slice(0, longest).toWellFormed(), input: call.input };
  });
}

/** Without secrets that the model was told somewhere: neither its words nor its calls carry them on. What only its provider can read stays. */
function redacted<T extends { text: string; calls: Call[] }>(said: T, redact: (text: string) => string): T {
  return {
    ...said,
    text: redact(said.text),
    calls: said.calls.map((call) => ({ ...call, input: mapTexts(call.input, redact) })),
  };
}

const patience = 6;

/** Doubling from half a second to a minute, spread over half its length. */
function backoff(attempt: number, chance: number): number {
  const most = Math.min(60_000, 500 * 2 ** attempt);
  return most / 2 + (most / 2) * chance;
}

export type InTurn = Thinker & { turn: Turn };

export function mine(seat: ParticipantContext): InTurn {
  const one = seat.me();
  if (one?.turn) return one as InTurn;
  throw new Problem("closed", "the turn is over");
}
