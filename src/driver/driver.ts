/**
 * Drivers for agent CLIs: installed programs with a loop of their own. A driver starts one, gives it turns, and reports its activity in one
 * vocabulary. It knows no board, inbox or log.
 *
 * A CLI is one object in one file. `launch` says how it is started, `open` speaks its protocol; both are pure but for the pipes. Secrets reach the
 * program by its environment or by files that only we can read, never by its arguments.
 * Not here: where a CLI is found and whether it is logged in (installed/), starting it in a sandbox (session/start.ts), what all protocols share (session/session.ts).
 */
import type { Clock, Files, Random, Running, Within } from "../lib/world.ts";

export interface Cli {
  /** As in `claude-code/MODEL`. */
  name: string;
  /** As its makers write it. */
  title: string;
  /** The name of its executable on the PATH. */
  binary: string;
  /** The oldest and the newest version that passed the contract suite (test/clis); not each one in between did. Missing if none was run. */
  tested?: { from: string; to: string };
  /** The arguments that print its version. The first dotted number in the output is taken. */
  versionArgs: string[];
  /** When a message that is sent while it works is read: in the running turn, or only with the next prompt. */
  hears: "now" | "next";
  /** Its conversations belong to the workspace that they began in: in another it begins a new one. */
  staysPut?: true;
  /** It ends after each turn, and is started again for the next one (session/each-turn.ts). */
  oneTurn?: true;
  /** It does everything unasked, so it is not started where it would have to ask. */
  cannotAsk?: true;
  /** Another way to drive the program, for versions that do not support this one. */
  fallback?: Cli;
  /** Whether it can use our model gateway instead of its own login. */
  gateway: boolean;
  /** The hosts that it needs with its own login. */
  hosts?: string[];
  /** How to install it: a line for a terminal. Missing for a command of the user. */
  install?: string;
  /** How to log in, for a person. */
  loginHint: string;
  /** What to do when its login has ended, for a person: only its user can renew it (installed/own-login.ts). */
  renewHint?: string;
  /** The provider whose models it uses; if missing, a model is named with it (`anthropic/…`). */
  provider?: string;
  /** Names of models that it knows in every version, for a list to choose from. */
  models?: readonly string[];
  /** Variables with a key or token of the user that it would take. */
  keys?: readonly string[];
  login(look: LoginLook): Promise<Login>;
  /**
   * The file of a conversation, within its home, for a program that otherwise finds only those of its working directory. With it, a
   * conversation goes on in another workspace.
   */
  conversationFile?(home: Pick<Within, "list">, id: string): Promise<string | undefined>;
  /** Called before a start that resumes a conversation, where something in its home stands in the way of that. */
  beforeResume?(home: Pick<Within, "list" | "read" | "write" | "remove">, id: string): Promise<void>;
  launch(options: LaunchOptions): Launch;
  open(running: Running, options: OpenOptions): Session;
}

export interface LaunchOptions {
  /** The program: an absolute path. */
  file: string;
  /** Its own default if missing. */
  model?: string | undefined;
  /** Added to its own system prompt. */
  system: string;
  /** Its working directory; everything it makes is here. */
  workspace: string;
  /** A folder of its own outside of the workspace: its home, its settings and its conversations. The same again for a resume. */
  home: string;
  /** The PATH of the program. */
  path: string;
  /** The id of its conversation to resume; for `launch` its file, if the CLI has one (`conversationFile`). */
  resume?: string | undefined;
  mcp?: McpAccess | undefined;
  /** How it reaches its model. Without it, its own login is used. */
  gateway?: Gateway | undefined;
  login?: Login | undefined;
  /** For a program that we know nothing of: the variables that clients of providers read, leading to our gateway (`acp:`). */
  variables?: Readonly<Record<string, string>> | undefined;
  /** It asks for permission. If false it does whatever its sandbox allows. */
  asks: boolean;
}

export interface McpAccess {
  /** The prefix of its tools. */
  name: string;
  url: string;
  secret: string;
  /** How often its tools were asked for with this secret: a program that never asks works without them. */
  listings?(): number;
}

export interface Gateway {
  url: string;
  token: string;
}

export interface Launch {
  command: [file: string, ...args: string[]];
  env: Record<string, string>;
  /** Written into its home before it starts, readable only by us. What is `passing` is removed when it has ended. */
  files: { path: string; text: string; passing?: true }[];
  /** Folders to create, besides those of `files`. */
  folders?: string[];
}

