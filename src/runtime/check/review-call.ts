/**
 * The calls of one review: until there is a verdict that can be read. A model is asked once; a worker may use its tools in between, for a bounded number of
 * calls. The price of each call is reserved before it is made, and that of the one before it is charged with it. What fails for the moment is
 * tried again; an answer that cannot be read is asked for once more.
 */
import { z } from "zod";
import { type Backend, BackendError, type Request } from "../../backend/backend.ts";
import { noAmount } from "../../core/agent/budget.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import { anySignal } from "../../lib/time/abort.ts";
import type { World } from "../../lib/world.ts";
import type { Amount } from "../../schema/budget.ts";
import { Finding } from "../../schema/evidence.ts";
import type { Call, Kept, Stop, Usage } from "../../schema/turn.ts";
import type { Line } from "../../schema/worker.ts";
import type { Said } from "./draft.ts";
import type { ReviewTools } from "./review-tools.ts";

/** What a call cost and used that had no verdict. */
export interface Earlier {
  lost?: Amount;
  usage?: Usage;
}

export interface ReviewCallOptions {
  world: World;
  signal: AbortSignal;
  tools: ReviewTools | undefined;
  /** Reserves the price of a call, durably, and charges the one before it. Throws if there is no budget. */
  reserve(reserve: Amount, earlier: Earlier): Promise<void>;
}

const timeoutMs = 300_000;
const retries = 2;
/** Tokens of its answer. */
const mostOutput = 4_000;
/** Calls in which tools are used, and how long it may go on with them. */
const mostWithTools = 12;
const mostMs = 900_000;

const onlyJson = "Answer with the JSON object only.";
const enough = "You have looked long enough: use no more tools, and answer with the JSON object now.";

export async function askReviewer(
  backend: Backend,
  first: Request,
  options: ReviewCallOptions,
): Promise<Said & { cost?: Amount; usage?: Usage }> {
  const { world, signal, tools } = options;
  const since = world.clock.mono();
  const lines: Line[] = [...first.lines];
  let note: string | undefined;
  let earlier: Earlier = {};
  for (let failures = 0, unread = 0, looks = 0; ; ) {
    const request: Request = { ...first, lines, note, tools: tools?.shapes ?? [] };
    const most = backend.most?.(request);
    const allowed = most ? { allowed: { output: Math.min(most.output, mostOutput), searches: 0 } } : {};
    const asked = { ...request, ...allowed };
    await options.reserve(backend.worst({ ...asked, turns: asked.turns - 1 }), earlier);
    await world.point?.("check.asked");
    try {
      const { text, calls, cost, usage, ...answer } = await listen(backend, asked, options);
      await world.point?.("check.heard");
      earlier = { lost: cost, ...(usage ? { usage } : {}) };
      const mayLook = looks < mostWithTools && world.clock.mono() - since < mostMs;
      if (tools && calls.length && mayLook) {
        looks++;
        const named = withOwnIds(calls, lines);
        lines.push({ role: "assistant", turn: "review", text, calls: named, ...answer }, ...(await use(tools, named)));
        signal.throwIfAborted();
        if (looks === mostWithTools) note = enough;
        continue;
      }
      const said = readVerdict(text);
      const spent = { cost, ...(usage ? { usage } : {}) };
      if (said) return { ...said, ...spent, output: [...usedText(tools), said.output].join("\n") };
      if (++unread > 1)
        return {
          outcome: "errored",
          output: `the reviewer's answer cannot be read: ${shortenMiddle(text, 1_000)}`,
          ...spent,
        };
      note = tools && !mayLook ? enough : onlyJson;
    } catch (error) {
      if (!(error instanceof BackendError) || error.kind !== "transient" || ++failures > retries) throw error;
      earlier = error.mayCost ? {} : { lost: noAmount };
      const waitMs = Math.max(error.retryAfterMs ?? 0, 2_000 * failures);
      await new Promise<void>((go) => world.clock.after(waitMs, go));
      signal.throwIfAborted();
    }
  }
}

/** A result must find its call, whatever the model called it. */
function withOwnIds(calls: readonly Call[], lines: readonly Line[]): Call[] {
  const taken = new Set(lines.flatMap((line) => (line.role === "tool" ? [line.call] : [])));
  return calls.map((call) => {
    let { id } = call;
    for (let nth = 1; !id || taken.has(id); nth++) id = `look-${nth}`;
    taken.add(id);
    return { ...call, id };
  });
}

/** One after the other: each has the copy to itself. */
async function use(tools: ReviewTools, calls: readonly Call[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const call of calls)
    lines.push({ role: "tool", turn: "review", call: call.id, tool: call.tool, ...(await tools.use(call)) });
  return lines;
}

const usedText = (tools: ReviewTools | undefined): string[] =>
  tools?.used.size ? [`Looked at by itself: ${shortenMiddle([...tools.used].join("; "), 1_000)}`] : [];

interface Heard {
  text: string;
  calls: Call[];
  cost: Amount;
  usage?: Usage;
  stop?: Stop;
  kept?: Kept;
}

async function listen(
  backend: Backend,
  request: Request,
  { world, signal }: Pick<ReviewCallOptions, "world" | "signal">,
): Promise<Heard> {
  const late = new AbortController();
  const cancel = world.clock.after(timeoutMs, () => late.abort(`it took longer than ${timeoutMs / 1000} s`));
  const stop = anySignal(signal, late.signal);
  let text = "";
  const calls: Call[] = [];
  try {
    for await (const part of backend.call(request, stop.signal)) {
      if (part.type === "text") text += part.text;
      if (part.type === "call") calls.push({ id: part.id, tool: part.tool, input: part.input });
      if (part.type !== "end") continue;
      const { type: _, ...end } = part;
      return { text: text.toWellFormed(), calls, ...end };
    }
  } catch (error) {
    if (late.signal.aborted && !signal.aborted)
      throw new BackendError("permanent", `it took longer than ${timeoutMs / 1000} s`, undefined, true);
    throw error;
  } finally {
    cancel();
    stop.release();
  }
  throw new BackendError("transient", "the answer was cut off before its end", undefined, true);
}

const Verdict = z.object({
  passes: z.boolean(),
  findings: z
    .array(
      z.union([
        Finding,
        z
          .string()
          .min(1)
          .transform((text) => ({ text: text.slice(0, 2_000) })),
      ]),
    )
    .max(50)
    .default([]),
});

/** What it says of the content; nothing if that cannot be read. Who does not let it pass must say why. */
export function readVerdict(text: string): Said | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
  const read = Verdict.safeParse(given);
  if (!read.success || (!read.data.passes && !read.data.findings.length)) return undefined;
  const { passes, findings } = read.data;
  const lines = findings.map(({ file, text }: Finding) => `- ${file ? `${file}: ` : ""}${text}`);
  return { outcome: passes ? "passed" : "failed", output: lines.join("\n") || "nothing to remark", findings };
}
