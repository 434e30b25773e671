/**
 * A2A: another framework hands an agent a task, asks how it stands, answers what it asks, and cancels it. JSON-RPC over HTTP, with a stream for
 * those that want to watch.
 *
 * A message without a context makes a new agent; one with it goes to that agent, as the answer if it has asked exactly one thing. The same
 * message id is taken once. Only the human's token opens this; who may come in is looked at before (server/gate.ts).
 */
import { createHash } from "node:crypto";
import { answerable } from "../core/question.ts";
import type { State } from "../core/state.ts";
import type { Clock } from "../lib/world.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import { cardOf } from "./card.ts";
import { errorOf, Refusal } from "./error.ts";
import { currentTask, isOver, readTaskId, type Task, type TaskId, taskOf } from "./task.ts";
import { ById, Call, methods, Send, sentOn, taskOn, updatesOn, type Version } from "./wire.ts";

export interface A2aHouse {
  runtime: Runtime;
  clock: Clock;
  version: string;
  budget: BudgetLimit;
  model(wanted: string | undefined): Promise<string>;
  /** Whether approvals may be given this way; not if missing. */
  approvals?: boolean;
  fault(error: unknown): void;
}

type Mount = (request: Request, who: { kind: string }, body: unknown) => Promise<Response>;

/** How long a message that waits for its answer waits. */
const patienceMs = 600_000;

/** By path. */
export function createA2a(house: A2aHouse): Record<"/.well-known/agent-card.json" | "/a2a", Mount> {
  const { runtime, clock, version } = house;

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
    if (does === "get") return taskOn(await look(await known(valid(ById, call.params).id)), version);
    if (does === "cancel") return taskOn(await cancel(await known(valid(ById, call.params).id)), version);
    const given = valid(Send, call.params);
    const of = await take(given);
    if (does === "stream") return { of, version };
    const { returnImmediately, blocking } = given.configuration ?? {};
    const waits = version === "1.0" ? returnImmediately !== true : blocking !== false;
    return sentOn(waits ? await settled(of, signal) : await look(of), version);
  }

  function stream(of: TaskId, version: Version, id: unknown): Response {
    const gone = new AbortController();
    const encoder = new TextEncoder();
    const tasks = watch(of, gone.signal);
    let first = true;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value: task, done } = await tasks.next().catch((error) => {
          house.fault(error);
          return { value: undefined, done: true };
        });
        if (done || !task) return controller.close();
        const said = first ? [sentOn(task, version)] : updatesOn(task, version, rests(task));
        first = false;
        for (const result of said)
          controller.enqueue(encoder.encode(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`));
      },
      cancel: () => gone.abort(),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  }

  return {
    async "/.well-known/agent-card.json"(request, who) {
      assertHuman(who);
      if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
      return json(cardOf(`http://${request.headers.get("host")}/a2a`, version));
    },
    async "/a2a"(request, who, body) {
      assertHuman(who);
      if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
      const call = Call.safeParse(body);
      if (!call.success) return failed(null, { code: -32600, message: "this is no request of JSON-RPC 2.0" });
      const { id = null, method, params } = call.data;
      try {
        assertVersion(request.headers.get("a2a-version"));
        const given = await answer({ method, params }, request.signal);
        if (isStream(given)) return stream(given.of, given.version, id);
        return json({ jsonrpc: "2.0", id, result: given });
      } catch (error) {
        if (error instanceof Unknown)
          return failed(id, { code: -32601, message: `there is no method ${error.message}` });
        const said = errorOf(error);
        if (!said) house.fault(error);
        return failed(id, said ?? { code: -32603, message: "internal: a fault of ours; the daemon's log says more" });
      }
    },
  };
}

class Unknown extends Error {}

const isStream = (given: unknown): given is { of: TaskId; version: Version } =>
  typeof given === "object" && given !== null && "of" in given;

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
  throw new Problem("invalid", `params.${issue!.path.join(".")}: ${issue!.message}`);
}

const json = (body: unknown): Response =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json", "cache-control": "no-store" } });

const failed = (id: unknown, error: { code: number; message: string; data?: unknown }): Response =>
  json({ jsonrpc: "2.0", id, error });
