/** Programs are run only where bash would be: the same rules of the policy, and only if the agent was given bash. */
import { BackendError } from "../../backend/backend.ts";
import { judgeFor } from "../../loop/features/policy.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import type { Thinker } from "../../schema/worker.ts";
import { offered } from "../../toolkit/offered.ts";
import type { Tool } from "../../toolkit/tool.ts";
import type { Live } from "../live.ts";

const allowed = "[{ do: allow, tool: bash }]";

/** `asks`: it asks for permission while it runs, so that a rule that says `ask` need not stop it. */
export function assertProgramAllowed(
  me: Thinker,
  { policy, all, live }: { policy: readonly PolicyRule[]; all: readonly Tool[]; live: Live },
  asks: boolean,
): void {
  const bash = offered(all, live.state().agent?.tools).find(({ name }) => name === "bash");
  const verdict = bash
    ? judgeFor(live.state(), policy, bash, me)
    : ({ do: "deny", why: "this agent cannot run programs" } as const);
  if (verdict.do === "allow" || (asks && verdict.do === "ask")) return;
  const remedy =
    verdict.do === "ask" ? `. It cannot ask while it runs: allow it in config.yaml, policy: ${allowed}` : "";
  throw new BackendError("permanent", `the program of ${me.name} was not started: ${verdict.why}${remedy}`);
}
