/** Workers of a program's own, by name. */
import type { BudgetLimit } from "../../schema/budget.ts";

export interface Role {
  /** What it is for, in your words. */
  role: string;
  /** provider/model; the agent's if missing. */
  model?: string;
  /** Names of the tools it may use; all that workers may if missing. */
  tools?: string[];
  max_turns?: number;
  budget?: BudgetLimit;
  /** What it knows from the start. */
  memory?: string;
}

export const workersOf = (roles: Readonly<Record<string, string | Role>>) =>
  Object.entries(roles).map(([name, one]) => ({ name, ...(typeof one === "string" ? { role: one } : one) }));
