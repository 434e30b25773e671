/**
 * One turn: reserve, call, record, act, acknowledge. It can begin anywhere: a turn that a crash interrupted goes on from what the log knows.
 *
 * Always holds: nothing outside is touched before the log durably says so; a tool is run only from an answer that ended properly and is
 * recorded; every tool call gets exactly one result before the next model call.
 *
 * Not here: the model call itself (call.ts), one tool call (act.ts).
 */
import { accountsOf, overdraftCommand } from "../core/agent/budget.ts";
import { turnsOf } from "../core/board/node-time.ts";
import { iso } from "../core/noun.ts";
import { isSingle } from "../core/team/worker.ts";
import { callKey } from "../core/turn/call-key.ts";
import { longFinalText } from "../core/turn/final-text.ts";
import { blockingAccount, roomFor } from "../core/turn/queue.ts";
import { shortenMiddle } from "../lib/text/text.ts";
import { Problem } from "../schema/problem.ts";
import type { Turn } from "../schema/turn.ts";
import { keepText } from "../toolkit/keep-text.ts";
import { act, check } from "./act.ts";
import { backendOf, call, knownOf, mine, outgrown, type Prepared, prepare } from "./call.ts";
import { allowance } from "./features/allowance.ts";
import { isOutOfRoom, makeRoom } from "./features/compaction.ts";
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
    let ready: Prepared | undefined;
    const { seq } = seat.state();
    const known = seat.guard.isLoaded();
    const refreshed = seat.refresh().then(
      // While the disk is still busy, and used only if nothing has happened since.
      () => (ready = known ? prepare(seat) : undefined),
      (error) => (stale = error),
    );
    await Promise.all([seat.durable(), refreshed]);
    await seat.world.point?.("turn.started");
    const same = known && seat.state().seq === seq;
    if (!stale && !same && outgrown(seat, mine(seat))) return "done";
    if (!(await call(seat, me, stale, ready))) return "later";
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
  const offered = seat.guard.offered();
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
      ...(Object.keys(offered).length ? { offered } : {}),
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

type Acting = Extract<Turn, { status: "acting" }>;
