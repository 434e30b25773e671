/** Agents: make one, look at it, let it pause, go on, stop, begin anew, end. */
import { z } from "zod";
import { AgentFolder, AgentMerge, AgentSoul, AgentStatus, AgentTools, ContextWindow, Reason } from "../schema/agent.ts";
import { Account, Amount, BudgetLimit, BudgetWish } from "../schema/budget.ts";
import { Evidence } from "../schema/evidence.ts";
import { AgentId, NodeId, ParticipantId, RunId, StageId, Time } from "../schema/ids.ts";
import { ParamName, ParamValue, Team, WorkflowName, WorkflowTag } from "../schema/workflow.ts";
import { Paging, page } from "./page.ts";
import { route } from "./route.ts";

export const OfAgent = z.object({ agent: AgentId.describe("Its id") });

/** Of a change that takes nothing. */
export const Nothing = z.strictObject({});

/** A misspelt limit is no limit, so it is refused. */
const Limit = z.strictObject(BudgetLimit.shape);

/** Null takes a limit away. */
const LimitChange = BudgetWish.extend({
  of: z.enum(["agent", "run", "day"]).default("agent").describe("What the limit applies to"),
});

/** Of a workflow that is started. */
const instance = {
  params: z.record(ParamName, ParamValue).optional().describe("Values for the parameters of the workflow"),
  tag: WorkflowTag.optional().describe("Which instance of the workflow; main if missing"),
};

/** What stands behind an answer. */
const proof = {
  evidence: Evidence.optional().describe(
    "What stands behind the answer: no more than behind the weakest node, unless the whole was checked",
  ),
  claimed: z.array(NodeId).optional().describe("Completed nodes behind the answer that are claimed only"),
  unmerged: z
    .array(NodeId)
    .optional()
    .describe("Nodes whose published changes were not merged, so they are not part of the result"),
};

export const RunLine = z
  .object({
    id: RunId,
    goal: z.string(),
    status: z.enum(["preparing", "open", "completed", "stopped"]),
    started_at: Time,
    ended_at: Time.optional(),
    answers: z.number().int().describe("How often it was finished; a message from the human reopens it"),
    summary: z.string().optional(),
    ...proof,
  })
  .describe("One run of an agent");
export type RunLine = z.infer<typeof RunLine>;

export const Summary = z
  .object({
    id: AgentId,
    goal: z.string(),
    mode: z.enum(["finite", "infinite"]),
    status: z.union([AgentStatus, z.enum(["quarantined", "untrusted"])]),
    reason: Reason.extend({ since: Time.optional() }).optional().describe("Why it is not working"),
    model: z.string(),
    run: RunId.nullable(),
    current_stage: z.string().nullable(),
    node_count: z.number().int(),
    worker_count: z.number().int(),
    open_questions: z.number().int(),
    unread: z.number().int().describe("What the human has not read"),
    cost: Amount,
    created_at: Time.describe("1970 if the agent cannot be read"),
    updated_at: Time,
    seq: z.number().int().describe("Seq of its last event; the cursor for streams"),
    result: z.string().optional().describe("Its final answer"),
    ...proof,
    workflow: z.string().optional().describe("The workflow of its team"),
    tag: z.string().optional().describe("Which instance of that workflow"),
    tainted_by: z
      .array(z.string())
      .optional()
      .describe("Sources of foreign text that the current run has read: hosts, servers, files; missing if none"),
  })
  .describe("An agent at a glance");
export type Summary = z.infer<typeof Summary>;

/** Of an agent of which nothing is known yet but its name. */
export const blankSummary = (id: string, at: string): Summary => ({
  ...{ id, goal: "", mode: "finite", status: "idle", model: "", run: null, current_stage: null },
  ...{ node_count: 0, worker_count: 0, open_questions: 0, unread: 0, cost: { usd: 0, tokens: 0 } },
  ...{ created_at: at, updated_at: at, seq: 0 },
});

