/**
 * May this call be made? The first rule that fits decides; what no rule speaks of is allowed. `ask` puts it to the human, bound to this very
 * call: the log holds its input, and nothing can change it between the question and the deed.
 */
import { wordOn } from "../core/question.ts";
import { linesIn, visibleJson } from "../lib/visible.ts";
import type { PolicyRule } from "../schema/config.ts";
import type { Tool } from "../tool/tool.ts";
import type { Seat } from "./seat.ts";

export type Verdict = { do: "allow" } | { do: "ask"; why: string } | { do: "deny"; why: string };

export function judge(rules: readonly PolicyRule[], tool: Tool, worker: { id: string; name: string }): Verdict {
  const rule = rules.find(
    (rule) =>
      (!rule.tool || matches(rule.tool, tool.name) || matches(rule.tool, tool.alias ?? "")) &&
      (!rule.effect || rule.effect === tool.effect) &&
      (!rule.worker || matches(rule.worker, worker.id) || matches(rule.worker, worker.name)),
  );
  if (!rule || rule.do === "allow") return { do: "allow" };
  return { do: rule.do, why: rule.why ?? `the policy of this home says ${rule.do}` };
}

/** With what the human said so far about this call, or about such calls. */
export function mayCall(seat: Seat, tool: Tool, turn: string, call: string): Verdict {
  const me = seat.me()!;
  const verdict = judge(seat.policy, tool, me);
  if (verdict.do !== "ask") return verdict;
  const word = wordOn(seat.state(), me.id, { turn, call, tool: tool.name });
  if (word?.status !== "answered") return verdict;
  return word.answer === "allow"
    ? { do: "allow" }
    : { do: "deny", why: `the human said ${word.answer.replace(/^deny$/, "no").replace(/^deny: /, "no: ")}` };
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
