/**
 * Any agent that speaks the Agent Client Protocol, version 1: JSON-RPC over lines. Unknown messages are ignored.
 *
 * The protocol has no system prompt and no message in the middle of a turn: the first is sent before the first prompt, unless the agent has a way
 * of its own (`systemByFile`), the second waits for the next one. It does not say whether an MCP server was reached: an agent that begins to work
 * without having asked for the tools of ours has failed. Usage is known as far as the agent reports it, and agents report little; a gateway knows more.
 * An agent may ask us to write files. We refuse: it is in a sandbox, and we are not.
 */
import type { Activity, Cli, Launch, LaunchOptions, OpenOptions, Verdict } from "../driver.ts";
import { refusal } from "../session/failure.ts";
import { createMeter } from "../session/meter.ts";
import { createSession, type Protocol, type Turn } from "../session/session.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../wire/fields.ts";
import { createRpc, type RpcError } from "../wire/jsonrpc.ts";

/** Characters of its last words; what came before is in its activity. */
const longest = 200_000;

export interface AcpAgent
  extends Partial<
    Pick<
      Cli,
      | "tested"
      | "install"
      | "loginHint"
      | "renewHint"
      | "keys"
      | "login"
      | "beforeResume"
      | "gateway"
      | "provider"
      | "hosts"
    >
  > {
  name: string;
  title: string;
  binary: string;
  launch(options: LaunchOptions): Launch;
  /** The system prompt reaches it by a file that `launch` writes. */
  systemByFile?: true;
  /** Why it may not be able to use an MCP server, and what to do. */
  mcpHint?: string;
  /** It answers that a conversation is loaded while it still replays it. */
  replaysLate?: true;
  /** The name of a tool, for an agent that sends only titles. */
  toolName?(call: Fields): string | undefined;
}

export function acpCli(agent: AcpAgent): Cli {
  const hint = agent.loginHint ?? `log in with ${agent.binary} itself`;
  return {
    versionArgs: ["--version"],
    hears: "next",
    staysPut: true,
    gateway: false,
    loginHint: hint,
    login: async () => ({ state: "unknown" }),
    open: (running, options) =>
      createSession(running, options, (turn) => createProtocol(turn, options, { hint, agent })),
    ...agent,
  };
}

/**
 * `acp:COMMAND`: any program of the user that speaks the protocol. It is started as it is, with a home of its own: what it calls its models with is
 * the gateway, by the variables that providers' clients read.
 */
export const acpCommand = (command: readonly [string, ...string[]]): Cli =>
  acpCli({
    name: "acp",
    title: command[0],
    binary: command[0],
    loginHint:
      "give it a key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, which it uses through the gateway",
    launch: ({ file, home, path, variables }) => ({
      command: [file, ...command.slice(1)],
      env: { ...variables, PATH: path, HOME: home },
      files: [],
    }),
  });

