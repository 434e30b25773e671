/**
 * Codex, by its app server: JSON-RPC over lines, one thread for the conversation.
 *
 * A message that is sent while it works steers the running turn; if that has just ended, a turn of its own follows at once and belongs to ours. The
 * denial of a command carries no text in this protocol, so the reason is sent after it. Usage comes as totals of the thread; Codex does not report
 * cost.
 */

import type { Cli, Failure, OpenOptions, Reason } from "../driver.ts";
import { refusal } from "../session/failure.ts";
import { createMeter } from "../session/meter.ts";
import { createSession, type Protocol, type Turn } from "../session/session.ts";
import { type Fields, fieldsOf, numberOf, textOf } from "../wire/fields.ts";
import { createRpc, type RpcError } from "../wire/jsonrpc.ts";
import { codexLaunch, codexLoginHint, codexProgram } from "./codex-config.ts";
import { codexExec } from "./codex-exec.ts";
import { isTool, resultOf, toolOf } from "./codex-items.ts";

export const codex: Cli = {
  ...codexProgram,
  hears: "now",
  fallback: codexExec,
  launch: (options) => codexLaunch(options, ["app-server"]),
  open: (running, options) => createSession(running, options, (turn) => createProtocol(turn, options)),
};

const meanings: Record<string, Reason> = {
  unauthorized: "login",
  usageLimitExceeded: "quota",
  sessionBudgetExceeded: "quota",
  rateLimitExceeded: "overload",
  serverOverloaded: "overload",
  internalServerError: "overload",
  contextWindowExceeded: "limit",
  tooManyDenials: "limit",
};

