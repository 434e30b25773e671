/** What the handlers need from the process they run in; main provides it. */

import type { Finding } from "../api/doctor.ts";
import type { environmentRoutes } from "../api/environment.ts";
import type { FolderView } from "../api/folders.ts";
import type { AcceptedTool, McpServerView } from "../api/mcp-servers.ts";
import type { Offer } from "../api/models.ts";
import type { AnswerOf } from "../api/route.ts";
import type { Way } from "../api/through.ts";
import type { Clock } from "../lib/world.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { PolicyRule } from "../schema/config.ts";
import type { Problem } from "../schema/problem.ts";
import type { Team, Workflow } from "../schema/workflow.ts";
import type { Feed } from "./stream/feed.ts";
import type { Summaries } from "./summaries.ts";

export interface UsableWorkflow {
  workflow: Workflow;
  team: Team;
}
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
  workflows?: { list(): Promise<KnownWorkflow[]>; find(name: string): Promise<UsableWorkflow> };
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