function createProtocol(
  turn: Turn,
  { launch, counted }: OpenOptions,
  { hint, agent }: { hint: string; agent: AcpAgent },
): Protocol {
  const meter = createMeter(counted);
  const begun = new Map<string, Fields>();
  const ended = new Set<string>();
  const asked = new Map<string, { id: unknown; options: Fields[]; tool: string }>();
  let session = "";
  /** While a conversation is loaded the agent replays it. */
  let live = false;
  let interrupted = false;
  let text = "";
  let unsaid = "";
  let updates = 0;
  const listed = launch.mcp?.listings?.();

  const rpc = createRpc(turn.send, {
    request: hearRequest,
    notification(method, { update }) {
      updates++;
      if (method === "session/update" && live) hearUpdate(fieldsOf(update));
    },
    failed: (_, error) => turn.fail(problem(error), "fatal"),
  });

  function problem({ code, message, data }: RpcError) {
    const details = typeof data === "string" ? data : textOf(fieldsOf(data).message) || textOf(fieldsOf(data).details);
    if (code === -32000) return refusal(401, `${message} ${details}`.trim(), hint);
    return refusal(undefined, details ? `${message}: ${details}` : message, hint);
  }

  function open(words: string): void {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    rpc.request("initialize", { protocolVersion: 1, clientCapabilities }, ({ agentCapabilities }) => {
      const { mcp } = launch;
      const headers = mcp && [{ name: "Authorization", value: `Bearer ${mcp.secret}` }];
      const mcpServers = mcp ? [{ type: "http", name: mcp.name, url: mcp.url, headers }] : [];
      const where = { cwd: launch.workspace, mcpServers };
      if (!launch.resume)
        return rpc.request("session/new", where, ({ sessionId }) => {
          session = textOf(sessionId);
          unsaid = agent.systemByFile ? "" : launch.system;
          ask(words);
        });
      session = launch.resume;
      const lost = (error: RpcError) => turn.fail({ reason: "conversation", why: problem(error).why }, "fatal");
      if (!fieldsOf(agentCapabilities).loadSession)
        return lost({ code: undefined, message: "this agent cannot resume a conversation", data: undefined });
      const loaded = () => (agent.replaysLate ? afterReplay(() => ask(words)) : ask(words));
      rpc.request("session/load", { ...where, sessionId: session }, loaded, lost);
    });
  }

  /** What it replays comes before its answer to anything else that it is asked: once an answer comes alone, it has ended. */
  function afterReplay(then: () => void): void {
    const before = updates;
    const next = () => (updates === before ? then() : afterReplay(then));
    rpc.request("_agiraph/ping", {}, next, next);
  }

  function ask(words: string): void {
    live = true;
    turn.emit({ type: "conversation", id: session });
    const prompt = [...(unsaid ? [unsaid] : []), words].map((one) => ({ type: "text", text: one }));
    unsaid = "";
    if (interrupted) return void turn.aborted();
    rpc.request("session/prompt", { sessionId: session, prompt }, hearEnd, (error) => {
      if (interrupted) turn.aborted();
      else turn.fail(problem(error));
    });
  }

  /** Whether it works without our tools: its model was shown none, so nothing that it does can be handed over. */
  function isWithoutTools(): boolean {
    if (listed === undefined || launch.mcp!.listings!() > listed) return false;
    const why = `${agent.title} did not ask the MCP server at ${launch.mcp!.url} for its tools: it could not use it, and was ended`;
    turn.fail({ reason: "mcp", why: agent.mcpHint ? `${why} (${agent.mcpHint})` : why }, "fatal");
    return true;
  }

  function hearUpdate(update: Fields): void {
    const { sessionUpdate, content, cost } = update;
    const words = textOf(fieldsOf(content).text);
    if (/^(agent_|tool_call)/.test(textOf(sessionUpdate)) && isWithoutTools()) return;
    if (sessionUpdate === "agent_message_chunk" && words) {
      text += words;
      if (text.length > 2 * longest) text = text.slice(-longest);
      turn.emit({ type: "text", text: words });
    } else if (sessionUpdate === "agent_thought_chunk" && words) turn.emit({ type: "thought", text: words });
    else if (sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update") hearTool(update);
    else if (sessionUpdate === "usage_update") {
      const { amount, currency } = fieldsOf(cost);
      if (currency === "USD") turn.emit(...meter.total({ usd: numberOf(amount) ?? 0 }));
    }
  }

  /** An update may come before the call, and may have only what changed. Its input is complete when it runs, or when permission is requested. */
  function hearTool(update: Fields, asked = false): Fields {
    const id = textOf(update.toolCallId);
    const known = begun.get(id);
    const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const call: Fields = { name: agent.toolName?.(update) ?? nameOf(update), ...known, ...Object.fromEntries(given) };
    begun.set(id, call);
    if (!call.shown && (asked || call.status !== "pending")) {
      call.shown = true;
      text = "";
      turn.emit({ type: "tool", id, name: textOf(call.name), input: inputOf(call) });
    }
    if ((call.status === "completed" || call.status === "failed") && !ended.has(id)) {
      ended.add(id);
      turn.emit(resultOf(id, call));
    }
    return call;
  }

  function hearRequest(method: string, params: Fields, id: unknown): void {
    if (method !== "session/request_permission") return void rpc.refuse(id, `${method} is not supported`);
    if (isWithoutTools()) return;
    const call = hearTool(fieldsOf(params.toolCall), true);
    const tool = textOf(call.toolCallId);
    asked.set(String(id), { id, tool, options: listOf(params.options).map(fieldsOf) });
    const ours = launch.mcp && textOf(call.name).includes(launch.mcp.name);
    if (interrupted) cancel(String(id));
    else if (!launch.asks || ours) permit(String(id), { allow: true });
    else
      turn.emit({
        type: "permission",
        id: String(id),
        name: textOf(call.name),
        input: inputOf(call),
        about: textOf(call.title),
        tool,
      });
  }

  function permit(key: string, verdict: Verdict): void {
    const request = asked.get(key);
    if (!request) return;
    asked.delete(key);
    const kinds = verdict.allow ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
    const option = kinds.flatMap((kind) => request.options.filter((one) => one.kind === kind))[0];
    if (!verdict.allow) {
      // Not every agent reports this itself.
      if (!ended.has(request.tool))
        turn.emit({ type: "result", id: request.tool, outcome: "denied", text: verdict.why, files: [] });
      ended.add(request.tool);
      unsaid = verdict.why;
    }
    if (!option) return void rpc.answer(request.id, { outcome: { outcome: "cancelled" } });
    rpc.answer(request.id, { outcome: { outcome: "selected", optionId: option.optionId } });
  }

  function cancel(key: string): void {
    const request = asked.get(key);
    asked.delete(key);
    if (request) rpc.answer(request.id, { outcome: { outcome: "cancelled" } });
  }

  function hearEnd({ stopReason, usage }: Fields): void {
    if (stopReason === "end_turn" && isWithoutTools()) return;
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = fieldsOf(usage);
    const cacheRead = numberOf(cachedReadTokens) ?? 0;
    const cacheWrite = numberOf(cachedWriteTokens) ?? 0;
    const input = (numberOf(inputTokens) ?? 0) + cacheRead + cacheWrite;
    turn.emit(...meter.turn({ input, output: numberOf(outputTokens) ?? 0, cacheRead, cacheWrite }));
    if (stopReason === "end_turn") turn.done(text);
    else if (stopReason === "cancelled") turn.aborted();
    else if (stopReason === "refusal") turn.fail({ reason: "refused", why: "the model refused to go on" });
    else turn.fail({ reason: "limit", why: `the agent stopped (${textOf(stopReason) || "without a reason"})` });
  }

  return {
    prompt(words) {
      for (const known of [begun, ended, asked]) known.clear();
      interrupted = false;
      text = "";
      if (session) ask(words);
      else open(words);
    },
    hear: rpc.hear,
    say: () => false,
    permit,
    interrupt() {
      interrupted = true;
      for (const id of [...asked.keys()]) cancel(id);
      if (session) rpc.notify("session/cancel", { sessionId: session });
    },
  };
}

/** Agents send a title for people; the name of a tool is somewhere else, if at all. */
const nameOf = ({ title, kind }: Fields): string => textOf(title) || textOf(kind) || "tool";

const inputOf = ({ rawInput, title }: Fields): unknown => rawInput ?? { title };

function resultOf(id: string, call: Fields): Activity {
  const { status, rawOutput } = call;
  const parts = listOf(call.content).map(fieldsOf);
  const files = parts.filter(({ type }) => type === "diff").map(({ path }) => textOf(path));
  const words = parts.map(({ content }) => textOf(fieldsOf(content).text)).filter(Boolean);
  const output = textOf(rawOutput) || textOf(fieldsOf(rawOutput).output) || textOf(fieldsOf(rawOutput).error);
  const outcome = status === "failed" ? "error" : "ok";
  return { type: "result", id, outcome, text: words.join("\n") || output, files: outcome === "ok" ? files : [] };
}
