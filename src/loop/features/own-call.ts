/**
 * One tool call that a program makes by itself while its turn is under way: the same check, policy, key, events and limits as a call that an
 * answer asks for (loop/act.ts).
 *
 * What differs follows from this, that nobody can park a program from outside: a call that the policy puts to the human waits for the answer; a
 * tool that parks its caller returns at once and says so; and looking again and again does not count as repeating. What is given back is durable.
 * Not here: who may speak for a participant (runtime/program/tool-calls.ts).
 */

import { callKey } from "../../core/turn/call-key.ts";
import { worksByFiles } from "../../core/turn/driver.ts";
import { wellFormed } from "../../lib/json/json.ts";
import { Problem } from "../../schema/problem.ts";
import type { Outcome } from "../../schema/turn.ts";
import type { Result, Tool } from "../../toolkit/tool.ts";
import { check, nothing, reachOf, runTool } from "../act.ts";
import type { ParticipantContext } from "../participant-context.ts";
import { inputText, mayCall } from "./policy.ts";

export interface OwnResult {
  outcome: Outcome;
  text: string;
}

const longestInput = 1_000_000;
const startedBefore =
  "You made this very call before you were interrupted, and it was started then. It was not run again. Check what it did; call it once more if it has to be repeated.";

/** Throws a Problem if it holds no turn in which it may call; whatever becomes of the call itself is a result. */
export async function callByItself(
  seat: ParticipantContext,
  given: { tool: string; input: unknown },
): Promise<OwnResult> {
  const me = seat.me();
  if (!me?.turn)
    throw new Problem("wrong_state", `${me?.name ?? "it"} is not in a turn; tools can be called only during a turn`);
  const input = checked(given.input);
  const turn = { turn: me.turn.id, participant: me.id };
  seat.record({ type: "tool.call", ...turn, tool: given.tool.toWellFormed(), input });
  const now = seat.me()?.turn;
  const asked = now?.status === "calling" ? now.own?.open.at(-1) : undefined;
  if (asked === undefined) throw new Problem("closed", `${turn.turn} is over`);
  const call = asked.id;

  const tool = seat.tools.find((one) => one.name === given.tool);
  const { counts, ...ended } = await perform(seat, tool, input, { ...turn, call, again: asked.again });
  end(seat, { type: "tool.end", ...turn, call, ...counts, outcome: ended.outcome, result: ended.text });
  await seat.durable();
  return ended;
}

type Ended = Extract<Parameters<ParticipantContext["record"]>[0], { type: "tool.end" }>;
type Counts = Pick<Ended, "effect" | "progress" | "upto" | "outside" | "links"> &
  Partial<Pick<Ended, "wait" | "final">>;

async function perform(
  seat: ParticipantContext,
  known: Tool | undefined,
  given: unknown,
  { turn, call, again }: { turn: string; call: string; again: string | undefined },
): Promise<OwnResult & { counts: Counts }> {
  const checked = check(seat, known, given);
  if ("refused" in checked) return { outcome: "error", text: checked.refused, counts: nothing };
  const { tool, input } = checked;
  if (again && !tool.repeatable) return { outcome: "unknown", text: startedBefore, counts: nothing };
  const verdict = await decided(seat, tool, turn, { id: call, input });
  if (verdict.do !== "allow") {
    const text = `Denied: ${verdict.why}. It was not run. Find another way, or say in your result what you would need.`;
    return { outcome: "denied", text, counts: nothing };
  }
  const key = callKey(seat.state(), turn, again ?? call);
  if (tool.effect === "outside") await seat.durable();
  try {
    seat.signal.throwIfAborted();
    const ran = await orStopped(seat.signal, runTool(seat, tool, input, key));
    // Who cannot be parked looks again and again: that is no loop.
    const effect = tool.effect === "reads" ? undefined : tool.effect;
    const progress = ran.progress ?? tool.progress ?? (effect === undefined ? "none" : "work");
    const parks = worksByFiles(seat.state(), seat.me()!) ? {} : { wait: ran.wait, final: ran.final ?? false };
    const counts = { effect, progress, upto: ran.upto, ...parks, ...reachOf(ran.data) };
    return { outcome: ran.outcome, text: ran.text + aside(seat, ran), counts };
  } catch (error) {
    if (!seat.signal.aborted) throw error;
    return {
      outcome: "unknown",
      text: "Stopped before it was done. It may or may not have happened.",
      counts: nothing,
    };
  }
}

/** The human is asked where the policy says so; the program waits for the answer, as long as its turn lasts. */
async function decided(seat: ParticipantContext, tool: Tool, turn: string, call: { id: string; input: unknown }) {
  for (;;) {
    const verdict = mayCall(seat, tool, turn, call);
    if (verdict.do !== "ask" || seat.signal.aborted) return verdict;
    const me = seat.me()!;
    const text = `May ${me.name} call ${tool.name}? ${verdict.why}\n${inputText(call.input)}`;
    seat.record({
      type: "program.ask",
      turn,
      participant: me.id,
      call: call.id,
      tool: tool.name,
      text,
      target: verdict.target,
    });
    await seat.changed(seat.signal);
    if (seat.me()?.turn?.id !== turn) throw new Problem("closed", `${turn} is over`);
  }
}

/** Also when the tool does not hear its signal. */
function orStopped<T>(signal: AbortSignal, job: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    job.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** A program that works through files cannot be woken again; every other ends its turn and is. */
function aside(seat: ParticipantContext, { wait }: Result): string {
  if (!wait) return "";
  return worksByFiles(seat.state(), seat.me()!)
    ? "\n(You are not parked: what you wait for comes into your inbox; check_messages shows it.)"
    : "\n(End your turn now. You are woken when it has happened.)";
}

/** The turn may have ended by this very call, or meanwhile: then the log says that, and there is nothing to add. */
function end(seat: ParticipantContext, command: Parameters<ParticipantContext["record"]>[0]): void {
  try {
    seat.record(command);
  } catch (problem) {
    if (!(problem instanceof Problem) || seat.closed()) throw problem;
  }
}

/** As it can be written down. */
function checked(input: unknown): unknown {
  const { length } = JSON.stringify(input ?? {});
  if (length > longestInput)
    throw new Problem("too_large", `the input has ${length} characters; at most ${longestInput} are allowed`);
  return wellFormed(input ?? {});
}
