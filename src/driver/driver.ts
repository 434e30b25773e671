/**
 * Programs with a loop of their own: agent CLIs that people have installed. A driver starts one, gives it turns, and says in one vocabulary what
 * it does meanwhile. It knows no board, inbox or log.
 *
 * A CLI is one object in one file. `launch` says how it is started, `open` speaks its protocol; both are pure but for the pipes. Secrets reach the
 * program by its environment or by files that only we can read, never by its arguments.
 * Not here: where a CLI is found and whether it is logged in (find.ts), starting it in a sandbox (start.ts), what all protocols share (session.ts).
 */
import type { Clock, Files, Random, Running } from "../lib/world.ts";

export interface Cli {
  /** As in `claude-code/MODEL`. */
  name: string;
  /** As its makers write it. */
  title: string;
  /** What is looked for on the PATH. */
  binary: string;
  /** Versions that the contract suite was run with: from the first to before the second. Missing if it was never run. */
  tested?: { from: string; before: string };
  /** What asks for its version. The first number with dots in the answer is taken. */
  versionArgs: string[];
  /** When a message that is sent while it works reaches it: in the turn that is under way, or only with the next prompt. */
  hears: "now" | "next";
  /** Whether it can be reached by a model gateway instead of by its own login. */
  gateway: boolean;
  /** What to do about a missing login, for a person. */
  loginHint: string;
  login(look: LoginLook): Promise<Login>;
  launch(options: LaunchOptions): Launch;
  open(running: Running, options: OpenOptions): Session;
}

export interface LaunchOptions {
  /** The program: an absolute path. */
  file: string;
  /** Its own default if missing. */
  model?: string | undefined;
  /** What it is told besides its own system prompt. */
  system: string;
  /** Where it works; all that it makes lies here. */
  workspace: string;
  /** A folder of its own outside of the workspace: its home, its settings and its conversations. The same again for a resume. */
  home: string;
  /** The PATH of the program. */
  path: string;
  /** A conversation of its own that goes on. */
  resume?: string | undefined;
  mcp?: McpAccess | undefined;
  /** How it reaches its model. Without it, its own login is used. */
  gateway?: Gateway | undefined;
  login?: Login | undefined;
  /** It asks before it does something. If false it does whatever its sandbox allows. */
  asks: boolean;
}

export interface McpAccess {
  /** What its tools are grouped by. */
  name: string;
  url: string;
  secret: string;
}

export interface Gateway {
  url: string;
  token: string;
}

export interface Launch {
  command: [file: string, ...args: string[]];
  env: Record<string, string>;
  /** Written before it starts, readable only by us. `from` is copied from there. */
  files: ({ path: string; text: string } | { path: string; from: string })[];
  /** Folders that must be there, besides those of `files`. */
  folders?: string[];
}

export interface OpenOptions {
  clock: Clock;
  random: Random;
  /** The same as it was launched with. */
  launch: LaunchOptions;
  /** Ends the program at once, with all that it started. */
  stop(): void;
  /** Asked when a turn ends: something outside of the program that explains it. */
  outside?: () => Promise<Failure | undefined>;
  /** What the program has counted for this conversation before, if it goes on. */
  counted?: Counted | undefined;
  limits?: Partial<Limits>;
}

export interface Limits {
  /** How long it may say nothing while it thinks. */
  silentMs: number;
  /** How long it may say nothing while a tool of its runs. */
  toolMs: number;
  /** How long a kind request to stop may take before it is ended by force. */
  graceMs: number;
  /** Characters of one line, of all that is no message, and of one turn. */
  line: number;
  noise: number;
  turn: number;
}

/** One conversation with a running program. Nothing of it throws. */
export interface Session {
  /** One turn, to its end; one at a time. Whoever stops reading interrupts it. */
  prompt(text: string): AsyncIterable<Activity>;
  /** Something new while a turn is under way. False if it will not be heard: give it with the next prompt. */
  say(text: string): boolean;
  /** The answer to a permission request. */
  permit(id: string, verdict: Verdict): void;
  /** Ends the turn that is under way; the conversation can go on. */
  interrupt(): void;
  /** Ends the program. Resolves when nothing of it is left. */
  close(): Promise<void>;
}

export type Verdict = { allow: true } | { allow: false; why: string };

export type Activity =
  /** What it calls its conversation, for `resume`. Said once a turn at least, before its end. */
  | { type: "conversation"; id: string }
  | { type: "text"; text: string }
  | { type: "thought"; text: string }
  | { type: "tool"; id: string; name: string; input: unknown }
  | { type: "result"; id: string; outcome: "ok" | "error" | "denied"; text: string; files: string[] }
  /** What was used since the last one, never a total. */
  | ({ type: "usage" } & Used)
  /** It waits for `permit`. `tool` is the id of the activity, where it names it. */
  | { type: "permission"; id: string; name: string; input: unknown; about: string; tool?: string | undefined }
  /** Something a person may want to know: it tries again, a server of tools does not answer. */
  | { type: "notice"; text: string }
  | End;

export interface Used {
  /** All input tokens, cached or not. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Missing where the program does not say it. */
  usd?: number | undefined;
  /** Totals of the conversation so far, for whoever opens it again (`OpenOptions.counted`). */
  counted: Counted;
}

export interface Counted {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  usd: number;
}

/** The last activity of a turn, and there is exactly one. */
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

/** transient: try again later; provider: someone must act first (login, payment); permanent: will not work. */
export type FailureKind = "transient" | "provider" | "permanent";

/** Why a turn failed. */
const kinds = {
  /** The program is not there, or cannot be started. */
  missing: "permanent",
  version: "permanent",
  login: "provider",
  /** Quota, payment or a budget. */
  quota: "provider",
  /** The provider is overloaded or does not answer. */
  overload: "transient",
  /** The model refused the request, or is not there. */
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
  /** The conversation that should go on is not there. */
  conversation: "permanent",
  closed: "transient",
} as const satisfies Record<string, FailureKind>;
export type Reason = keyof typeof kinds;

export const kindOf = (reason: Reason): FailureKind => kinds[reason];

/** What `login` may look at: it never gives away what it finds. */
export interface LoginLook {
  files: Pick<Files, "read">;
  /** The user's home. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

export type Login =
  /** A file that the program keeps its login in; `copyTo` is its name in the program's settings. */
  | { state: "file"; file: string; copyTo: string }
  /** A variable of the environment. Its value is a secret. */
  | { state: "key"; variable: string; secret: string }
  | { state: "none" }
  /** It cannot be told without asking the provider. */
  | { state: "unknown" };
