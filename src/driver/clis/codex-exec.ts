/**
 * Codex, by `codex exec`: JSON lines, one process for each turn. The fallback where its app server cannot be used.
 *
 * It cannot ask for permission (`cannotAsk`), it hears messages only with the next prompt, and it has no interrupt: it is killed, and the
 * conversation is resumed. Text comes in whole messages and thoughts as summaries. Usage comes at the end of a turn, as totals of the thread, so the
 * calls of a turn that was killed are counted with the next one.
 */

import type { Cli, OpenOptions } from "../driver.ts";
import { refusal } from "../session/failure.ts";
import { createMeter } from "../session/meter.ts";
import { createSession, type Protocol, type Turn } from "../session/session.ts";
import { type Fields, fieldsOf, numberOf, textOf } from "../wire/fields.ts";
import { codexLaunch, codexLoginHint, codexProgram } from "./codex-config.ts";
import { isTool, resultOf, toolOf } from "./codex-items.ts";

export const codexExec: Cli = {
  ...codexProgram,
  hears: "next",
  oneTurn: true,
  cannotAsk: true,
  launch: (options) => {
    const resume = options.resume ? ["resume", options.resume] : [];
    return codexLaunch(
      options,
      ["exec", ...resume.slice(0, 1), "--json", "--skip-git-repo-check", ...resume.slice(1), "-"],
      [
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        `developer_instructions = ${JSON.stringify(options.system)}`,
      ],
    );
  },
  open: (running, options) =>
    createSession(running, options, (turn) =>
      createProtocol(turn, options, (text) => {
        running.write(text);
        running.close();
      }),
    ),
};

function createProtocol(turn: Turn, { launch, counted, stop }: OpenOptions, send: (text: string) => void): Protocol {
  const meter = createMeter(counted);
  const begun = new Set<string>();
  let started = false;
  let text = "";
  /** The last error that it reported; it may have retried. */
  let said = "";

  function hearItem(given: Fields, complete: boolean): void {
    const item = spelled(given);
    const id = textOf(item.id);
    if (isTool(item)) {
      if (!begun.has(id)) turn.emit(toolOf(item));
      begun.add(id);
      if (complete) turn.emit(resultOf(item));
    } else if (item.type === "agentMessage" && complete) {
      text = textOf(item.text);
      turn.emit({ type: "text", text });
    } else if (item.type === "reasoning" && complete && textOf(item.text))
      turn.emit({ type: "thought", text: textOf(item.text) });
  }

  function hearUsage(usage: Fields): void {
    turn.emit(
      ...meter.total({
        input: numberOf(usage.input_tokens) ?? 0,
        cacheRead: numberOf(usage.cached_input_tokens) ?? 0,
        cacheWrite: numberOf(usage.cache_write_input_tokens) ?? 0,
        output: numberOf(usage.output_tokens) ?? 0,
      }),
    );
  }

  return {
    prompt: send,
    hear({ type, thread_id, item, usage, error, message }) {
      if (type === "thread.started") {
        started = true;
        turn.emit({ type: "conversation", id: textOf(thread_id) });
      } else if (type === "item.started" || type === "item.updated") hearItem(fieldsOf(item), false);
      else if (type === "item.completed") hearItem(fieldsOf(item), true);
      else if (type === "error") said = textOf(message);
      else if (type === "turn.completed") {
        hearUsage(fieldsOf(usage));
        turn.done(text);
      } else if (type === "turn.failed")
        turn.fail(refusal(undefined, textOf(fieldsOf(error).message) || said, codexLoginHint));
    },
    say: () => false,
    permit: () => undefined,
    interrupt: stop,
    exited(_, output) {
      if (started) return said ? refusal(undefined, said, codexLoginHint) : undefined;
      if (/mcp (server|client)/i.test(output))
        return { reason: "mcp", why: `Codex cannot use the MCP server at ${launch.mcp?.url}` };
      if (/no rollout found/i.test(output))
        return { reason: "conversation", why: "the conversation does not exist any more" };
      return undefined;
    },
  };
}

/** Its items are those of the app server, in snake case. */
const spelled = (item: Fields): Fields => ({
  ...Object.fromEntries(Object.entries(item).map(([key, value]) => [camel(key), value])),
  type: camel(textOf(item.type)),
});

const camel = (text: string): string => text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