export const StopPreview = z
  .object({
    seq: z.number().int().describe("Seq of the last event that it takes into account"),
    nodes: z
      .array(
        z.object({
          node: NodeId,
          name: z.string(),
          status: z.enum(["pending", "assigned", "running", "waiting"]),
          worker: ParticipantId.optional(),
        }),
      )
      .describe("Nodes that would be cancelled"),
    questions: z
      .array(
        z.object({
          question: z.string(),
          by: ParticipantId,
          text: z.string().describe("Its first line"),
          approves: z.string().optional().describe("The tool, if it is an approval"),
        }),
      )
      .describe("Questions and approvals that would be closed"),
    turns: z
      .array(z.object({ participant: ParticipantId, tools: z.array(z.string()).describe("Those running now") }))
      .describe("Turns that would be aborted"),
    stages: z
      .array(z.object({ stage: StageId, name: z.string(), completed: z.number().int(), of: z.number().int() }))
      .describe("Stages that would end with the nodes they have"),
    kept: z.object({
      nodes: z.number().int().describe("Completed nodes"),
      questions: z.number().int().describe("Questions that stay open"),
      usd: z.number().describe("Spent so far"),
    }),
    words: z
      .object({
        ends: z.array(
          z.object({
            what: z.enum(["nodes", "questions", "turns", "stages", "nothing"]),
            text: z.string().describe("2 nodes end"),
            names: z.array(z.string()),
          }),
        ),
        kept: z.string(),
        later: z.string().describe("What happens when it is resumed"),
        pause: z.string().describe("What a pause would do instead"),
      })
      .describe("The same in words"),
  })
  .describe("What stopping an agent would do now");
export type StopPreview = z.infer<typeof StopPreview>;

