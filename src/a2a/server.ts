/**
 * A2A: another framework hands an agent a task, asks how it stands, answers what it asks, and cancels it. JSON-RPC over HTTP, with a stream for
 * those that want to watch.
 *
 * A message without a context makes a new agent; one with it goes to that agent, as the answer if it has asked exactly one thing. The same
 * message id is taken once. Only the human's token opens this; who may come in is looked at before (server/auth/gate.ts).
 */
import { createHash } from "node:crypto";
import { answerable } from "../core/question.ts";
import type { State } from "../core/state.ts";
import type { Clock } from "../lib/world.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import { eventStream, laterJson } from "./alive.ts";
import { cardOf } from "./card.ts";
import { errorOf, Refusal, type RpcError } from "./error.ts";
import { currentTask, isOver, readTaskId, type Task, type TaskId, taskOf, tasksOf } from "./task.ts";
import { ById, Call, List, methods, Send, sentOn, states, taskOn, updatesOn, type Version } from "./wire.ts";

export interface A2aHouse {
  runtime: Runtime;
  clock: Clock;
  version: string;
  budget: BudgetLimit;
  model(wanted: string | undefined): Promise<string>;
  /** Whether approvals may be given this way; not if missing. */
  approvals?: boolean;
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
export function createA2a(house: A2aHouse): Record<"/.well-known/agent-card.json" | "/a2a", Mount> {
  const { runtime, clock, version, beatMs } = house;

  /** Where the message goes, and the task it belongs to. */
  async function take({ message }: Send): Promise<TaskId> {
    const { messageId, contextId, taskId, parts } = message;
    const text = parts
      .map((part) => part.text ?? "")
      .join("\n")
      .trim();
    if (!text || parts.some((part) => part.text === undefined))
      throw new Refusal(
        "CONTENT_TYPE_NOT_SUPPORTED",
        "only parts of text are taken; put the rest where the agent can fetch it",
      );
    const key = `a2a/${createHash("sha256").update(messageId).digest("hex").slice(0, 32)}`;
    const options = { actor: "human", key };
    if (!taskId && !contextId) {
      const { budget } = house;
      const limit = Object.keys(budget).length ? { budget } : {};
      const agent = await runtime.create({ goal: text, model: await house.model(undefined), ...limit }, options);
      return { agent, run: "r1", nth: 1 };
    }
    const of = taskId ? await known(taskId) : undefined;
    const agent = of?.agent ?? contextId!;
    if (contextId && contextId !== agent) throw new Problem("invalid", `${taskId} is not in the context ${contextId}`);
    if (!runtime.agents().includes(agent)) throw new Refusal("TASK_NOT_FOUND", `there is no context ${agent}`);
    const open = await runtime.read(agent, (state) => {
      const before = state.keys.has(key);
      const named = of && taskOf(state, of);
      if (named && isOver(named) && !before)
        throw new Refusal(
          "UNSUPPORTED_OPERATION",
          `${named.id} is ${named.state}; leave out the task id for a new one`,
        );
      const now = currentTask(state);
      if (now && isOver(now) && now.state !== "completed" && !before)
        throw new Refusal(
          "UNSUPPORTED_OPERATION",
          `${agent} is ${state.agent?.status}; leave out the context for a new one`,
        );
      return before ? null : { question: answerable(state, undefined, "a2a", house.approvals === true)?.id };
    });
    const question = open?.question;
    if (question) await runtime.send(agent, { type: "question.answer", question, answer: text }, options);
    else if (open) await runtime.send(agent, { type: "message.post", text }, options);
    const now = await runtime.read(agent, currentTask);
    return readTaskId(now!.id)!;
  }

  async function known(id: string): Promise<TaskId> {
    const of = readTaskId(id);
    const there =
      of && runtime.agents().includes(of.agent) && (await runtime.read(of.agent, (state) => taskOf(state, of)));
    if (!of || !there) throw new Refusal("TASK_NOT_FOUND", `there is no task ${id}`);
    return of;
  }

  async function look(of: TaskId): Promise<Task> {
    const task = await runtime.read(of.agent, (state: State) => taskOf(state, of));
    if (!task) throw new Refusal("TASK_NOT_FOUND", `there is no task ${of.agent}:${of.run}:${of.nth}`);
    if (!task.answer || task.answer.text !== undefined) return task;
    // An earlier answer of this run: its words are with the run.
    const { files } = await runtime.reading(of.agent);
    const read = async (name: string): Promise<string | undefined> => {
      try {
        const found = await files.look({ of: "workspace", run: of.run }, name);
        return found.kind === "file" ? found.content.toString().trim() : undefined;
      } catch (problem) {
        if (problem instanceof Problem && problem.code === "not_found") return undefined;
        throw problem;
      }
    };
    const text = (await read(`_output-${of.nth}.md`)) ?? (await read("_output.md")) ?? "";
    return { ...task, answer: { ...task.answer, text } };
  }

  /** The task each time it stands differently, until it is over or wants something. */
  async function* watch(of: TaskId, signal: AbortSignal): AsyncGenerator<Task, void, void> {
    const seq = await runtime.read(of.agent, (state) => state.seq);
    let task = await look(of);
    yield task;
    if (rests(task)) return;
    for await (const _events of runtime.follow(of.agent, seq, signal)) {
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
    await runtime.send(of.agent, { type: "agent.stop" }, { actor: "human" });
    return look(of);
  }

  async function answer(call: { method: string; params: unknown }, signal: AbortSignal): Promise<unknown> {
    const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
    if (!method) throw new Unknown(call.method);
    const { does, version } = method;
    if (does === "push")
      throw new Refusal("PUSH_NOTIFICATION_NOT_SUPPORTED", "there are no push notifications; subscribe to the task");
    if (does === "list") return list(valid(List, call.params ?? {}));
    if (does === "subscribe") return { of: await subscribable(valid(ById, call.params).id), version };
    if (does === "get") return taskOn(await look(await known(valid(ById, call.params).id)), version);
    if (does === "cancel") return taskOn(await cancel(await known(valid(ById, call.params).id)), version);
    const given = valid(Send, call.params);
    const of = await take(given);
    if (does === "stream") return { of, version };
    const { returnImmediately, blocking } = given.configuration ?? {};
    const waits = version === "1.0" ? returnImmediately !== true : blocking !== false;
    return sentOn(waits ? await settled(of, signal) : await look(of), version);
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
    const agents = runtime.agents().filter((agent) => contextId === undefined || agent === contextId);
    const all: Task[] = [];
    for (const agent of agents) if (!runtime.fault(agent)) all.push(...(await runtime.read(agent, tasksOf)));
    const since = statusTimestampAfter === undefined ? "" : new Date(statusTimestampAfter).toISOString();
    const wanted = all
      .filter(({ state, at }) => (status === undefined || states[state] === status) && at >= since)
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? -1 : 1));
    const from = pageToken ? wanted.findIndex(({ id }) => id === pageToken) : 0;
    if (from === -1) throw new Problem("invalid", "params.pageToken: it is not one that was given for this list");
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
        const said = first ? [sentOn(task, version)] : updatesOn(task, version, rests(task));
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
    return said ?? { code: -32603, message: "internal: a fault of ours; the daemon's log says more" };
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
        const error = { code: -32600, message: "this is not a request of JSON-RPC 2.0" };
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

const isStreaming = (method: string): boolean =>
  Object.hasOwn(methods, method) && ["stream", "subscribe"].includes(methods[method]!.does);

/** Nothing happens until somebody acts. */
const rests = (task: Task): boolean => isOver(task) || task.state === "input-required";

const differs = (a: Task, b: Task): boolean => a.state !== b.state || a.says !== b.says;

function assertHuman({ kind }: { kind: string }): void {
  if (kind !== "human")
    throw new Problem("forbidden", "this is the secret of a participant; it opens /mcp and nothing else");
}

function assertVersion(wanted: string | null): void {
  if (wanted && wanted !== "1.0" && wanted !== "0.3")
    throw new Refusal("VERSION_NOT_SUPPORTED", `version ${wanted} is not spoken here; 1.0 and 0.3 are`);
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
