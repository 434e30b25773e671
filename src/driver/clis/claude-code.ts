/**
 * Claude Code, by stream-json in both directions: one process for many turns, with permissions and interrupts as control messages.
 *
 * Whether a turn failed is in `is_error` of its result, never in the exit code or the subtype. The cost is a total over the life of the
 * conversation. A message that is sent while it works is read before its next step, or in a turn of its own that follows at once and belongs to
 * ours. Questions go through our tools: its own ways to wait for a person or to work on after its turn are disabled.
 */
import { join } from "node:path";
import type { Activity, Cli, LaunchOptions, OpenOptions, Verdict } from "../driver.ts";
import { fileAt, keyIn, type Lent, ownLogin } from "../installed/own-login.ts";
import { refusal } from "../session/failure.ts";
import { createMeter } from "../session/meter.ts";
import { createSession, type Protocol, type Turn } from "../session/session.ts";
import { uuid } from "../session/uuid.ts";
import { contentText, type Fields, fieldsOf, listOf, numberOf, textOf } from "../wire/fields.ts";

/** Tools that wait for a person, or act when the turn is over. */
const unwanted = [
  "AskUserQuestion",
  "CronCreate",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "ScheduleWakeup",
  "SendMessage",
];
const loginHint = "run `claude` and log in, or set ANTHROPIC_API_KEY";
const keys = ["CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"];

/** The logins of the user's MCP servers are in the same file. */
function lend({ claudeAiOauth }: Fields): Lent | undefined {
  const { refreshToken: _, ...login } = fieldsOf(claudeAiOauth);
  if (!textOf(login.accessToken)) return undefined;
  return { login: { claudeAiOauth: login }, secrets: [login.accessToken], expires: numberOf(login.expiresAt) };
}

export const claudeCode: Cli = {
  name: "claude-code",
  title: "Claude Code",
  binary: "claude",
  tested: { from: "2.1.197", to: "2.1.287" },
  versionArgs: ["--version"],
  hears: "now",
  gateway: true,
  hosts: ["api.anthropic.com"],
  install: "npm install -g @anthropic-ai/claude-code",
  loginHint,
  renewHint:
    "run `claude`, which renews it; a token from `claude setup-token` in CLAUDE_CODE_OAUTH_TOKEN lasts a year, and an ANTHROPIC_API_KEY does not end",
  keys,
  provider: "anthropic",
  models: ["opus", "sonnet", "haiku"],

  async login({ files, home, env }) {
    const file = join(env.CLAUDE_CONFIG_DIR || join(home, ".claude"), ".credentials.json");
    return keyIn(env, ...keys) ?? (await fileAt(files, file, lend)) ?? { state: "none" };
  },

  /** It keeps them by working directory, and resumes one of another only if it is given the file. */
  async conversationFile(home, id) {
    const projects = "claude/projects";
    for (const { name, kind } of await home.list(projects)) {
      const folder = `${projects}/${name}`;
      if (kind === "folder" && (await home.list(folder)).some((file) => file.name === `${id}.jsonl`))
        return `${folder}/${id}.jsonl`;
    }
    return undefined;
  },

  launch(options) {
    const { file, model, system, home, path, resume, mcp, gateway } = options;
    const settings = join(home, "claude");
    const { files, env } = ownLogin(options, settings);
    const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    args.push("--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool", "stdio");
    args.push("--permission-mode", "default", "--setting-sources", "", "--disable-slash-commands");
    args.push("--disallowedTools", unwanted.join(","), "--strict-mcp-config");
    if (model) args.push("--model", model);
    if (resume) args.push("--resume", resume);
    if (system) {
      files.push({ path: join(home, "system.md"), text: system });
      args.push("--append-system-prompt-file", join(home, "system.md"));
    }
    if (mcp) {
      files.push({ path: join(home, "mcp.json"), text: mcpConfig(mcp) });
      args.push("--mcp-config", join(home, "mcp.json"));
    }
    // Its commands inherit its environment, and run this first. An `apiKeyHelper` would hide the token as well, and take 20 ms.
    files.push({ path: join(home, "commands.sh"), text: `unset CLAUDE_ENV_FILE ${keys.join(" ")}\n` });
    return {
      command: [file, ...args],
      env: {
        PATH: path,
        HOME: home,
        CLAUDE_CONFIG_DIR: settings,
        ...(gateway && { ANTHROPIC_BASE_URL: gateway.url, ANTHROPIC_AUTH_TOKEN: gateway.token }),
        ...env,
        CLAUDE_ENV_FILE: join(home, "commands.sh"),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
        CLAUDE_CODE_MAX_RETRIES: "2",
        DISABLE_AUTOUPDATER: "1",
        // All tools are listed at once, and only when their servers have answered.
        ENABLE_TOOL_SEARCH: "false",
        MCP_CONNECTION_NONBLOCKING: "0",
      },
      files,
      folders: [settings],
    };
  },

  open: (running, options) => createSession(running, options, (turn) => createProtocol(turn, options)),
};

