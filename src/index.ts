/** What `import … from "agiraph"` gives: tools of one's own, an agent that lasts, and one call that runs a team, all in this process. */
export { z } from "zod";
export type { Agent, AgentOptions, SendOptions, Words } from "./main/library/agent.ts";
export { agent, team } from "./main/library/library.ts";
export type { Role } from "./main/library/roles.ts";
export type { Answer, TeamOptions } from "./main/library/team.ts";
export type { BudgetLimit } from "./schema/budget.ts";
export type { Event } from "./schema/event.ts";
export { Problem, type ProblemCode } from "./schema/problem.ts";
export type { Question } from "./schema/question.ts";
export { defineTool, type Result, type Tool, type ToolContext } from "./toolkit/tool.ts";
