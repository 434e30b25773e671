/**
 * May this call be made? The first rule of the config that fits decides. What no rule speaks of is allowed, unless the run has read what strangers wrote and
 * the call goes to a place that the human did not name, or changes the memory: then the config's `taint` decides. `ask` puts it to the human, bound to this very
 * call: the log holds its input, and nothing can change it between the question and the deed. The rules of the run's workflow are asked too, and count only
 * where they are stricter: a file can take something away from its team, and give it nothing. So do those of a team in which the agent is a guest, for calls
 * that act in that team.
 */
import { decisionOn } from "../../core/human/question.ts";
import { agentIn } from "../../core/message/address.ts";
import type { State } from "../../core/state.ts";
import { slug } from "../../core/team/names.ts";
import { lineage } from "../../core/team/sub-worker.ts";
import { addressOf, isTainted, sourcesSay } from "../../core/turn/taint.ts";
import { linesIn, visibleJson } from "../../lib/text/visible.ts";
import type { TaintPolicy } from "../../schema/config.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Target, Tool } from "../../toolkit/tool.ts";
import type { ParticipantContext } from "../participant-context.ts";

/** `target`: the new place that the question is about. */
export type Verdict = { do: "allow" } | { do: "ask"; why: string; target?: string } | { do: "deny"; why: string };

interface Named {
  id: string;
  name: string;
}
/** `lineage`: the participant and the workers through whom it came (core/team/sub-worker.ts): it may do only what each of them may. */
type Judging = Pick<ParticipantContext, "me" | "state" | "policy" | "taint">;
type Judged = [rules: readonly PolicyRule[], tool: Tool, lineage: readonly Named[], toward?: string];

/** By the rules alone. */
export const judge = (...given: Judged): Verdict => ruled(...given) ?? { do: "allow" };

/** By the config, and by the workflow of the run where that is stricter. */
export function judgeFor(state: State, rules: readonly PolicyRule[], tool: Tool, one: Thinker): Verdict {
  const line = lineage(state, one);
  return tighten(judge(rules, tool, line), ruled(runRules(state), tool, line));
}

/** The rules that the workflow of the run declares. */
export const runRules = ({ run }: Pick<State, "run">): readonly PolicyRule[] =>
  (run?.team?.policy ?? []).map((rule) => ({ why: `the workflow of this run says ${rule.do}`, ...rule }));

const strictness = { allow: 0, ask: 1, deny: 2 };

/** A verdict, or another one that is stricter. */
const tighten = (verdict: Verdict, other: Verdict | undefined): Verdict =>
  other && strictness[other.do] > strictness[verdict.do] ? other : verdict;

/** What the rules say of all of them together, the strictest; nothing if for one of them no rule speaks of it. */
function ruled(...[rules, tool, lineage, toward]: Judged): Verdict | undefined {
  return strictest(lineage.map((one) => ruleFor(rules, tool, one, toward)));
}

function strictest(verdicts: readonly (Verdict | undefined)[]): Verdict | undefined {
  return (
    verdicts.find((verdict) => verdict?.do === "deny") ??
    verdicts.find((verdict) => verdict?.do === "ask") ??
    (verdicts.includes(undefined) ? undefined : verdicts[0])
  );
}

function ruleFor(rules: readonly PolicyRule[], tool: Tool, worker: Named, toward = ""): Verdict | undefined {
  const names = [tool.name, tool.alias ?? "", toward];
  const rule = rules.find(
    (rule) =>
      (!rule.tool || names.some((name) => matches(rule.tool!, name))) &&
      (!rule.effect || rule.effect === tool.effect) &&
      (!rule.worker || matches(rule.worker, worker.id) || matches(rule.worker, worker.name)),
  );
  if (!rule) return undefined;
  if (rule.do === "allow") return { do: "allow" };
  return { do: rule.do, why: rule.why ?? `the policy of this home says ${rule.do}` };
}

