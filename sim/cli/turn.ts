/**
 * What the simulated CLI does in its turns: it reads what it is given, calls its model, uses its own tools and ours, asks for permission, and ends
 * with a result. What goes wrong: it dies in the middle of a line, falls silent, floods, ends without a result or with a bad exit code, does not
 * hear that it is interrupted, loses its conversation, cannot reach our MCP server, or its provider refuses it.
 *
 * As the real one (2.1.197): what waits when a turn ends is read together, in one turn with one result; what comes during a turn is read after its
 * next tool call. In calm nothing goes wrong.
 */
import type { CliOptions, Conversation } from "./process.ts";

type Message = Record<string, unknown>;

/** A prompt, or what it is told while it works. */
interface Given {
  uuid: string;
  text: string;
}

export interface TurnsOptions extends CliOptions {
  isAlive(): boolean;
  write(text: string): void;
  exit(code: number, words?: string): void;
}

export interface Turns {
  /** It has started; with the id of a conversation that it is to resume. */
  open(resume: string | undefined): void;
  hear(message: Message): void;
  /** Its input is closed: it ends after its turn. */
  close(): void;
}

const troubles = [
  "dies",
  "half line",
  "silent",
  "floods",
  "no result",
  "exit 1",
  "deaf",
  "loses",
  "no mcp",
  "overload",
  "login",
] as const;
type Trouble = (typeof troubles)[number];

/** What a call of its model costs, at most and at least; the gateway reserves the first. */
const dearest = 0.002;
const hangMs = 120_000;

