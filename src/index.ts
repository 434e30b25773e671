/** What `import … from "agiraph"` gives: tools of one's own, and one call that runs one agent in this process. */
export { z } from "zod";
export { type Answer, type RunAgent, runAgent } from "./main/run-agent.ts";
export type { BudgetLimit } from "./schema/budget.ts";
export type { Event } from "./schema/event.ts";
export { Problem, type ProblemCode } from "./schema/problem.ts";
export { type Desk, defineTool, type Result, type Tool } from "./tool/tool.ts";
