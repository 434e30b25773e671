/**
 * One turn: reserve, call, record, act, acknowledge. It can begin anywhere: a turn that a crash interrupted goes on from what the log knows.
 *
 * Always holds: nothing outside is touched before the log durably says so; a tool is run only from an answer that ended properly and is
 * recorded; every tool call gets exactly one result before the next model call.
 */

import { type Backend, BackendError, type Part, type Request } from "../backend/backend.ts";
import { accountsOf, budgetReason, overdraftCommand } from "../core/agent/budget.ts";
import { turnsOf } from "../core/board/node-time.ts";
import { modelOf } from "../core/lookup.ts";
import { iso } from "../core/noun.ts";
import { isStuck, isTooLargeForProvider } from "../core/team/stall.ts";
import { isSingle } from "../core/team/worker.ts";
import { callKey } from "../core/turn/call-key.ts";
import { longFinalText } from "../core/turn/final-text.ts";
import { blockingAccount, roomFor } from "../core/turn/queue.ts";
import { mapTexts, wellFormed } from "../lib/json.ts";
import { shortenMiddle } from "../lib/text.ts";
import type { Amount } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import type { Call, Kept, Turn } from "../schema/turn.ts";
import type { Thinker } from "../schema/worker.ts";
import { keepText } from "../toolkit/keep-text.ts";
import { act, check } from "./act.ts";
import { allowance } from "./features/allowance.ts";
import { isOutOfRoom, makeRoom, squeeze } from "./features/compaction.ts";
import { handOff, refuse } from "./features/handoff.ts";
import { inputText, mayCall } from "./features/policy.ts";
import type { ParticipantContext } from "./participant-context.ts";

/** Returns `later` when the call failed: the log says what happens next, and when. */
export async function turn(seat: ParticipantContext): Promise<"done" | "later"> {
  if (!seat.me()?.turn && isOutOfRoom(seat) && (await handOff(seat, "limit.context", nextKey(seat)))) return "later";
  if (!seat.me()?.turn && !begin(seat)) return "later";
  const me = mine(seat);
  if (me.turn.status === "calling") {
    let stale: unknown;
    const { seq } = seat.state();
    const known = seat.guard.isLoaded();
    await Promise.all([seat.durable(), seat.refresh().catch((error) => (stale = error))]);
    await seat.world.point?.("turn.started");
    const same = known && seat.state().seq === seq;
    if (!stale && !same && outgrown(seat, mine(seat))) return "done";
    if (!(await call(seat, me, stale))) return "later";
  }
  seat.signal.throwIfAborted();
  if (mine(seat).turn.status !== "acting" || askFirst(seat)) return "later";
  const turn = mine(seat).turn as Acting;
  for (const asked of turn.calls) {
    seat.signal.throwIfAborted();
    if (asked.status !== "ended") await act(seat, mine(seat), turn, asked);
  }
  if (isSingle(me) && me.node && turn.calls.length === 0) await handOn(seat, turn.id);
  if (isOutOfTurns(seat)) await handOff(seat, "limit.turns", callKey(seat.state(), turn.id, "handoff"));
  const resource = await keepWords(seat, turn.id);
  seat.record({ type: "turn.end", turn: turn.id, participant: me.id, ...(resource ? { resource } : {}) });
  return "done";
}

/** This was the last turn of its node, and the node is still open. */
function isOutOfTurns(seat: ParticipantContext): boolean {
  const { node: id, turn } = mine(seat);
  const node = id && id === turn.node ? seat.state().nodes.get(id) : undefined;
  return node !== undefined && node.turns >= turnsOf(seat.state(), node);
}

/** Of the turn that would come next. */
const nextKey = (seat: ParticipantContext): string =>
  callKey(seat.state(), `${seat.me()!.id}.${seat.me()!.turns + 1}`, "handoff");

/** The answer of one who is asked once is its result. Done again after a crash, it changes nothing. */
async function handOn(seat: ParticipantContext, turn: string): Promise<void> {
  const said = mine(seat).conversation.findLast((line) => line.role === "assistant");
  if (!said?.text.trim()) return; // it is nudged, then its node fails
  const context = seat.toolContext({ key: callKey(seat.state(), turn, "answer") });
  const { node } = mine(seat);
  if (node && refuse(seat, node, "policy", `${mine(seat).name} has answered`)) return;
  await seat.durable();
  await context.write("result.md", `${said.text.trim()}\n`);
  await context.publish(shortenMiddle(said.text.trim(), 500), said.stop === "length");
}

/** What is too long to be a message is kept where whoever is mentioned in it can read it. Done again after a crash, it changes nothing. */
async function keepWords(seat: ParticipantContext, turn: string): Promise<string | undefined> {
  const me = seat.me();
  const content = me?.turn?.id === turn ? longFinalText(seat.state(), me, me.turn) : undefined;
  if (content === undefined || !seat.open()) return undefined;
  return await keepText(seat.toolContext({ key: callKey(seat.state(), turn, "words") }), { content });
}