/** With what the human said so far about this call, or about such calls. `input` is checked. */
export function mayCall(seat: Judging, tool: Tool, turn: string, call: { id: string; input: unknown }): Verdict {
  const me = seat.me()!;
  const own = tighten(
    ruledFor(seat, seat.policy, tool, call.input) ?? judgeTainted(seat, tool, call.input),
    ruledFor(seat, runRules(seat.state()), tool, call.input),
  );
  const verdict = tighten(own, ruledInTeams(seat.state(), tool, call.input));
  if (verdict.do !== "ask") return verdict;
  const { target } = verdict;
  const approves = { turn, call: call.id, tool: tool.name, ...(target === undefined ? {} : { target }) };
  const word = decisionOn(seat.state(), me.id, approves);
  if (word?.status !== "answered") return verdict;
  return word.answer === "allow"
    ? { do: "allow" }
    : { do: "deny", why: `the human said ${word.answer.replace(/^deny$/, "no").replace(/^deny: /, "no: ")}` };
}

/** A call that reaches several agents is judged for each. What is asked is bound to them, and so is an answer for good. */
function ruledFor(seat: Judging, rules: readonly PolicyRule[], tool: Tool, input: unknown): Verdict | undefined {
  const line = lineage(seat.state(), seat.me()!);
  const agents = tool.toward?.(input as never) ?? [];
  if (!agents.length) return ruled(rules, tool, line);
  const verdict = strictest(agents.map((agent) => ruled(rules, tool, line, agent)));
  return verdict?.do === "ask" ? { ...verdict, target: agents.join(", ") } : verdict;
}

/** By the teams of other agents in which the call acts: their rules for the one that this agent is there. */
function ruledInTeams({ memberships }: State, tool: Tool, input: unknown): Verdict | undefined {
  const agents = tool.toward?.(input as never) ?? [];
  const verdicts = agents.flatMap((agent) => {
    const { team, as, policy = [] } = memberships.get(agentIn(agent) ?? "") ?? {};
    if (as === undefined) return [];
    const rules = policy.map((rule) => ({ why: `the workflow of agent:${team} says ${rule.do}`, ...rule }));
    return [ruled(rules, tool, [{ id: slug(as), name: as }], agent)];
  });
  const verdict = strictest(verdicts);
  return verdict?.do === "ask" ? { ...verdict, target: agents.join(", ") } : verdict;
}

const longest = 20_000;

/** What the call would be given, as its question says it: JSON in which nothing is hidden, and how many lines a text in it has. */
export function inputText(input: unknown): string {
  const text = visibleJson(input, 2);
  const fields = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const lines = fields.flatMap(([name, value]) =>
    typeof value === "string" && linesIn(value) ? [`${visibleJson(name)} has ${linesIn(value)}`] : [],
  );
  const left = text.length - longest;
  return [
    left > 0 ? text.slice(0, longest).toWellFormed() : text,
    ...(left > 0 ? [`[${left} more characters are not shown here; see them in the page before you allow it]`] : []),
    ...(lines.length ? [`(${lines.join(", ")})`] : []),
  ].join("\n");
}

function judgeTainted(seat: Judging, tool: Tool, input: unknown): Verdict {
  const state = seat.state();
  if (!seat.taint || !isTainted(state)) return { do: "allow" };
  const read = `this run has read what ${sourcesSay(state)}`;
  if (tool.changes === "memory") return decided(seat.taint.memory, `${read}, and this would be remembered`);
  const target = tool.target?.(input as never);
  if (target === undefined || isKnown(target, state, seat.taint)) return { do: "allow" };
  const verdict = decided(seat.taint.hosts, `${read}, and nobody you trust named ${target.name}`);
  return verdict.do === "ask" ? { ...verdict, target: target.name } : verdict;
}

/** What is marked is never taken for the agent's own (guard/memory-marked.ts), and what is held changes nothing that lasts (guard/memory-held.ts). */
const decided = (word: TaintPolicy["memory"], why: string): Verdict =>
  word === "allow" || word === "mark" || word === "hold" ? { do: "allow" } : { do: word, why };

const isKnown = ({ name, url }: Target, { taint }: State, { known: always }: TaintPolicy): boolean =>
  taint.known.includes(name) ||
  always.some((pattern) => matches(pattern, name)) ||
  (url !== undefined && taint.links.includes(addressOf(url)));

/** `*` stands for anything; case does not matter. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split("*");
  const text = name.toLowerCase();
  if (parts.length === 1) return text === parts[0];
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) return text.length - at >= part.length && text.endsWith(part);
    const found = index === 0 ? (text.startsWith(part) ? 0 : -1) : text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