export const agentRoutes = {
  createAgent: route({
    method: "POST",
    path: "/agents",
    tag: "agents",
    summary: "Create an agent with a goal",
    body: z.strictObject({
      goal: z
        .string()
        .min(1)
        .max(100_000)
        .optional()
        .describe("What it is to achieve; a workflow, or the kickoff of a team, may say it instead"),
      name: z.string().min(1).max(200).optional(),
      model: z.string().min(1).max(200).optional().describe("provider/model; default: from the config"),
      mode: z.enum(["finite", "infinite"]).default("finite"),
      cycle_seconds: z.number().positive().max(31_536_000).optional(),
      budget: BudgetWish.optional().describe("Overrides the config; null for no limit"),
      tools: AgentTools,
      context_window: ContextWindow,
      folder: AgentFolder,
      merge: AgentMerge,
      soul: AgentSoul,
      workflow: WorkflowName.optional().describe(
        "A workflow of this home: its team exists when a run starts, and its model and budget are the defaults",
      ),
      ...instance,
      team: Team.optional().describe("A team, instead of a workflow"),
      start: z.boolean().default(true).describe("Start its first run at once"),
    }),
    ok: 201,
    answer: Summary,
    errors: ["not_found", "not_offered", "limit_reached", "key_reused"],
    example: { body: { goal: "Compare three ways to store events", budget: { usd: 2 } } },
    tools: [
      {
        name: "agent_create",
        title: "Create an agent",
        about:
          "Give a goal to a new agent. Put all it must know into the goal: it sees nothing of your conversation. It plans, may grow a team of workers, and works on its own; use run_wait to wait for it. It spends money on model calls: set a budget if your user named one.",
      },
    ],
  }),
  listAgents: route({
    method: "GET",
    path: "/agents",
    tag: "agents",
    summary: "List agents",
    query: Paging.extend({ archived: z.stringbool().default(false).describe("Also those that were archived") }),
    ok: 200,
    answer: page(Summary),
    about:
      "Ordered by id. An agent that cannot be opened is `quarantined`, with the reason; in an untrusted home all agents are `untrusted`.",
    tools: [
      {
        name: "agent_list",
        title: "List agents",
        about:
          "All agents: what each is for, whether it works, waits or is done, and what it has cost. One that cannot be opened is quarantined, with the reason.",
        fields: { archived: { shape: z.boolean().default(false).describe("Also those that were archived") } },
      },
    ],
  }),
  getAgent: route({
    method: "GET",
    path: "/agents/{agent}",
    tag: "agents",
    summary: "Get an agent",
    params: OfAgent,
    ok: 200,
    answer: Summary,
    errors: ["not_found"],
  }),
  archiveAgent: route({
    method: "DELETE",
    path: "/agents/{agent}",
    tag: "agents",
    summary: "Archive an agent: it is stopped for good",
    about: "It accepts no further commands; its files are kept.",
    params: OfAgent,
    body: Nothing,
    ok: 200,
    answer: Summary,
    errors: ["not_found", "wrong_state", "key_reused"],
  }),
  pauseAgent: route({
    method: "POST",
    path: "/agents/{agent}/pause",
    tag: "agents",
    summary: "Pause an agent",
    about: "Current turns finish; no new ones start. Nodes and questions are unchanged.",
    params: OfAgent,
    body: Nothing,
    ok: 200,
    answer: Summary,
    errors: ["not_found", "wrong_state", "key_reused"],
    tools: [
      {
        name: "agent_pause",
        title: "Pause an agent",
        about: "Pause an agent: current turns finish, no new ones start, nothing is lost. agent_resume resumes it.",
      },
    ],
  }),
  resumeAgent: route({
    method: "POST",
    path: "/agents/{agent}/resume",
    tag: "agents",
    summary: "Resume an agent",
    params: OfAgent,
    body: Nothing,
    ok: 200,
    answer: Summary,
    errors: ["not_found", "wrong_state", "key_reused"],
    tools: [
      {
        name: "agent_resume",
        title: "Resume an agent",
        about: "Resume an agent that is paused or was stopped.",
      },
    ],
  }),
  stopAgent: route({
    method: "POST",
    path: "/agents/{agent}/stop",
    tag: "agents",
    summary: "Stop an agent at once",
    about:
      "Aborts current calls, cancels nodes and closes workers' questions. A message from the human, or resuming, wakes the coordinator, which decides what to restart. `GET` previews what would end.",
    params: OfAgent,
    body: Nothing,
    ok: 200,
    answer: Summary,
    errors: ["not_found", "wrong_state", "key_reused"],
    tools: [
      {
        name: "agent_stop",
        title: "Stop an agent",
        about:
          "End at once what an agent and its workers do: nodes are cancelled, questions of workers lapse. It keeps its conversation; a message or agent_resume wakes it.",
      },
    ],
  }),
  previewStop: route({
    method: "GET",
    path: "/agents/{agent}/stop",
    tag: "agents",
    summary: "Preview what a stop would do",
    about: "Runs the stop on a copy of the agent's state; nothing is changed.",
    params: OfAgent,
    ok: 200,
    answer: StopPreview,
    errors: ["not_found", "wrong_state"],
  }),
  startRun: route({
    method: "POST",
    path: "/agents/{agent}/runs",
    tag: "agents",
    summary: "Start a new run, with the agent's memory",
    params: OfAgent,
    body: z.strictObject({
      goal: z.string().min(1).max(100_000).optional().describe("Default: the agent's own goal"),
      model: z.string().min(1).max(200).optional().describe("Model to use from this run on"),
      budget: Limit.optional().describe("For this run only"),
      workflow: WorkflowName.optional().describe("A workflow of this home: its team is the one of this run"),
      ...instance,
      team: Team.nullable().optional().describe("The team of this run; null: none. Missing: the agent's own"),
    }),
    ok: 201,
    answer: RunLine,
    errors: ["not_found", "wrong_state", "not_offered", "limit_reached", "key_reused"],
  }),
  listRuns: route({
    method: "GET",
    path: "/agents/{agent}/runs",
    tag: "agents",
    summary: "List an agent's runs, newest first",
    params: OfAgent,
    query: Paging,
    ok: 200,
    answer: page(RunLine),
    errors: ["not_found", "stale"],
  }),
  changeBudget: route({
    method: "PATCH",
    path: "/agents/{agent}/budget",
    tag: "agents",
    summary: "Change an agent's budget",
    about: "Fields that are not given stay as they are. An agent that was paused by its budget must be resumed.",
    params: OfAgent,
    body: LimitChange,
    ok: 200,
    answer: Account,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { usd: 5 } },
  }),
};