const mcpConfig = ({ name, url, secret }: NonNullable<LaunchOptions["mcp"]>): string =>
  JSON.stringify({ mcpServers: { [name]: { type: "http", url, headers: { Authorization: `Bearer ${secret}` } } } });

function createProtocol(turn: Turn, { launch, random, counted }: OpenOptions): Protocol {
  const meter = createMeter(counted);
  /** Permission requests, and the input of an allowed tool. */
  const asked = new Map<string, { input: unknown; tool: string }>();
  const denied = new Set<string>();
  const inputs = new Map<string, Fields>();
  /** Messages that were sent and not read yet. */
  const unheard = new Set<string>();
  /** The current answer: its usage so far, and which kinds of its blocks were streamed. */
  let answer: { used: Fields; streamed: Set<string> } = { used: {}, streamed: new Set() };
  let interrupted = false;
  let initialized = false;

  const control = (request: object) => turn.send({ type: "control_request", request_id: uuid(random), request });

  function tell(text: string): string {
    const id = uuid(random);
    turn.send({ type: "user", message: { role: "user", content: text }, uuid: id });
    return id;
  }

  function hearStream({ event, parent_tool_use_id: parent }: Fields): void {
    const { type, message, delta, usage } = fieldsOf(event);
    if (type === "message_start") answer = { used: fieldsOf(fieldsOf(message).usage), streamed: new Set() };
    if (type === "message_delta") turn.emit(...meter.step(tokens({ ...answer.used, ...fieldsOf(usage) })));
    if (type !== "content_block_delta" || parent) return;
    const { type: kind, text, thinking } = fieldsOf(delta);
    if (kind === "text_delta") piece("text", text);
    if (kind === "thinking_delta") piece("thinking", thinking);
  }

  function piece(kind: "text" | "thinking", given: unknown): void {
    const text = textOf(given);
    answer.streamed.add(kind);
    if (text) turn.emit({ type: kind === "text" ? "text" : "thought", text });
  }

  /** What was streamed already is not repeated. */
  function hearAnswer({ message, parent_tool_use_id: parent }: Fields): void {
    for (const block of listOf(fieldsOf(message).content).map(fieldsOf)) {
      const { type, id, name, input } = block;
      if (type === "tool_use") {
        inputs.set(textOf(id), fieldsOf(input));
        turn.emit({ type: "tool", id: textOf(id), name: textOf(name), input });
      } else if ((type === "text" || type === "thinking") && !parent && !answer.streamed.has(type))
        piece(type, block[type]);
    }
  }

  function hearUser({ message, uuid: id, isReplay, tool_use_result: details }: Fields): void {
    if (isReplay) return void (unheard.delete(textOf(id)) && turn.emit({ type: "heard" }));
    for (const block of listOf(fieldsOf(message).content).map(fieldsOf)) {
      if (block.type === "tool_result") turn.emit(resultOf(block, fieldsOf(details)));
    }
  }

  function resultOf({ tool_use_id, content, is_error }: Fields, details: Fields): Activity {
    const id = textOf(tool_use_id);
    const outcome = denied.has(id) ? "denied" : is_error ? "error" : "ok";
    const { file_path, notebook_path } = inputs.get(id) ?? {};
    const changed =
      "structuredPatch" in details || notebook_path !== undefined ? (file_path ?? notebook_path) : undefined;
    inputs.delete(id);
    return {
      type: "result",
      id,
      outcome,
      text: contentText(content),
      files: outcome === "ok" && changed ? [textOf(changed)] : [],
    };
  }

  function hearSystem({ subtype, session_id, mcp_servers, attempt, error_status, error }: Fields): void {
    if (subtype === "init") {
      turn.emit({ type: "conversation", id: textOf(session_id) });
      for (const { name, status } of listOf(mcp_servers).map(fieldsOf)) {
        if (name === launch.mcp?.name && status !== "connected")
          turn.fail(
            { reason: "mcp", why: `Claude Code cannot use the MCP server at ${launch.mcp?.url} (${textOf(status)})` },
            "fatal",
          );
      }
    }
    if (subtype === "api_retry")
      turn.emit({
        type: "notice",
        text: `the model did not answer (${error_status ?? textOf(error)}); attempt ${numberOf(attempt) ?? "?"}`,
      });
  }

  function hearControl({ request_id, request }: Fields): void {
    const { subtype, tool_name, input, tool_use_id, description } = fieldsOf(request);
    const id = textOf(request_id);
    if (subtype !== "can_use_tool") {
      const response = { subtype: "error", request_id: id, error: `${textOf(subtype)} is not supported` };
      return void turn.send({ type: "control_response", response });
    }
    const tool = textOf(tool_use_id);
    asked.set(id, { input, tool });
    if (!launch.asks || interrupted)
      return void permit(id, interrupted ? { allow: false, why: "interrupted" } : { allow: true });
    turn.emit({ type: "permission", id, name: textOf(tool_name), input, about: textOf(description), tool });
  }

  function permit(id: string, verdict: Verdict): void {
    const { input, tool } = asked.get(id) ?? { input: {}, tool: "" };
    asked.delete(id);
    if (!verdict.allow) denied.add(tool);
    const response = verdict.allow
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: verdict.why || "This was not allowed." };
    turn.send({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  }

  function hearResult(message: Fields): void {
    const { is_error, subtype, result, errors, usage, total_cost_usd, api_error_status, terminal_reason } = message;
    turn.emit({ type: "conversation", id: textOf(message.session_id) });
    turn.emit(...meter.turn(tokens(fieldsOf(usage))), ...meter.total({ usd: numberOf(total_cost_usd) ?? 0 }));
    const kind = textOf(subtype);
    if (is_error || kind.startsWith("error")) {
      const words = textOf(result) || listOf(errors).map(textOf).join("\n") || kind;
      if (interrupted || textOf(terminal_reason).startsWith("aborted")) {
        // Otherwise an unread message would begin a turn that nobody asked for.
        if (unheard.size) turn.fail({ reason: "killed", why: "interrupted" }, "fatal");
        else turn.aborted();
      } else if (/^error_max/.test(kind))
        turn.fail({ reason: "limit", why: `Claude Code stopped at its limit (${kind})` });
      else if (/no conversation found/i.test(words)) turn.fail({ reason: "conversation", why: words }, "fatal");
      else turn.fail(refusal(numberOf(api_error_status), words, loginHint));
    } else if (!unheard.size) turn.done(textOf(result));
  }

  return {
    prompt(text) {
      interrupted = false;
      denied.clear();
      inputs.clear();
      unheard.clear();
      if (!initialized) control({ subtype: "initialize" });
      initialized = true;
      tell(text);
    },
    hear(message) {
      const { type } = message;
      if (type === "stream_event") hearStream(message);
      else if (type === "assistant") hearAnswer(message);
      else if (type === "user") hearUser(message);
      else if (type === "system") hearSystem(message);
      else if (type === "control_request") hearControl(message);
      else if (type === "result") hearResult(message);
    },
    say(text) {
      unheard.add(tell(text));
      return true;
    },
    permit,
    interrupt() {
      interrupted = true;
      for (const id of [...asked.keys()]) permit(id, { allow: false, why: "interrupted" });
      control({ subtype: "interrupt" });
    },
    exited: (_, output) =>
      /no conversation found/i.test(output)
        ? { reason: "conversation", why: "the conversation is not there any more" }
        : /not logged in|please run \/login|invalid api key/i.test(output)
          ? { reason: "login", why: `Claude Code is not logged in; ${loginHint}` }
          : undefined,
  };
}

function tokens(usage: Fields) {
  const cacheRead = numberOf(usage.cache_read_input_tokens) ?? 0;
  const cacheWrite = numberOf(usage.cache_creation_input_tokens) ?? 0;
  const input = (numberOf(usage.input_tokens) ?? 0) + cacheRead + cacheWrite;
  return { input, output: numberOf(usage.output_tokens) ?? 0, cacheRead, cacheWrite };
}
