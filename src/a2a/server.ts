/**
 * A2A: another framework hands an agent a task, asks how it stands, answers what it asks, and cancels it. JSON-RPC over HTTP, with a stream for
 * those that want to watch.
 *
 * A message without a context makes a new agent; one with it goes to that agent, as the answer if it has asked exactly one thing. The same
 * message id is taken once. Only the human's token opens this; who may come in is looked at before (server/auth/gate.ts).
 */
import { createHash } from "node:crypto";
import { allPages } from "../api/page.ts";
import type { Client } from "../client/index.ts";
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { eventStream, laterJson } from "./alive.ts";
import { cardOf } from "./card.ts";
import { errorOf, Refusal, type RpcError } from "./error.ts";
import { currentTask, isOver, readTaskId, type Task, type TaskId, taskOf, tasksOf, type View } from "./task.ts";
import {
  ById,
  Call,
  fileOf,
  List,
  methods,
  Send,
  sendResult,
  states,
  taskOn,
  updatesOn,
  type Version,
} from "./wire.ts";

export interface A2aOptions {
  /** For the human; says that it speaks for a program (`through: "a2a"`). */
  client: Client;
  clock: Clock;
  version: string;
  /** Whether people come by TLS who come to this host, as it stands in the Host header; they do not if missing. */
  isSecure?(host: string): boolean;
  /** How often whoever waits is told that it goes on. */
  beatMs?: number;
  fault(error: unknown): void;
}

type Mount = (request: Request, who: { kind: string }, body: unknown) => Promise<Response>;

/** How long a message that waits for its answer waits. */
const patienceMs = 600_000;

