/** What the handlers know of the house they serve; main gives it to them. */

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
  /** Between two signs of life on a stream; 15 s if missing. */
  heartbeatMs?: number;
  runtime: Runtime;
  /** Agents at a glance; made before the runtime is started, because it is told of every agent that goes to rest. */
  summaries: Summaries;
  clock: Clock;
  version: string;
  /** What every new agent may spend, unless it is told otherwise. */
  budget: BudgetLimit;
  /** The full name of the model that is asked for, or of the one to take if none is. Throws `not_offered`. */
  model(wanted: string | undefined): Promise<string>;
  /** Which models there are; none if missing. */
  offer?(): Promise<Offer>;
  /** The folder that a new agent may read, as it really lies on the disk. Throws `invalid` if that cannot be. */
  folder(path: string): Promise<string>;
  /** A folder of this machine as somebody sees it who chooses one; see api/folders.ts. None can be looked at if missing. */
  lookAtFolder?(path: string): Promise<FolderView>;
  /** Teams that are written down. `find` throws `not_found` or `invalid`. None if missing. */
  workflows?: { list(): Promise<KnownWorkflow[]>; find(name: string): Promise<UsableWorkflow> };
  /** What is asked about or forbidden, to be shown; nothing if missing. */
  policy?: readonly PolicyRule[];
  /** Whether programs that speak for the human may decide approvals, by protocol; none may if missing. */
  approvals?: Readonly<Record<Way, boolean>>;
  /** Returns if the text was signed with the secret of this channel just now; else throws `forbidden`. None is answered if it is missing. */
  channel?(name: string, signature: string | undefined, text: string): void;
  /** Nobody has trusted this home: what every use of it is refused with. */
  refusal?: Problem;
  /** False until the agents of the home are back. */
  ready(): boolean;
  /** A file of the page for people, as it was built; nothing if there is none. Without it there is no page. */
  page?(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Looks at the machine and the home; nothing is found if missing. `call`: the model is asked, too. */
  doctor?(call: boolean): Promise<Finding[]>;
  /** What is taken from outside of the home (api/environment.ts); nothing if missing. */
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
  /** Shows that it knows the token (server/auth/proof.ts). */
  prove(challenge: string): string;
  /** Bytes it holds. */
  memory(): number;
  /** Aborts when the daemon is about to end: streams say so and close. */
  stopping: AbortSignal;
}
