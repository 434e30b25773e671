/**
 * One tool call: intent, execution, result.
 *
 * A call that the log says was started, and whose result is missing, was interrupted by a crash: it is run again only if the tool says that
 * is safe; otherwise the model is told that nobody knows, and to check before repeating. Whatever a tool throws becomes a result.
 */

import { escapeWrapper } from "../core/message/mail-envelope.ts";
import { callKey } from "../core/turn/call-key.ts";
import { shortenMiddle } from "../lib/text/text.ts";
import { charactersWithin } from "../lib/text/tokens.ts";
import type { Turn } from "../schema/turn.ts";
import type { Thinker } from "../schema/worker.ts";
import type { Data } from "../toolkit/data.ts";
import { explain } from "../toolkit/explain.ts";
import { shownOf } from "../toolkit/shown.ts";
import type { Result, Tool } from "../toolkit/tool.ts";
import { roomForResult } from "./features/compaction.ts";
import { mayCall } from "./features/policy.ts";
import type { ParticipantContext } from "./participant-context.ts";

type Acting = Extract<Turn, { status: "acting" }>;

const longest = 100_000;
/** What stands around a result that fills its room: who wrote it, how to get the rest. */
const forMarks = 1_000;

/** A call that did not happen; made again and again it still counts. */
export const nothing = { effect: "reads", progress: "none" } as const;

export async function act(
  seat: ParticipantContext,
  me: Thinker,
  turn: Acting,
  call: Acting["calls"][number],
): Promise<void> {
  const of = { turn: turn.id, participant: me.id, call: call.id };
  const checked = check(
    seat,
    seat.tools.find((one) => one.name === call.tool),
    call.input,
  );
  if ("refused" in checked)
    return seat.record({ type: "tool.end", ...of, ...nothing, outcome: "error", result: checked.refused });
  const { tool } = checked;
  const verdict = mayCall(seat, tool, turn.id, { id: call.id, input: checked.input });
  if (call.status === "asked" && verdict.do !== "allow") {
    const result = `Denied: ${"why" in verdict ? verdict.why : ""}. It was not run. Find another way, or say what you would need.`;
    return seat.record({ type: "tool.end", ...of, ...nothing, outcome: "denied", result });
  }
  if (call.status === "started" && !tool.repeatable) {
    const result = `Outcome unknown: ${call.tool} was started and then interrupted. It may or may not have happened. Check before repeating it.`;
    return seat.record({ type: "tool.end", ...of, ...nothing, outcome: "unknown", result });
  }
  if (call.status === "asked") seat.record({ type: "tool.start", ...of });
  const key = callKey(seat.state(), turn.id, call.id);
  if (tool.effect === "outside") await seat.durable();
  await seat.world.point?.("tool.started");
  seat.signal.throwIfAborted(); // what it is for may have ended while the log was written
  const { outcome, text, wait, final, upto, data, offers, ...ran } = await runTool(seat, tool, checked.input, key);
  await seat.world.point?.("tool.ran");
  const { effect } = tool;
  const progress = ran.progress ?? tool.progress ?? (effect === "reads" ? "none" : "work");
  const reach = reachOf(data);
  seat.record({
    type: "tool.end",
    ...of,
    outcome,
    result: text,
    wait,
    final,
    upto,
    effect,
    progress,
    offers,
    ...reach,
  });
  await seat.world.point?.("tool.ended");
}

/** What the log keeps of where a result comes from. */
export const reachOf = ({ outside, links }: Partial<Data> = {}): { outside?: string; links?: string[] } => ({
  ...(outside === undefined ? {} : { outside }),
  ...(links?.length ? { links: [...links] } : {}),
});

/** The tool with its checked input; or why this call cannot be run at all, in words the model can act on. */
export function check(
  seat: ParticipantContext,
  tool: Tool | undefined,
  input: unknown,
): { tool: Tool; input: unknown } | { refused: string } {
  if (!tool)
    return { refused: `There is no tool of that name. You have ${seat.tools.map((one) => one.name).join(", ")}.` };
  const checked = tool.input.safeParse(input);
  return checked.success ? { tool, input: checked.data } : { refused: explain(tool, checked.error) };
}

/** Throws only when the seat is taken away. */
export async function runTool(
  seat: ParticipantContext,
  tool: Tool,
  input: unknown,
  key: string,
): Promise<Result & { outcome: "ok" | "error" }> {
  const over = seat.world.working?.({ agent: seat.state().agent?.id, what: tool.name, bytes: lengthOf(input) });
  try {
    const room = roomForResult(seat);
    const given = await tool.run(input as never, seat.toolContext({ key, room }));
    const result = typeof given === "string" ? { text: given } : given;
    const text = seat.redact.text(shownOf(result));
    const most = Math.min(longest, charactersWithin(text, room) + forMarks);
    return { ...result, text: shortenMiddle(text, most), outcome: result.failed ? "error" : "ok" };
  } catch (error) {
    if (seat.signal.aborted) throw error;
    const text = error instanceof Error ? error.message : String(error);
    return { text: shortenMiddle(seat.redact.text(escapeWrapper(text)), longest), outcome: "error" };
  } finally {
    over?.();
  }
}

/** Of the texts in it; the rest is small. */
const lengthOf = (input: unknown): number =>
  Object.values(input ?? {}).reduce<number>((sum, one) => sum + (typeof one === "string" ? one.length : 0), 0);
