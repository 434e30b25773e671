/** What the handlers need from the process they run in; main provides it. */

import type { Finding } from "../api/doctor.ts";
import type { environmentRoutes } from "../api/environment.ts";
import type { FolderView } from "../api/folders.ts";
import type { AcceptedTool, McpServerView } from "../api/mcp-servers.ts";
import type { Offer } from "../api/models.ts";
import type { AnswerOf } from "../api/route.ts";
import type { SoulTemplate } from "../api/souls.ts";
import type { Way } from "../api/through.ts";
import type { workflowFileRoutes } from "../api/workflow-files.ts";
import type { WorkflowLine } from "../api/workflows.ts";
import type { State } from "../core/state.ts";
import type { Clock } from "../lib/world.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import type { Problem } from "../schema/problem.ts";
import type { ParamValue, Team } from "../schema/workflow.ts";
import type { Feed } from "./stream/feed.ts";
import type { Summaries } from "./summaries.ts";

/** A workflow with all that it needs; what is missing in a request is taken from it. */
export interface ReadyWorkflow {
  team: Team;
  /** What a new agent is to achieve, unless it is told. */
  goal: string;
  model?: string | undefined;
  budget: BudgetLimit;
  /** The folder that its agent works on. */
  folder?: string | undefined;
}
export interface UsableWorkflow extends ReadyWorkflow {
  about?: string | undefined;
  params: readonly WorkflowLine["params"][number][];
  /** With these values. Throws `invalid`. */
  start(given: { params?: Readonly<Record<string, ParamValue>> | undefined; tag?: string | undefined }): ReadyWorkflow;
}
type WorkflowText = AnswerOf<typeof workflowFileRoutes.readWorkflow>;
export type KnownWorkflow = { name: string; from: "home" | "example"; path: string } & (
  | UsableWorkflow
  | { problem: string }
);

export interface Served {
  feed: Feed;
  /** Between two heartbeats of a stream; default 15 s. */
  heartbeatMs?: number;
  runtime: Runtime;
  /** Agents at a glance; created before the runtime starts, because it is told of every agent that is closed. */
  summaries: Summaries;
  clock: Clock;
  version: string;
  /** The default budget of a new agent. */
  budget: BudgetLimit;
  /** Resolves a model to its full name; without one, the default. Throws `not_offered`. */
  model(wanted: string | undefined): Promise<string>;
  /** The available models; none if missing. */
  offer?(): Promise<Offer>;
  /** Resolves the project folder of a new agent to its real path. Throws `invalid` if it cannot be used. */
  folder(path: string): Promise<string>;
  /** A folder of this machine for a folder picker; see api/folders.ts. Missing: none can be listed. */
  lookAtFolder?(path: string): Promise<FolderView>;
  /** Known workflows. `find` throws `not_found` or `invalid`. None if missing. */
  workflows?: {
    list(): Promise<KnownWorkflow[]>;
    find(name: string): Promise<UsableWorkflow>;
    /** A run as a workflow file, from the state at its end. Throws `wrong_state` if there is no team to write down. */
    freeze(state: State, name: string): string;
  };
  /** Their texts; missing: none can be read or written. `check` never throws. */
  workflowTexts?: {
    read(name: string): Promise<WorkflowText>;
    write(name: string, text: string, replaces: string | undefined): Promise<WorkflowText>;
    check(
      text: string,
      name: string,
    ): { usable: UsableWorkflow } | { problems: AnswerOf<typeof workflowFileRoutes.checkWorkflow>["problems"] };
  };
  /** Templates for the soul of a new agent; none if missing. */
  souls?: { list(): Promise<SoulTemplate[]> };
  /** The policy rules, for display; none if missing. */
  policy?: readonly PolicyRule[];
  /** Whether programs that act for the human may decide approvals, by protocol; missing: none may. */
  approvals?: Readonly<Record<Way, boolean>>;
  /** Verifies that the text was signed with this channel's secret just now; else throws `forbidden`. Missing: no channel is answered. */
  channel?(name: string, signature: string | undefined, text: string): void;
  /** The error for every use of a home that is not trusted. */
  refusal?: Problem;
  /** False until the agents of the home are restored. */
  ready(): boolean;
  /** A file of the built web page, if it exists. Missing: there is no page. */
  page?(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Checks the machine and the home; nothing if missing. `call`: also calls the model. */
  doctor?(call: boolean): Promise<Finding[]>;
  /** Settings from outside of the home (api/environment.ts); nothing if missing. */
  environment?: {
    look(): Promise<AnswerOf<(typeof environmentRoutes)["getEnvironment"]>>;
    take(values: Readonly<Record<string, string>>): Promise<string[]>;
  };
  /** The MCP servers of the config; none if missing. */
  mcpServers?: {
    list(): Promise<McpServerView[]>;
    accept(server: string, tool: string | undefined): Promise<AcceptedTool[]>;
  };
  /** The process that serves. */
  self: Self;
}

export interface Self {
  pid: number;
  home: string;
  started_at: string;
  /** Proves that it knows the token (server/auth/proof.ts). */
  prove(challenge: string): string;
  /** Resident bytes. */
  memory(): number;
  /** Aborts when the daemon shuts down: streams say so and close. */
  stopping: AbortSignal;
}