/** By path. */
export function createA2a(house: A2aOptions): Record<"/.well-known/agent-card.json" | "/a2a", Mount> {
  const { client, clock, version, beatMs } = house;

  /** Where the message goes, and the task it belongs to. */
  async function take({ message }: Send): Promise<TaskId> {
    const { messageId, contextId, taskId, parts, metadata } = message;
    const text = parts
      .map((part) => part.text ?? "")
      .join("\n")
      .trim();
    const files = parts.flatMap((part) => fileOf(part) ?? []);
    if (!text || parts.some((part) => part.text === undefined && !fileOf(part)))
      throw new Refusal(
        "CONTENT_TYPE_NOT_SUPPORTED",
        "only text, and files as bytes beside it, are taken; put the rest where the agent can fetch it",
      );
    const key = `a2a-${createHash("sha256").update(messageId).digest("hex").slice(0, 32)}`;
    const attach = async (agent: string): Promise<string[]> => {
      const ids: string[] = [];
      for (const body of files) ids.push((await client.createResource({ params: { agent }, body })).id);
      return ids;
    };
    if (!taskId && !contextId) {
      const { id: agent } = await client.createAgent({ body: { ...metadata?.agiraph, goal: text }, key });
      const resources = await attach(agent);
      const params = { agent };
      if (resources.length) await client.send({ params, body: { resources }, key: `${key}-files` });
      return { agent, run: "r1", nth: 1 };
    }
    const of = taskId ? await known(taskId) : undefined;
    const agent = of?.agent ?? contextId!;
    if (contextId && contextId !== agent) throw new Problem("invalid", `${taskId} is not in the context ${contextId}`);
    const view = await viewOf(agent);
    if (!view) throw new Refusal("TASK_NOT_FOUND", `there is no context ${agent}`);
    const params = { agent };
    const taken = await found(client.getRequest({ params: { agent, key } }));
    if (!taken) {
      const named = of && taskOf(view, of);
      if (named && isOver(named))
        throw new Refusal(
          "UNSUPPORTED_OPERATION",
          `${named.id} is ${named.state}; omit the task id to start a new task`,
        );
      const now = currentTask(view);
      if (now && isOver(now) && now.state !== "completed")
        throw new Refusal(
          "UNSUPPORTED_OPERATION",
          `${agent} is ${view.standing.agent.status}; omit the context to start a new one`,
        );
      const [question, ...more] = view.standing.questions;
      const resources = await attach(agent);
      if (question && !more.length && !resources.length)
        await client.respond({ params, body: { question_id: question.id, response: text }, key });
      else await client.send({ params, body: { message: text, ...(resources.length ? { resources } : {}) }, key });
    }
    const now = currentTask((await viewOf(agent))!);
    return readTaskId(now!.id)!;
  }

  /** Null if there is no such agent. */
  async function viewOf(agent: string): Promise<View | null> {
    const params = { agent };
    const standing = await found(client.waitForAgent({ params, query: { seconds: 0 } }));
    return standing && { standing, runs: await allPages((query) => client.listRuns({ params, query })) };
  }

  async function known(id: string): Promise<TaskId> {
    const of = readTaskId(id);
    const view = of && (await viewOf(of.agent));
    if (!view || !taskOf(view, of)) throw new Refusal("TASK_NOT_FOUND", `there is no task ${id}`);
    return of;
  }

  async function look(of: TaskId): Promise<Task> {
    const view = await viewOf(of.agent);
    const task = view && taskOf(view, of);
    if (!task) throw new Refusal("TASK_NOT_FOUND", `there is no task ${of.agent}:${of.run}:${of.nth}`);
    if (!task.answer || task.answer.text !== undefined) return task;
    // An earlier answer of this run: its words are with the run.
    const read = async (path: string): Promise<string | undefined> => {
      const response = await found(client.readWorkspace({ params: { agent: of.agent, path }, query: { run: of.run } }));
      return ((await response?.json()) as { text?: string | null } | undefined)?.text?.trim();
    };
    const text = (await read(`_output-${of.nth}.md`)) ?? (await read("_output.md")) ?? "";
    return { ...task, answer: { ...task.answer, text } };
  }

  /** The task each time it stands differently, until it is over or wants something. */
  async function* watch(of: TaskId, signal: AbortSignal): AsyncGenerator<Task, void, void> {
    const { seq: after } = await client.getAgent({ params: { agent: of.agent } });
    let task = await look(of);
    yield task;
    if (rests(task)) return;
    for await (const _event of client.events({ agent: of.agent, after, types: telling, signal })) {
      const next = await look(of);
      if (!differs(task, next)) continue;
      task = next;
      yield task;
      if (rests(task)) return;
    }
  }

  async function settled(of: TaskId, signal: AbortSignal): Promise<Task> {
    const over = new AbortController();
    const stop = () => over.abort();
    const cancel = clock.after(patienceMs, stop);
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const task of watch(of, over.signal)) if (rests(task)) return task;
      return await look(of);
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  }

  async function cancel(of: TaskId): Promise<Task> {
    const task = await look(of);
    if (isOver(task)) throw new Refusal("TASK_NOT_CANCELABLE", `${task.id} is ${task.state}`);
    await client.stopAgent({ params: { agent: of.agent } });
    return look(of);
  }

  async function answer(call: { method: string; params: unknown }, signal: AbortSignal): Promise<unknown> {
    const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
    if (!method) throw new Unknown(call.method);
    const { does, version } = method;
    if (does === "push")
      throw new Refusal(
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
        "push notifications are not supported; subscribe to the task",
      );
    if (does === "list") return list(valid(List, call.params ?? {}));
    if (does === "subscribe") return { of: await subscribable(valid(ById, call.params).id), version };
    if (does === "get") return taskOn(await look(await known(valid(ById, call.params).id)), version);
    if (does === "cancel") return taskOn(await cancel(await known(valid(ById, call.params).id)), version);
    const given = valid(Send, call.params);
    const of = await take(given);
    if (does === "stream") return { of, version };
    const { returnImmediately, blocking } = given.configuration ?? {};
    const waits = version === "1.0" ? returnImmediately !== true : blocking !== false;
    return sendResult(waits ? await settled(of, signal) : await look(of), version);
  }

  /** One that ended has nothing more to tell. */
  async function subscribable(id: string): Promise<TaskId> {
    const of = await known(id);
    const task = await look(of);
    if (isOver(task)) throw new Refusal("UNSUPPORTED_OPERATION", `${id} is ${task.state}; get it instead`);
    return of;
  }

  /** The newest first. Every agent is looked at, unless one is named. */
  async function list({ contextId, status, statusTimestampAfter, includeArtifacts, pageSize, pageToken }: List) {
    const agents = await allPages((query) => client.listAgents({ query: { ...query, archived: "true" } }));
    const all: Task[] = [];
    for (const { id, status: how } of agents) {
      if ((contextId !== undefined && id !== contextId) || how === "quarantined" || how === "untrusted") continue;
      const view = await viewOf(id);
      if (view) all.push(...tasksOf(view));
    }
    const since = statusTimestampAfter === undefined ? "" : new Date(statusTimestampAfter).toISOString();
    const wanted = all
      .filter(({ state, at }) => (status === undefined || states[state] === status) && at >= since)
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? -1 : 1));
    const from = pageToken ? wanted.findIndex(({ id }) => id === pageToken) : 0;
    if (from === -1) throw new Problem("invalid", "params.pageToken: invalid cursor for this list");
    const page = wanted.slice(from, from + pageSize);
    const whole = await Promise.all(page.map((task) => (includeArtifacts ? look(readTaskId(task.id)!) : task)));
    const tasks = whole.map(({ answer, ...task }) =>
      taskOn({ ...task, ...(includeArtifacts && answer ? { answer } : {}) }, "1.0"),
    );
    return { tasks, nextPageToken: wanted[from + pageSize]?.id ?? "", pageSize, totalSize: wanted.length };
  }

  function stream(of: TaskId, version: Version, id: unknown): Response {
    const gone = new AbortController();
    return eventStream(told(of, version, id, gone.signal), clock, gone, beatMs);
  }

  async function* told(of: TaskId, version: Version, id: unknown, signal: AbortSignal): AsyncGenerator<unknown> {
    let first = true;
    try {
      for await (const task of watch(of, signal)) {
        const said = first ? [sendResult(task, version)] : updatesOn(task, version, rests(task));
        first = false;
        for (const result of said) yield { jsonrpc: "2.0", id, result };
      }
    } catch (error) {
      house.fault(error);
    }
  }

  function wordsOf(error: unknown): RpcError {
    if (error instanceof Unknown) return { code: -32601, message: `there is no method ${error.message}` };
    const said = errorOf(error);
    if (!said) house.fault(error);
    return said ?? { code: -32603, message: "internal: internal error; see the daemon's log" };
  }

  return {
    async "/.well-known/agent-card.json"(request, who) {
      assertHuman(who);
      if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
      const host = (request.headers.get("host") ?? "").toLowerCase();
      const card = JSON.stringify(cardOf(`${house.isSecure?.(host) ? "https" : "http"}://${host}/a2a`, version));
      const etag = `"${createHash("sha256").update(card).digest("hex").slice(0, 16)}"`;
      const headers = { "cache-control": "private, max-age=60", etag };
      if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
      return new Response(card, { headers: { "content-type": "application/json", ...headers } });
    },
    async "/a2a"(request, who, body) {
      assertHuman(who);
      if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
      const call = Call.safeParse(body);
      if (!call.success) {
        const error = { code: -32600, message: "this is not a JSON-RPC 2.0 request" };
        return json({ jsonrpc: "2.0", id: null, error });
      }
      const { id = null, method, params } = call.data;
      const refused = (error: unknown) => ({ jsonrpc: "2.0", id, error: wordsOf(error) });
      try {
        assertVersion(request.headers.get("a2a-version"));
        if (!isStreaming(method)) {
          const given = answer({ method, params }, request.signal).then((result) => ({ jsonrpc: "2.0", id, result }));
          return await laterJson(given.catch(refused), clock, beatMs);
        }
        const { of, version } = (await answer({ method, params }, request.signal)) as { of: TaskId; version: Version };
        return stream(of, version, id);
      } catch (error) {
        return json(refused(error));
      }
    },
  };
}

