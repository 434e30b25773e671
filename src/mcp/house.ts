/** What the MCP server knows of the house it serves; main gives it to it. */
import type { Summary } from "../api/agents.ts";
import type { Clock } from "../lib/world.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { BudgetLimit } from "../schema/budget.ts";

export interface McpHouse {
  runtime: Runtime;
  /** What is known of an agent; one that rests is not opened for it. */
  summaries: { of(agent: string): Promise<Summary> };
  clock: Clock;
  version: string;
  /** What every new agent may spend, unless it is told otherwise. */
  budget: BudgetLimit;
  /** The full name of the model that is asked for, or of the one to take if none is. Throws `not_offered`. */
  model(wanted: string | undefined): Promise<string>;
  /** Whether approvals may be given this way; not if missing. */
  approvals?: boolean;
  /** A bug of ours, for the operator. */
  fault(error: unknown): void;
}

/** Who is asking, as the gate found out. */
export type Caller = { kind: "human" } | { kind: "participant"; agent: string; run: string; participant: string };
