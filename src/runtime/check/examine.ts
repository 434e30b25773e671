/**
 * Does the checks on what is about to be published, and records their results.
 *
 * Always holds: every result is on the hash of exactly this content, and durable before anything follows from it. A check that passed or failed on
 * this content is not done again, also after a crash. Reviews come last, and only if nothing failed. A check that cannot be done is errored, with
 * the reason; nothing is ever taken as passed because it could not be tried.
 */
import type { Backend } from "../../backend/backend.ts";
import { noAmount } from "../../core/agent/budget.ts";
import { isReview, resultsOn } from "../../core/board/check.ts";
import type { Redactor } from "../../lib/text/redact.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import type { World } from "../../lib/world.ts";
import type { Check, CheckResult } from "../../schema/evidence.ts";
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";
import type { Draft } from "../workspace/publish.ts";
import { checkCommand, type RunOn } from "./command-check.ts";
import type { Said } from "./draft.ts";
import { checkFile } from "./file-check.ts";
import { checkLinks } from "./link-check.ts";
import { type Reviewed, review } from "./review.ts";

export interface ExamineOptions {
  live: Live;
  world: World;
  /** The node; nothing for the answer of the run. */
  node: string | undefined;
  author: string;
  task: string;
  acceptance: string | undefined;
  summary: string;
  attempt: number;
  signal: AbortSignal;
  redact: Redactor;
  run: RunOn;
  /** Why the author may not fetch this address; nothing if it may. */
  may(url: string): string | undefined;
  /** Why this worker may not run commands itself; nothing if it may. */
  barred(worker: string): string | undefined;
  backend(model: string): Backend;
  /** Keeps the whole of a long output. */
  put(content: string): Promise<string>;
  /** Reviews cost turns and money that somebody who is at the limit does not have. */
  reviews: boolean;
}

const longestOutput = 4_000;

export async function examine(
  checks: readonly Check[],
  draft: Draft,
  on: string,
  options: ExamineOptions,
): Promise<void> {
  const { live, node, world, signal } = options;
  const known = () => resultsOn(checks, resultsIn(live, node), on);
  const order = checks.map((check, at) => ({ check, number: at + 1 })).sort((a, b) => rank(a.check) - rank(b.check));
  for (const { check, number } of order) {
    const before = known().get(number)?.outcome;
    if (before === "passed" || before === "failed") continue;
    if (isReview(check) && (!options.reviews || [...known().values()].some(({ outcome }) => outcome === "failed")))
      continue;
    signal.throwIfAborted();
    const since = world.clock.mono();
    const said = await perform(check, number, draft, on, options);
    await world.point?.("check.done");
    const seconds = Math.max(0, Math.round(world.clock.mono() - since)) / 1000;
    await record(check, number, on, { by: "runtime", ...said }, seconds, options);
    await world.point?.("check.recorded");
  }
}

const rank = (check: Check): number => (isReview(check) ? 1 : 0);

function resultsIn(live: Live, node: string | undefined): readonly CheckResult[] | undefined {
  const { nodes, run } = live.state();
  return node === undefined ? run?.results : nodes.get(node)?.results;
}

async function perform(
  check: Check,
  number: number,
  draft: Draft,
  on: string,
  options: ExamineOptions,
): Promise<Said | Reviewed> {
  const { live, world, node, author, signal, may, run } = options;
  try {
    if ("file" in check) return await checkFile(world, draft, check, signal);
    if ("links" in check) return await checkLinks(check, { world, draft, signal, may });
    if (!("review" in check)) {
      const what = { node, check: number, on, by: "runtime", payer: author, reserve: noAmount };
      await live.dispatch({ type: "check.start", ...what }, { actor: author });
      return await checkCommand(check, draft, run);
    }
    return await review(check, {
      ...options,
      draft,
      state: live.state,
      async reserve({ by, payer }, reserve, earlier) {
        const what = { node, check: number, on, by, payer, reserve, ...earlier };
        await live.dispatch({ type: "check.start", ...what }, { actor: author });
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Problem) || live.signal.aborted) throw error;
    return { outcome: "errored", output: error.message };
  }
}

async function record(
  what: Check,
  check: number,
  on: string,
  { output: whole, findings, ...said }: Said & { by: string },
  seconds: number,
  { live, node, author, redact, put }: ExamineOptions,
): Promise<void> {
  const output = redact.text(whole.toWellFormed());
  const kept = output.length > longestOutput ? { whole: await put(output) } : {};
  const remarks = findings?.map(({ text, ...rest }) => ({ ...rest, text: redact.text(text.toWellFormed()) || "-" }));
  await live.dispatch(
    {
      type: "check.end",
      ...(node === undefined ? { what } : { node }),
      check,
      on,
      ...said,
      output: shortenMiddle(output, longestOutput - 100),
      ...kept,
      ...(remarks ? { findings: remarks } : {}),
      seconds,
    },
    { actor: author },
  );
}