/** Puts every call of this turn that needs it to the human, all at once. True if a word is still missing: the turn waits for it. */
function askFirst(seat: ParticipantContext): boolean {
  const me = mine(seat);
  for (const call of (me.turn as Acting).calls) {
    const tool = seat.tools.find((one) => one.name === call.tool);
    if (!tool || call.status !== "asked") continue;
    const checked = check(seat, tool, call.input);
    if ("refused" in checked) continue;
    const verdict = mayCall(seat, tool, me.turn.id, { id: call.id, input: checked.input });
    if (verdict.do !== "ask") continue;
    const { target } = verdict;
    const text = `May ${me.name} call ${call.tool}? ${verdict.why}\n${inputText(call.input)}`;
    seat.record({ type: "tool.ask", turn: me.turn.id, participant: me.id, call: call.id, text, target });
  }
  return (mine(seat).turn as Acting).asking !== undefined;
}

/**
 * Starts the turn and reserves the price of what it is allowed. Where calls of others hold that, it waits for them; a budget that is used up
 * ends in a state that says so. In neither case is there a call.
 */
function begin(seat: ParticipantContext): boolean {
  if (!seat.me() || !makeRoom(seat)) return false; // the run may have ended while a hand-off was tried
  const one = seat.me()!;
  const now = seat.world.clock.now();
  const { request: shown, bill } = seat.guard.request(now);
  const news = seat.guard.news();
  const mail = one.full ? [] : one.unread.filter((entry) => entry.seq > one.read);
  const lines = mail.length ? [...shown.lines, { role: "inbox" as const, entries: mail }] : shown.lines;
  const backend = backendOf(seat, one);
  const used = backend.name === undefined ? undefined : seat.state().usage.get(backend.name);
  const need = { own: one.needs, usual: used?.calls ? Math.ceil(used.output / used.calls) : undefined };
  const allowed = allowance(backend, { ...shown, lines }, roomFor(seat.state(), one, now), need);
  const request = { ...shown, lines, ...(allowed ? { allowed } : {}) };
  const reserve = backend.worst(request);
  const known = allowed && knownOf(backend, request, 0);
  try {
    seat.record({
      type: "turn.start",
      participant: one.id,
      reserve,
      ...(allowed ? { allowed, known } : {}),
      bill,
      ...(news ? { context: news } : {}),
    });
    if (news) seat.guard.noted(news);
    return true;
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== "budget_exhausted") throw problem;
    const isMoney = problem.details?.wanted !== undefined;
    const waits =
      isMoney && blockingAccount(seat.state(), accountsOf(one.id, one.node, iso(now)), reserve) !== undefined;
    seat.record(
      waits ? { type: "turn.queue", participant: one.id, reserve } : overdraftCommand(seat.state(), one, problem),
    );
    return false;
  }
}

const backendOf = (seat: ParticipantContext, one: Thinker): Backend => seat.backend(modelOf(seat.state(), one));

/** What the call of the turn under way is given. */
function requestOf(seat: ParticipantContext, { turn }: InTurn): Request {
  const { request } = seat.guard.request(seat.world.clock.now());
  return turn.status === "calling" && turn.allowed ? { ...request, allowed: turn.allowed } : request;
}

/** How far an answer can come before that is noted: so much, then twice as much, and so on. */
const firstMark = 1_000;

/** What a call is charged that is lost when this many tokens of its answer were heard: all up to the next mark. */
function knownOf(backend: Backend, request: Request, heard: number): Amount {
  const { output, searches } = request.allowed!;
  let mark = firstMark;
  while (mark <= heard) mark *= 2;
  return backend.worst({ ...request, allowed: { output: Math.min(mark, output), searches } });
}

/** What people changed since the turn began made it dearer than was reserved: it begins anew. */
function outgrown(seat: ParticipantContext, me: InTurn): boolean {
  const { usd, tokens } = backendOf(seat, me).worst(requestOf(seat, me));
  if (usd <= me.turn.reserved.usd + 1e-9 && tokens <= me.turn.reserved.tokens) return false;
  const message = "it starts over: what it is shown has grown";
  const reason = { code: "interrupted", message, next_mover: "nobody" };
  seat.record({ type: "turn.fail", turn: me.turn.id, participant: me.id, reason });
  return true;
}

/** True when the answer is recorded; false when the call failed and the log says what happens next. */
async function call(seat: ParticipantContext, me: InTurn, stale: unknown): Promise<boolean> {
  const of = { turn: me.turn.id, participant: me.id };
  let answer: Awaited<ReturnType<typeof listen>>;
  let began = false;
  try {
    answer = await listen(seat, me, stale, () => (began = true));
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
async function listen(seat: ParticipantContext, me: InTurn, stale: unknown, answering: () => void) {
  seat.signal.throwIfAborted();
  if (stale) throw new BackendError("transient", stale instanceof Error ? stale.message : String(stale));
  let text = "";
  const calls: Call[] = [];
  const request = requestOf(seat, mine(seat));
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
type Acting = Extract<Turn, { status: "acting" }>;

function mine(seat: ParticipantContext): InTurn {
  const one = seat.me();
  if (one?.turn) return one as InTurn;
  throw new Problem("closed", "the turn is over");
}
