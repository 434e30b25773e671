/** What the ways to ask a model have in common. */

/** What the model does next. After a tool call it is asked again, and the step after it is next. */
export type Step =
  /** Says this and ends the turn. */
  | { say: string; think?: string; waitMs?: number }
  /** Runs a command with the CLI's own tool for that. */
  | { run: string; say?: string; waitMs?: number }
  /** Calls a tool whose name ends so. */
  | { call: string; input?: Record<string, unknown>; say?: string; waitMs?: number }
  | { status: number; body?: unknown }
  /** Begins an answer that never comes. */
  | { hang: true };

export interface Asked {
  model: string;
  stream: boolean;
  system: string;
  turns: { role: "user" | "model"; text: string; calls: number }[];
  /** A nested one is called in a script (code mode). */
  tools: { name: string; namespace?: string | undefined; schema: ToolSchema; nested?: boolean }[];
}

export interface ToolSchema {
  properties?: Record<string, { type?: string } | undefined>;
  required?: string[];
}

export interface Answer {
  text?: string | undefined;
  thought?: string | undefined;
  call?:
    | {
        name: string;
        namespace?: string | undefined;
        input: Record<string, unknown>;
        nested?: "named" | "found" | undefined;
      }
    | undefined;
}

export interface Wire {
  name: string;
  path: RegExp;
  // biome-ignore lint/suspicious/noExplicitAny: it is what a CLI sends
  read(body: any, path: string): Asked;
  stream(answer: Answer, asked: Asked, count: number): Iterable<{ event?: string; data: unknown }>;
  whole(answer: Answer, asked: Asked, count: number): unknown;
  error(status: number): unknown;
}

/** What every answer is said to have used. */
export const used = { input: 200, cached: 1000, output: 45 };

/** The text of a content that is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : (part?.text ?? ""))).join("\n");
}
