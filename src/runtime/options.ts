/** What a runtime is made of: its ports, its limits, and what the people who run it allow. */
import type { Backend } from "../backend/backend.ts";
import type { Channels } from "../channel/channels.ts";
import type { Limits } from "../core/limits.ts";
import type { Engine } from "../engine/engine.ts";
import type { Skills } from "../home/skills.ts";
import type { Embedder } from "../lib/embedder.ts";
import type { World } from "../lib/world.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { ConfigTrigger, ReflectionConfig, TaintPolicy } from "../schema/config.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import type { Problem } from "../schema/problem.ts";
import type { Index } from "../search/search.ts";
import type { Store } from "../store/store.ts";
import type { Tool } from "../toolkit/tool.ts";
import type { NetworkRules } from "./network/host-gate.ts";
import type { ProgramHost } from "./program/host.ts";

export interface RuntimeOptions {
  home: string;
  world: World;
  store: Store;
  /** A store of its own in a folder: where a bundle is checked before its agent is one of this home. Nothing can be imported if missing. */
  storeIn?(home: string): Store;
  engine: Engine;
  /** The derived index; everything works without it. */
  index?: Index;
  /** For search by meaning; memory is searched by words without it. */
  embedder?: Embedder;
  limits: Limits;
  /** What a new agent may spend, unless it is told otherwise; nothing is said if missing. */
  budget?: BudgetLimit;
  /** Looked at when somebody begins to work: may grow until then. */
  tools: readonly Tool[];
  /** Settles when `tools` has them all; they are there if missing. */
  equipped?: Promise<void>;
  /** What participants can read up; nothing if missing. */
  skills?: Skills;
  /** Triggers that agents have by the config. */
  triggers?: readonly ConfigTrigger[];
  /** What is asked about or forbidden; everything is allowed if missing. */
  policy?: readonly PolicyRule[];
  /** What happens once something from outside was read; everything is allowed if missing. */
  taint?: TaintPolicy;
  /** Whether and by which model runs are looked back on; never if missing. */
  reflection?: ReflectionConfig;
  /** What commands in a sandbox may reach; nothing, and nobody is asked, if missing. */
  network?: NetworkRules;
  /** A proposal for the soul with so many pieces of evidence in the human's own words is accepted; only the human accepts one if missing. */
  soulEvidence?: number | undefined;
  /** Whether commands run in a sandbox; they do if missing. */
  sandboxed?(): boolean;
  /** Writes what the human allowed for good (a host, or `packages`) to the config, where it counts at once. Throws a Problem if it cannot. */
  allowAlways?(subject: string): Promise<void>;
  /** Values that nobody is to be told and that are never to be stored. */
  secrets?: readonly string[];
  /** Where the human is told outside; nowhere if missing. */
  channels?: Channels;
  /** Commands are taken and recorded; nobody thinks, nothing falls due, nothing is sent. */
  still?: boolean;
  /** Nobody has said that what lies here may be used: agents are named, and everything else is refused with this. */
  refusal?: Problem;
  backend(model: string): Backend;
  /** The agent CLIs of this machine; none can be run if missing. */
  programs?: ProgramHost;
  /** The programs that models may choose for others, by name; none if missing. */
  allowed?: Readonly<Record<string, string>>;
  /** Throws the state away after every change and folds the log again: finds whatever is not in the log. */
  alwaysReplay?: boolean;
  /** Whether an agent may read this folder of the machine, as things are; throws the reason if not. All may if missing. */
  folder?(path: string): Promise<unknown>;
  /** Agents that nobody needs are closed after this time and opened again when they are; never if missing. */
  restAfterMs?: number;
  /** How many agents are opened side by side when the home is; one if missing. */
  recoverAtOnce?: number;
  /** How many events between two snapshots. */
  snapshotEvery: number;
  /** A fault that concerns people: an agent that cannot go on, a file that cannot be written. */
  notice(agent: string, problem: Problem): void;
}