class Unknown extends Error {}

/** Null if there is no such thing, or could never be. */
async function found<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (problem) {
    if (problem instanceof Problem && ["not_found", "invalid", "path_escapes"].includes(problem.code)) return null;
    throw problem;
  }
}

/** Events after which a task may stand differently. */
const telling = ["agent.*", "run.*", "turn.started", "turn.ended", "turn.failed", "question.*", "message.posted"];

const isStreaming = (method: string): boolean =>
  Object.hasOwn(methods, method) && ["stream", "subscribe"].includes(methods[method]!.does);

/** Nothing happens until somebody acts. */
const rests = (task: Task): boolean => isOver(task) || task.state === "input-required";

const differs = (a: Task, b: Task): boolean => a.state !== b.state || a.says !== b.says;

function assertHuman({ kind }: { kind: string }): void {
  if (kind !== "human") throw new Problem("forbidden", "this is a participant's secret; it is valid only for /mcp");
}

function assertVersion(wanted: string | null): void {
  if (wanted && wanted !== "1.0" && wanted !== "0.3")
    throw new Refusal("VERSION_NOT_SUPPORTED", `version ${wanted} is not supported; use 1.0 or 0.3`);
}

function valid<T>(
  schema: {
    safeParse(
      given: unknown,
    ): { success: true; data: T } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
  },
  given: unknown,
): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Problem("invalid", `${["params", ...issue!.path].join(".")}: ${issue!.message}`);
}

const json = (body: unknown): Response =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json", "cache-control": "no-store" } });