export function createTurns(options: TurnsOptions): Turns {
  const { random, time, around, conversations, program, isAlive, write, exit, isCalm, put } = options;
  const waiting: Given[] = [];
  const permits = new Map<string, (allowed: boolean) => void>();
  let conversation: Conversation | undefined;
  let opened = false;
  let busy = false;
  let closed = false;
  let interrupted = false;
  let trouble: Trouble | undefined;
  let count = 0;
  let tokens = 0;
  /** What its turn began with: it says that it has read this when its model answers. */
  let unconfirmed: Given | undefined;
  /** Wakes whoever waits for a tool of ours. */
  let interrupt: () => void = () => undefined;

  const say = (message: Message) => write(`${JSON.stringify(message)}\n`);
  /** False once it is dead. */
  async function pause(ms: number): Promise<boolean> {
    await time.sleep(1 + random.int(ms));
    return isAlive();
  }

  function next(): void {
    if (!opened || busy || !isAlive()) return;
    const batch = waiting.splice(0);
    if (batch.length) void turn(batch);
    else if (closed) exit(trouble === "exit 1" ? 1 : 0);
  }

  function confirm({ uuid, text }: Given): void {
    say({ type: "user", message: { role: "user", content: text }, uuid, isReplay: true });
  }

  function read(given: readonly Given[]): void {
    for (const { text } of given) around.read(conversation!.id, text);
  }

  function result(more: Message): void {
    const { id: session_id, usd } = conversation!;
    around.reported({ ...conversation! }, more.is_error === undefined);
    const usage = { input_tokens: tokens, output_tokens: 0 };
    say({ type: "result", subtype: "success", is_error: false, session_id, total_cost_usd: usd, usage, ...more });
  }

  async function turn(batch: Given[]): Promise<void> {
    busy = true;
    interrupted = false;
    tokens = 0;
    trouble = !isCalm() && random.chance(around.faults) ? random.pick(troubles) : undefined;
    if (trouble) around.trouble(trouble);
    conversation ??= begin();
    await work(batch);
    if (!isAlive()) return;
    if (trouble === "loses") conversations.delete(conversation!.id);
    busy = false;
    if (trouble === "exit 1" && random.chance(0.5)) exit(1);
    next();
  }

  function begin(): Conversation {
    const made: Conversation = { id: `c-${random.hex(8)}`, usd: 0, tokens: 0 };
    conversations.set(made.id, made);
    return made;
  }

  async function work(batch: Given[]): Promise<void> {
    const status = trouble === "no mcp" ? "failed" : "connected";
    say({ type: "system", subtype: "init", session_id: conversation!.id, mcp_servers: [{ name: "agiraph", status }] });
    read(batch);
    unconfirmed = batch.pop();
    batch.forEach(confirm);
    for (let step = random.int(5); step >= 0; step--) {
      if (!(await pause(400))) return;
      if (interrupted) return aborted();
      const news = unconfirmed ? [] : waiting.splice(0);
      read(news);
      news.forEach(confirm);
      if (await breaks()) return;
      if (!(await think())) return;
      if (!isAlive() || interrupted) return aborted();
      if (step > 0 && !(await act())) break;
    }
    if (!(await pause(50))) return;
    if (interrupted) aborted();
    else result({ result: random.pick(["Done.", "", "That is all that I know."]) });
  }

  const aborted = () => {
    if (isAlive()) result({ is_error: true, subtype: "error_during_execution", terminal_reason: "aborted_tools" });
  };

  /** True if it ends its turn by this. */
  async function breaks(): Promise<boolean> {
    if (!trouble || random.chance(0.5)) return false;
    if (trouble === "dies") exit(random.pick([1, 137, 139]), "out of luck");
    else if (trouble === "no result") exit(0);
    else if (trouble === "half line") {
      write('{"type":"result","subtype":"success","is_error":false,"resu');
      exit(random.pick([0, 1]));
    } else if (trouble === "floods") write(`${"x".repeat(4_100_000)}\n`);
    else if (trouble === "silent") {
      await time.sleep(hangMs);
      if (isAlive()) exit(1);
    } else if (trouble === "overload")
      result({ is_error: true, result: "API Error: 529 overloaded", api_error_status: 529 });
    else if (trouble === "login") result({ is_error: true, result: "Invalid API key", api_error_status: 401 });
    else return false;
    return true;
  }

  /** One call of its model. False if its turn has ended by it. */
  async function think(): Promise<boolean> {
    const cost = Number((dearest * (0.2 + 0.8 * random.next())).toFixed(9));
    const used = 1 + random.int(50);
    if (around.gateway) {
      try {
        await around.model(cost);
      } catch (error) {
        if (!isAlive()) return false;
        const money = String(error).includes("budget");
        result({ is_error: true, result: `API Error: ${money ? "budget" : String(error)}`, api_error_status: 400 });
        return false;
      }
      if (!isAlive()) return false;
    }
    conversation!.usd += cost;
    conversation!.tokens += used;
    tokens += used;
    const event = (given: Message) => say({ type: "stream_event", event: given, session_id: conversation!.id });
    if (unconfirmed) confirm(unconfirmed);
    unconfirmed = undefined;
    event({ type: "message_start", message: { usage: { input_tokens: used, output_tokens: 0 } } });
    if (random.chance(0.5)) event({ type: "content_block_delta", delta: { type: "text_delta", text: "I look. " } });
    if (random.chance(0.2)) event({ type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } });
    if (random.chance(0.1)) write("a warning that is not JSON\n");
    event({ type: "message_delta", usage: { output_tokens: 0 } });
    return await pause(5);
  }

  /** One tool call. False if it was told to end its turn, and does. */
  async function act(): Promise<boolean> {
    const id = `t${++count}`;
    const own = random.chance(0.4);
    // It gives up waiting for a program, and does not say so.
    const impatient = !own && random.chance(0.1);
    const patience = impatient
      ? time.sleep(1 + random.int(300)).then(() => ({ outcome: "error", text: "timed out" }))
      : undefined;
    const [tool, input] = own
      ? random.pick<[string, unknown]>([
          ["Bash", { command: `ls ${random.int(3)}` }],
          ["Edit", { file_path: `${program.folder}/made.md` }],
        ])
      : impatient
        ? ["program", {}]
        : around.choose(random, program.folder);
    const name = own ? tool : `mcp__agiraph__${tool}`;
    say({ type: "assistant", message: { content: [{ type: "tool_use", id, name, input }] } });
    const { text, failed, ends } = own ? await actAlone(id, tool, input) : await actThroughUs(tool, input, patience);
    if (!isAlive()) return true;
    around.read(conversation!.id, text);
    const content = [{ type: "tool_result", tool_use_id: id, content: text, is_error: failed }];
    say({ type: "user", message: { role: "user", content } });
    return !ends;
  }

  async function actAlone(id: string, tool: string, input: unknown) {
    const request_id = `p${id}`;
    say({
      type: "control_request",
      request_id,
      request: { subtype: "can_use_tool", tool_name: tool, input, tool_use_id: id, description: tool },
    });
    const allowed = await new Promise<boolean>((resolve) => permits.set(request_id, resolve));
    await pause(2_000);
    if (allowed && tool === "Edit" && isAlive()) put(`${program.folder}/made.md`, `made ${count}\n`);
    return { text: allowed ? "did it" : "denied", failed: !allowed, ends: false };
  }

  async function actThroughUs(tool: string, input: unknown, patience?: Promise<{ outcome: string; text: string }>) {
    const stopped = new Promise<{ outcome: string; text: string }>((resolve) => {
      interrupt = () => resolve({ outcome: "error", text: "interrupted" });
    });
    try {
      const { outcome, text } = await Promise.race([
        around.tool(tool, input),
        stopped,
        ...(patience ? [patience] : []),
      ]);
      const ends = /End your turn now/.test(text) && random.chance(0.7);
      return { text, failed: outcome !== "ok", ends };
    } catch (error) {
      await pause(50);
      return { text: String(error), failed: true, ends: false };
    }
  }

  return {
    open(resume) {
      if (!isAlive()) return;
      opened = true;
      conversation = resume === undefined ? undefined : conversations.get(resume);
      if (resume === undefined || conversation) return next();
      const words = `No conversation found with session ID: ${resume}`;
      if (random.chance(0.5))
        say({ type: "result", subtype: "error_during_execution", is_error: true, session_id: resume, errors: [words] });
      exit(1, words);
    },
    hear(message) {
      if (!isAlive()) return;
      const part = (name: string) => (message[name] ?? {}) as Message;
      if (message.type === "user") {
        waiting.push({ uuid: String(message.uuid), text: String(part("message").content) });
        next();
      } else if (message.type === "control_response") {
        const { request_id, response } = part("response");
        permits.get(String(request_id))?.((response as Message).behavior === "allow");
        permits.delete(String(request_id));
      } else if (part("request").subtype === "interrupt" && trouble !== "deaf") {
        say({ type: "control_response", response: { subtype: "success", request_id: message.request_id } });
        interrupted = busy;
        interrupt();
      }
    },
    close() {
      closed = true;
      next();
    },
  };
}

/** What the gateway is asked to reserve for one call. */
export const worstCall = { usd: dearest, tokens: 100 };
