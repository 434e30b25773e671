/**
 * Records what a program reports of itself: what it says between its steps, its own tools and their results, and what it used. Texts are redacted
 * and bounded (ration.ts). Our own tools are recorded where they are called (tool-calls.ts).
 */
import type { Activity } from "../../driver/driver.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import type { CliTurn } from "./cli-turn.ts";
import type { Installed } from "./host.ts";
import { ownTool } from "./native-tools.ts";

type Of<Type extends Activity["type"]> = Extract<Activity, { type: Type }>;

export interface CliRecord {
  text(text: string): void;
  /** What it said since its last step becomes a record. */
  flush(): void;
  notice(text: string): void;
  tool(activity: Of<"tool">): void;
  result(activity: Of<"result">): void;
  usage(activity: Of<"usage">): void;
  /** Its last words that are not recorded yet. */
  lastWords(): string;
  /** Tools that have not ended end with the turn. */
  close(): void;
}

/** A call of one of its tools, as we recorded it. */
interface OwnCall {
  id: string;
  /** It cannot have changed a file. */
  reads: boolean;
}

/** Characters of what it said since its last step. */
export const mostSaid = 200_000;

export function createCliRecord(by: CliTurn, { launch }: Installed): CliRecord {
  const { name, of, options, ration, record } = by;
  /** The calls of its tools, by the program's own ids; undefined for one of ours. */
  const calls = new Map<string, OwnCall | undefined>();
  let said = "";

  function end(call: OwnCall | undefined, { outcome, text, files }: Omit<Of<"result">, "type" | "id">): void {
    if (call === undefined) return;
    const named = files.length ? `\n[files: ${files.slice(0, 50).join(", ")}]` : "";
    const result = ration.cut(options.redact(text)) + named;
    const touched = call.reads && !files.length ? {} : { touched: true as const };
    const progress = outcome === "ok" ? "work" : "none";
    record({ type: "tool.end", ...of, call: call.id, outcome, result, progress, ...touched });
  }

  function shortInput(input: unknown): unknown {
    const text = options.redact(JSON.stringify(input ?? {}));
    const short = ration.cut(text);
    return short === text ? JSON.parse(text) : { shortened: short };
  }

  function flush(): void {
    const text = said.trim();
    said = "";
    if (text) record({ type: "program.report", ...of, kind: "text", text: ration.cut(options.redact(text)) });
  }

  return {
    text(text) {
      said += text;
      if (said.length > 2 * mostSaid) said = shortenMiddle(said, mostSaid);
    },
    flush,
    notice(given) {
      const text = ration.cut(options.redact(given)).slice(0, 2_000);
      record({ type: "program.report", ...of, kind: "notice", text });
    },
    tool({ id, name: tool, input }) {
      flush();
      if (tool.includes(launch.mcp?.name ?? "\0")) return void calls.set(id, undefined);
      record({ type: "program.act", ...of, tool: tool.slice(0, 100) || "tool", input: shortInput(input) });
      const call = by.calling()?.own?.open.at(-1)?.id;
      calls.set(id, call === undefined ? undefined : { id: call, reads: ownTool(tool, "", true).effect === "reads" });
    },
    result(activity) {
      end(calls.get(activity.id), activity);
      calls.delete(activity.id);
    },
    /** A program on its own login says itself what it used; one on our gateway is metered there. */
    usage({ input, output, cacheRead, cacheWrite, usd, counted }) {
      if (launch.gateway) return;
      const tokens = { input, output, cache_read: cacheRead, cache_write: cacheWrite };
      const usage = { model: name, ...tokens, priced: usd !== undefined };
      record({ type: "program.settle", ...of, cost: { usd: usd ?? 0, tokens: input + output }, usage, counted });
    },
    lastWords: () => said.slice(-1_000),
    close() {
      const text = "It had not ended when the turn did.";
      for (const call of calls.values()) end(call, { outcome: "error", text, files: [] });
      calls.clear();
    },
  };
}