function createProtocol(turn: Turn, { launch, counted }: OpenOptions): Protocol {
  const meter = createMeter(counted);
  const items = new Map<string, Fields>();
  const asked = new Map<string, { id: unknown; method: string }>();
  const streamed = new Set<string>();
  /** It has answered. */
  let isServer = false;
  let thread = "";
  /** Codex's running turn; empty until it has an id. */
  let current = "";
  /** Messages that have no turn yet, and how many are on their way to one. */
  let unheard: string[] = [];
  let underway = 0;
  let completed = false;
  let interrupted = false;
  let text = "";

  const rpc = createRpc(turn.send, {
    request: hearRequest,
    notification: hearNotification,
    failed: (method, error) =>
      turn.fail(
        error.code === -32601 || (error.code === -32602 && !thread)
          ? unsupported(`${method}: ${error.message}`)
          : problem(`${method}: ${error.message}`, error),
        "fatal",
      ),
  });

  const unsupported = (words: string): Failure => ({
    reason: "version",
    why: `this version of Codex has no app server that we know: ${words}`,
  });

  const input = (words: string) => [{ type: "text", text: words }];

  function open(prompt: string): void {
    const clientInfo = { name: "agiraph", title: "Agiraph", version: "1" };
    rpc.request("initialize", { clientInfo }, () => {
      isServer = true;
      rpc.notify("initialized");
      const shared = {
        cwd: launch.workspace,
        developerInstructions: launch.system,
        approvalPolicy: launch.asks ? "untrusted" : "never",
        sandbox: "danger-full-access",
        ...(launch.model && { model: launch.model }),
      };
      const begin = (result: Fields) => {
        thread = textOf(fieldsOf(result.thread).id);
        startTurn(prompt);
      };
      if (!launch.resume) return rpc.request("thread/start", shared, begin);
      rpc.request("thread/resume", { ...shared, threadId: launch.resume, excludeTurns: true }, begin, ({ message }) =>
        turn.fail({ reason: "conversation", why: message }, "fatal"),
      );
    });
  }

  function startTurn(words: string): void {
    completed = false;
    current = "";
    turn.emit({ type: "conversation", id: thread });
    rpc.request("turn/start", { threadId: thread, input: input(words) }, (result) => begun(fieldsOf(result.turn)));
  }

  function begun({ id }: Fields): void {
    if (current || completed) return;
    current = textOf(id);
    if (interrupted) return void interrupt();
    for (const words of unheard.splice(0)) steer(words);
  }

  function tell(words: string): void {
    if (current) steer(words);
    else unheard.push(words);
  }

  function steer(words: string): void {
    underway++;
    rpc.request(
      "turn/steer",
      { threadId: thread, expectedTurnId: current, input: input(words) },
      () => {
        underway--;
        settle();
      },
      () => {
        underway--;
        unheard.push(words);
        settle();
      },
    );
  }

  /** The turn is over when Codex says so and no message is left. */
  function settle(): void {
    if (!completed || underway) return;
    if (unheard.length) startTurn(unheard.splice(0).join("\n\n"));
    else turn.done(text);
  }

  const interrupt = () =>
    rpc.request("turn/interrupt", { threadId: thread, turnId: current }, undefined, () => undefined);

  function hearNotification(method: string, params: Fields): void {
    const { item, delta, itemId, error, willRetry } = params;
    if (method === "turn/started") begun(fieldsOf(params.turn));
    else if (method === "item/started") hearItem(fieldsOf(item), false);
    else if (method === "item/completed") hearItem(fieldsOf(item), true);
    else if (method === "item/agentMessage/delta") {
      streamed.add(textOf(itemId));
      turn.emit({ type: "text", text: textOf(delta) });
    } else if (/^item\/reasoning\/(summaryT|t)extDelta$/.test(method))
      turn.emit({ type: "thought", text: textOf(delta) });
    else if (method === "thread/tokenUsage/updated") hearUsage(fieldsOf(fieldsOf(params.tokenUsage).total));
    else if (method === "error" && willRetry) turn.emit({ type: "notice", text: textOf(fieldsOf(error).message) });
    else if (/^mcpServer\/startupStatus\/updated$/.test(method)) hearMcp(params);
    else if (method === "turn/completed") hearEnd(fieldsOf(params.turn));
  }

  function hearItem(item: Fields, complete: boolean): void {
    const id = textOf(item.id);
    if (isTool(item)) {
      if (!items.has(id)) turn.emit(toolOf(item));
      items.set(id, item);
      if (complete) turn.emit(resultOf(item));
    } else if (item.type === "agentMessage" && complete) {
      text = textOf(item.text);
      if (!streamed.has(id)) turn.emit({ type: "text", text });
    }
  }

  /** When a thread is resumed its totals come first; if they are not known yet they count as the past. */
  function hearUsage({ inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens }: Fields): void {
    const used = meter.total({
      input: numberOf(inputTokens) ?? 0,
      cacheRead: numberOf(cachedInputTokens) ?? 0,
      cacheWrite: numberOf(cacheWriteInputTokens) ?? 0,
      output: numberOf(outputTokens) ?? 0,
    });
    if (current || counted || !launch.resume) turn.emit(...used);
  }

  function hearMcp({ name, status, error }: Fields): void {
    if (name !== launch.mcp?.name || status !== "failed") return;
    turn.fail(
      { reason: "mcp", why: `Codex cannot use the MCP server at ${launch.mcp?.url}: ${textOf(error)}` },
      "fatal",
    );
  }

  function hearEnd({ id, status, error }: Fields): void {
    if (current && id !== current) return;
    current = "";
    if (status === "interrupted") return void turn.aborted();
    if (status === "failed") {
      const { message, codexErrorInfo } = fieldsOf(error);
      return void turn.fail(problem(textOf(message), { code: undefined, message: "", data: codexErrorInfo }));
    }
    completed = true;
    settle();
  }

  function hearRequest(method: string, params: Fields, id: unknown): void {
    if (method === "mcpServer/elicitation/request")
      return void rpc.answer(id, {
        action: params.serverName === launch.mcp?.name ? "accept" : "decline",
        content: {},
        _meta: null,
      });
    if (method !== "item/commandExecution/requestApproval" && method !== "item/fileChange/requestApproval")
      return void rpc.refuse(id, `${method} is not supported`);
    const tool = textOf(params.itemId);
    asked.set(String(id), { id, method });
    if (!launch.asks || interrupted) return void permit(String(id), !interrupted);
    const item = items.get(tool);
    const command = { name: "shell", input: { command: params.command, cwd: params.cwd } };
    const { name, input } = item && isTool(item) ? (toolOf(item) as typeof command) : command;
    turn.emit({ type: "permission", id: String(id), name, input, about: textOf(params.reason), tool });
  }

  function permit(key: string, allow: boolean): void {
    const request = asked.get(key);
    asked.delete(key);
    if (request) rpc.answer(request.id, { decision: allow ? "accept" : "decline" });
  }

  function problem(words: string, { data }: RpcError): Failure {
    if (/mcp server|mcp client/i.test(words)) return { reason: "mcp", why: words };
    const reason = typeof data === "string" ? meanings[data] : undefined;
    const status = numberOf(fieldsOf(Object.values(fieldsOf(data))[0]).httpStatusCode);
    return reason ? { reason, why: words } : refusal(status, words, codexLoginHint);
  }

  return {
    prompt(words) {
      items.clear();
      streamed.clear();
      asked.clear();
      unheard = [];
      interrupted = false;
      text = "";
      if (thread) startTurn(words);
      else open(words);
    },
    hear: rpc.hear,
    say(words) {
      tell(words);
      turn.emit({ type: "heard" }); // it does not say when it reads
      return true;
    },
    permit(id, verdict) {
      if (!verdict.allow && verdict.why) tell(verdict.why);
      permit(id, verdict.allow);
    },
    interrupt() {
      interrupted = true;
      for (const id of [...asked.keys()]) permit(id, false);
      if (current) interrupt();
    },
    exited: ({ code, signal, ended }, output) =>
      isServer || signal || ended || code === null || code > 128 ? undefined : unsupported(output.slice(-500)),
  };
}
