/**
 * What the config says and everyone in the house holds: limits, policy, taint, the budget of new agents. Changed in place, so that an edit of
 * config.yaml counts from the next decision on, also for agents that are open and for requests that are under way.
 */
import type { Limits } from "../../core/limits.ts";
import type { Settings } from "../../home/config.ts";
import type { NetworkRules } from "../../runtime/network/host-gate.ts";
import type { BudgetLimit } from "../../schema/budget.ts";
import type { Config, TaintPolicy } from "../../schema/config.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import { concurrencyHere } from "../home/environment.ts";

export interface Rules {
  readonly limits: Limits;
  readonly policy: readonly PolicyRule[];
  readonly taint: TaintPolicy;
  readonly budget: BudgetLimit;
  /** The programs that models may choose. */
  readonly programs: Readonly<Record<string, string>>;
  /** What commands in a sandbox may reach. */
  readonly network: NetworkRules;
  /** Which programs, besides the human, may decide approvals. */
  readonly approvals: Config["approvals"];
  take(settings: Settings): void;
}

export function createRules(settings: Settings): Rules {
  const limits = {} as Limits;
  const policy: PolicyRule[] = [];
  const taint = {} as TaintPolicy;
  const budget: BudgetLimit = {};
  const programs: Record<string, string> = {};
  const network = { hosts: [], others: "deny" } as NetworkRules;
  const approvals = {} as Config["approvals"];
  const take = ({ config, ...given }: Settings): void => {
    // What the config says holds; otherwise what the machine can carry.
    const concurrency = config.limits.concurrency ?? Math.min(given.limits.concurrency, concurrencyHere());
    replace(limits, { ...given.limits, concurrency });
    policy.splice(0, policy.length, ...policyOf(config.policy, config.sandbox.bash));
    replace(taint, config.taint);
    replace(budget, config.budget);
    replace(programs, config.programs);
    replace(approvals, config.approvals);
    replace(network, { hosts: config.sandbox.network, others: config.sandbox.other_hosts });
  };
  take(settings);
  return { limits, policy, taint, budget, programs, network, approvals, take };
}

function replace<T extends object>(held: T, next: T): void {
  for (const key of Object.keys(held)) delete held[key as keyof T];
  Object.assign(held, next);
}

/** Without a sandbox nothing is run unasked, unless a rule says otherwise. */
function policyOf(rules: readonly PolicyRule[], sandbox: "required" | "off"): PolicyRule[] {
  return sandbox === "off"
    ? [...rules, { do: "ask", tool: "bash", why: "it runs without a sandbox (sandbox.bash is off)" }]
    : [...rules];
}