export interface OpenOptions {
  clock: Clock;
  random: Random;
  /** The same as it was launched with. */
  launch: LaunchOptions;
  /** Kills the program and its child processes. */
  stop(): void;
  /** Called when a turn ends: an external reason that explains it. */
  outside?: () => Promise<Failure | undefined>;
  /** The program's totals for this conversation before a resume. */
  counted?: Counted | undefined;
  limits?: Partial<Limits>;
}

export interface Limits {
  /** Timeout for silence while it thinks. */
  silentMs: number;
  /** Timeout for silence while one of its tools runs. */
  toolMs: number;
  /** How long a graceful stop may take before it is killed. */
  graceMs: number;
  /** Limits in characters: of one line, of non-message output, and of one turn. */
  line: number;
  noise: number;
  turn: number;
}

/** One conversation with a running program. Its methods never throw. */
export interface Session {
  /** One turn, to its end; one at a time. A consumer that stops reading interrupts it. */
  prompt(text: string): AsyncIterable<Activity>;
  /** A message while a turn is running. False if it will not be read: send it with the next prompt. */
  say(text: string): boolean;
  /** The answer to a permission request. */
  permit(id: string, verdict: Verdict): void;
  /** Ends the running turn; the conversation can continue. */
  interrupt(): void;
  /** Ends the program. Resolves when all its processes have ended. */
  close(): Promise<void>;
}

export type Verdict = { allow: true } | { allow: false; why: string };

export type Activity =
  /** The id of its conversation, for `resume`. Sent at least once per turn, before its end. */
  | { type: "conversation"; id: string }
  | { type: "text"; text: string }
  | { type: "thought"; text: string }
  | { type: "tool"; id: string; name: string; input: unknown }
  | { type: "result"; id: string; outcome: "ok" | "error" | "denied"; text: string; files: string[] }
  /** Usage since the last report, never a total. */
  | ({ type: "usage" } & Used)
  /** It waits for `permit`. `tool` is the id of the activity, if it names it. */
  | { type: "permission"; id: string; name: string; input: unknown; about: string; tool?: string | undefined }
  /** It has read a message that it was told (`say`): the first that it had not. */
  | { type: "heard" }
  /** Something a person may want to know: a retry, an MCP server that does not answer. */
  | { type: "notice"; text: string }
  | End;

export interface Used {
  /** All input tokens, cached or not. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Missing where the program does not report it. */
  usd?: number | undefined;
  /** Totals of the conversation so far, for a resume (`OpenOptions.counted`). */
  counted: Counted;
}

export interface Counted {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  usd: number;
}

/** The last activity of a turn; there is exactly one. */
export type End = { type: "end" } & (
  | { how: "done"; text: string }
  | { how: "aborted" }
  | ({ how: "failed"; kind: FailureKind; output: string } & Failure)
);

export interface Failure {
  reason: Reason;
  /** For a person: what happened, why, what to do. */
  why: string;
}

/** transient: retry later; provider: someone must act first (login, payment); permanent: will not work. */
export type FailureKind = "transient" | "provider" | "permanent";

/** Why a turn failed. */
const kinds = {
  /** The program is not installed, or cannot be started. */
  missing: "permanent",
  version: "permanent",
  login: "provider",
  /** Quota, payment or a budget. */
  quota: "provider",
  /** The provider is overloaded or does not answer. */
  overload: "transient",
  /** The model refused the request, or does not exist. */
  refused: "permanent",
  /** It was stopped after too many steps or at its own limit. */
  limit: "permanent",
  /** A signal ended it. */
  killed: "transient",
  silent: "transient",
  flood: "permanent",
  /** It ended by itself without a result. */
  exit: "transient",
  /** It does not follow the protocol. */
  protocol: "permanent",
  mcp: "transient",
  workspace: "permanent",
  /** The conversation to resume does not exist. */
  conversation: "permanent",
  closed: "transient",
} as const satisfies Record<string, FailureKind>;
export type Reason = keyof typeof kinds;

export const kindOf = (reason: Reason): FailureKind => kinds[reason];

/** What `login` may read. */
export interface LoginLook {
  files: Pick<Files, "read">;
  /** The user's home. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

export type Login =
  /** A file with the user's login. `text` is what the program is lent of it, under that name in its settings (installed/own-login.ts). */
  | { state: "file"; file: string; name: string; text: string; secrets: string[]; expires?: number | undefined }
  /** An environment variable. Its value is a secret. */
  | { state: "key"; variable: string; secret: string }
  | { state: "none" }
  /** Unknown without contacting the provider. */
  | { state: "unknown" };
