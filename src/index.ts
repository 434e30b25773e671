/** What `import … from "agiraph"` gives: tools of one's own, and one call that runs a team in this process. */
export { z } from "zod";
export { team } from "./main/library/library.ts";
export type { Answer, Role, TeamOptions } from "./main/library/team.ts";
export type { BudgetLimit } from "./schema/budget.ts";
export type { Event } from "./schema/event.ts";
export { Problem, type ProblemCode } from "./schema/problem.ts";
export type { Question } from "./schema/question.ts";
export { type Desk, defineTool, type Result, type Tool } from "./toolkit/tool.ts";
