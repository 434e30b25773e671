/**
 * Checks and what follows from them: whether a result is verified, reviewed or claimed.
 *
 * Always holds: only results on this very content count (`on`), so what was checked before a change says nothing about what came after it. Nothing
 * is verified unless every check passed and one of them was done by the runtime; nothing is reviewed if a check failed. A review is reserved
 * before it is asked and settled once; one that was interrupted, or whose node ended meanwhile, is charged what was reserved. Its author reviews
 * nothing.
 *
 * Not here: how a check is done (runtime/check).
 */
import { shortLine } from "../../lib/text/text.ts";
import type { Amount } from "../../schema/budget.ts";
import type { Check, CheckResult, Evidence } from "../../schema/evidence.ts";
import type { NodeId } from "../../schema/ids.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Run } from "../../schema/run.ts";
import { accountsOf, assertAffordable, capAmount, charge, countUsage, negate, noAmount } from "../agent/budget.ts";
import { requireNode, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, iso, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { later } from "../time/postpone.ts";

export const isReview = (check: Check): boolean => "review" in check;

/** The results of these checks on this content, by number. */
export function resultsOn(
  checks: readonly Check[] = [],
  results: readonly CheckResult[] = [],
  on: string | undefined,
): Map<number, CheckResult> {
  const counts = (one: CheckResult) => one.on === on && isSame(one.what, checks[one.check - 1]);
  return new Map(results.filter(counts).map((one) => [one.check, one]));
}

/** The checks of a run are given with each attempt to finish it, so a number alone says nothing. */
const isSame = (a: Check, b: Check | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What these checks, as far as they were done on this content, say of it. */
export function evidenceFor(
  checks: readonly Check[] = [],
  results: readonly CheckResult[] | undefined,
  on: string | undefined,
): Evidence {
  const known = resultsOn(checks, results, on);
  const outcomes = checks.map((check, at) => ({ check, outcome: known.get(at + 1)?.outcome }));
  const passed = outcomes.filter(({ outcome }) => outcome === "passed");
  if (passed.length === checks.length && passed.some(({ check }) => !isReview(check))) return "verified";
  if (outcomes.some(({ outcome }) => outcome === "failed")) return "claimed";
  return passed.some(({ check }) => isReview(check)) ? "reviewed" : "claimed";
}

/** What it is, in a few words. */
export function checkTitle(check: Check): string {
  if ("run" in check) return `run ${shortLine(check.run, longestTitle)}`;
  if ("tests" in check)
    return check.tests === true ? "the project's tests" : `tests: ${shortLine(check.tests, longestTitle)}`;
  if ("links" in check) return check.links === true ? "every link resolves" : `every link in ${check.links} resolves`;
  if ("review" in check) return `review${check.review === true ? "" : `: ${shortLine(check.review, longestTitle)}`}`;
  const wants = [
    ...(check.schema ? ["its JSON schema"] : []),
    ...(check.matches === undefined ? [] : [`/${shortLine(check.matches, longestTitle)}/`]),
    ...(check.min_bytes === undefined ? [] : [`at least ${check.min_bytes} bytes`]),
    ...(check.max_bytes === undefined ? [] : [`at most ${check.max_bytes} bytes`]),
  ];
  return `${check.file}${wants.length ? `: ${wants.join(", ")}` : " is there"}`;
}
const longestTitle = 200;

/** A result as a line of a list, for people. */
export const resultLine = ({ check, what, outcome, by }: CheckResult): string =>
  `- ${check}. ${outcome}: ${checkTitle(what)} (by ${by})`;

/** A check that did not pass, as its author or the coordinator reads it. The output is others' text. */
export const failureText = ({ check, what, outcome, output, by }: CheckResult): string =>
  `Check ${check} ${outcome === "failed" ? "failed" : "could not be done"} (${checkTitle(what)}; by ${by}):\n${output}`;

/** What the worker is told of content that was rejected, from the state alone: the same after a crash. `details` is others' text. */
export function rejectionOf(state: State, id: NodeId): { text: string; details: string } {
  const { results = [], checks = [], attempts_left, if_unverified } = requireNode(state, id);
  const bad = results.filter(({ outcome }) => outcome !== "passed");
  const passed = results.length - bad.length;
  const more = attempts_left === 1 ? "one more attempt" : `${attempts_left} more attempts`;
  const ends =
    if_unverified === "fail" ? "the node fails" : "it is published as it is, and everyone sees that it is only claimed";
  const text =
    `Not published: ${bad.length} of ${checks.length} checks did not pass${passed ? `, ${passed} passed` : ""}. ${id} is still yours. ` +
    `Fix it and publish again: you have ${more}; if they do not pass either, ${ends}. If a check cannot be met, publish with partial and say why.`;
  return { text, details: bad.map(failureText).join("\n\n") };
}

/** Of something that is completed; older logs do not say. */
export const evidenceOf = (of: Node | Run): Evidence | undefined =>
  of.status === "completed" ? (of.evidence ?? "claimed") : undefined;

const strength: readonly Evidence[] = ["claimed", "reviewed", "verified"];
/** Both of a list that is not empty. */
const weakest = (all: readonly Evidence[]): Evidence => strength[Math.min(...all.map((one) => strength.indexOf(one)))]!;
const strongest = (all: readonly Evidence[]): Evidence =>
  strength[Math.max(...all.map((one) => strength.indexOf(one)))]!;

/** As far as checks on the whole speak for what others made of its parts. */
function judged(whole: Evidence, results: readonly CheckResult[]): Evidence {
  const passed = results.flatMap(({ outcome, what }) => (outcome === "passed" ? [what] : []));
  if (whole === "verified" && passed.some((check) => "run" in check || "tests" in check)) return "verified";
  return whole !== "claimed" && passed.some(isReview) ? "reviewed" : "claimed";
}

/** The completed nodes of the run that nothing has replaced: what its answer is made of. */
export function inputsOf({ nodes }: State): (Node & { status: "completed" })[] {
  const replaced = new Set(
    [...nodes.values()].flatMap((node) => (node.status === "completed" ? [node.retry_of, node.again] : [])),
  );
  return [...nodes.values()].flatMap((node) => (node.status === "completed" && !replaced.has(node.id) ? [node] : []));
}

/**
 * The answer of a run is as good as the weakest of its nodes, unless checks on the whole say more; and what is claimed only. That a file is there, has
 * a shape or working links proves nothing of what the nodes claim: only what runs the whole, or a review of it, says more than they do.
 */
export function proofOf(
  state: State,
  checks: readonly Check[] | undefined,
  on: string | undefined,
): { evidence: Evidence; claimed: NodeId[] } {
  const inputs = inputsOf(state);
  const results = [...resultsOn(checks, state.run?.results, on).values()];
  const whole = evidenceFor(checks, state.run?.results, on);
  const parts = inputs.map((node) => evidenceOf(node)!);
  const failed = results.some(({ outcome }) => outcome === "failed");
  return {
    evidence: failed ? "claimed" : parts.length ? strongest([weakest(parts), judged(whole, results)]) : whole,
    claimed: inputs.filter((node) => evidenceOf(node) === "claimed").map(({ id }) => id),
  };
}

export interface Attempt {
  on: string | undefined;
  partial?: boolean | undefined;
  limit?: string | undefined;
}

/**
 * What becomes of content that a worker wants to publish. It is rejected only if the worker can do something about it: a check failed, it does
 * not say itself that the result is partial, and it has attempts left.
 */
export function verdictOn(node: Node, { on, partial, limit }: Attempt, attempts: number): Verdict {
  const known = resultsOn(node.checks, node.results, on);
  const numbers = (node.checks ?? []).map((_, at) => at + 1);
  const failed = numbers.filter((check) => known.get(check)?.outcome === "failed");
  const attempt = (node.rejections ?? 0) + 1;
  if (numbers.every((check) => known.get(check)?.outcome === "passed")) return { do: "publish" };
  if (failed.length && !partial && limit === undefined && attempt < attempts) return { do: "reject", failed, attempt };
  return node.if_unverified === "fail" ? { do: "fail", failed } : { do: "publish" };
}
export type Verdict =
  | { do: "publish" }
  | { do: "reject"; failed: number[]; attempt: number }
  | { do: "fail"; failed: number[] };

const checkDecide: Deciders<"check.start" | "check.end"> = {
  "check.start": (state, { node, check, on, by, payer, reserve: reserved, lost: known, usage }, { now }) => {
    const { what } = requireCheck(state, node, check);
    if (what && !isReview(what) && (by !== "runtime" || reserved.usd || reserved.tokens))
      throw new Problem("invalid", `check ${check} of ${node} is not a review: the runtime does it, for nothing`);
    assertReviewer(state, node, what, by);
    const open = state.reviews.get(place(node));
    assertAffordable(state, accountsOf(payer, node, iso(now)), reserved);
    const lost = open ? { lost: capAmount(known ?? open.reserved, open.reserved), ...(usage ? { usage } : {}) } : {};
    return [{ type: "check.started", data: { node, check, on, by, payer, reserved, ...lost } }];
  },

  /** What has passed or failed on this content keeps its result. */
  "check.end": (state, { type: _, what: given, ...ended }) => {
    const { what = given, results } = requireCheck(state, ended.node, ended.check);
    if (!what) throw new Problem("invalid", `check ${ended.check} of the run: it must be said what it is`);
    assertReviewer(state, ended.node, what, ended.by);
    const { outcome: before } =
      results?.find((one) => one.on === ended.on && one.check === ended.check && isSame(one.what, what)) ?? {};
    const isAsked = state.reviews.get(place(ended.node))?.check === ended.check;
    if (!isAsked && (before === "passed" || before === "failed")) return [];
    return [{ type: "check.ended", data: { ...ended, what } }];
  },
};

const place = (node: NodeId | undefined): string => node ?? "run";

function requireCheck(state: State, id: NodeId | undefined, check: number) {
  const run = requireRun(state);
  if (id === undefined) return { what: undefined, results: run.results };
  const node = requireNode(state, id);
  const what = node.checks?.[check - 1];
  if (!what) throw new Problem("not_found", `${id} has ${node.checks?.length ?? 0} checks; there is no check ${check}`);
  if (node.status !== "running")
    throw new Problem("wrong_state", `${id} is ${node.status}; only what a running node publishes is checked`);
  return { what, results: node.results };
}

function assertReviewer(state: State, id: NodeId | undefined, what: Check | undefined, by: string): void {
  const node = id === undefined ? undefined : state.nodes.get(id);
  if (what && !isReview(what)) return;
  if (node && "worker" in node && node.worker === by)
    throw new Problem("forbidden", `${by} is the author of ${id}; somebody else must review it`);
}

const reduceChecks: Reduce = (state, event) => {
  switch (event.type) {
    case "check.started": {
      const { lost, usage, ...review } = event.data;
      standStill(state, review.node, event.ts);
      giveUp(state, place(review.node), lost);
      if (usage) countUsage(state, usage, lost?.usd ?? 0);
      charge(state, review.payer, review.node, event.ts, noAmount, review.reserved);
      state.reviews.set(place(review.node), { ...review, at: event.ts });
      return;
    }
    case "check.ended": {
      const { node, cost, usage, ...result } = event.data;
      const open = state.reviews.get(place(node));
      if (open && open.check === result.check) {
        standStill(state, node, event.ts);
        state.reviews.delete(place(node));
        charge(state, open.payer, open.node, open.at, cost ?? open.reserved, negate(open.reserved));
      }
      if (usage) countUsage(state, usage, cost?.usd ?? 0);
      return keep(state, node, { ...result, at: event.ts });
    }
    case "node.completed":
    case "node.failed":
    case "node.cancelled":
    case "node.retried":
      return giveUp(state, event.data.node);
    case "run.completed":
    case "run.stopped":
      for (const open of [...state.reviews.keys()]) giveUp(state, open);
  }
};

/** While its result is checked a worker can do nothing: that time does not count for its node. */
function standStill(state: State, id: NodeId | undefined, until: string): void {
  const open = state.reviews.get(place(id));
  const node = id === undefined ? undefined : state.nodes.get(id);
  if (open && node?.status === "running")
    state.nodes.set(node.id, { ...node, started_at: later(node.started_at, open.at, until) });
}

/** Nobody hears its end: it is charged what was reserved, unless more is known. */
function giveUp(state: State, at: string, lost?: Amount): void {
  const open = state.reviews.get(at);
  if (!open) return;
  state.reviews.delete(at);
  charge(state, open.payer, open.node, open.at, lost ?? open.reserved, negate(open.reserved));
}

/** Results on other content are over. */
function keep(state: State, id: NodeId | undefined, result: CheckResult): void {
  const merged = (before: readonly CheckResult[] = []) =>
    [...before.filter(({ on, check }) => on === result.on && check !== result.check), result].sort(
      (a, b) => a.check - b.check,
    );
  if (id === undefined) {
    if (state.run?.status === "open") state.run = { ...state.run, results: merged(state.run.results) };
    return;
  }
  const node = state.nodes.get(id);
  if (node?.status === "running") state.nodes.set(id, { ...node, results: merged(node.results) });
}

export const check = defineBehaviour({
  decide: checkDecide,
  reduce: [
    {
      phase: "before",
      looksAt: [
        "check.started",
        "check.ended",
        "node.completed",
        "node.failed",
        "node.cancelled",
        "node.retried",
        "run.completed",
        "run.stopped",
      ],
      reduce: reduceChecks,
    },
  ],
});
