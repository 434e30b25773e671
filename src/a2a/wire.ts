/**
 * Tasks and messages as they go over the wire, in both versions of the protocol that are in use: 1.0 and 0.3. They differ in the names of
 * methods and states and in how one of several things is told from the others; what they mean is the same.
 */
import { z } from "zod";
import type { Task, TaskState } from "./task.ts";

export type Version = "1.0" | "0.3";

type Does = "send" | "stream" | "get" | "cancel" | "subscribe" | "list" | "push";

/** What is asked for, by method. */
export const methods: Readonly<Record<string, { version: Version; does: Does }>> = {
  SendMessage: { version: "1.0", does: "send" },
  SendStreamingMessage: { version: "1.0", does: "stream" },
  GetTask: { version: "1.0", does: "get" },
  CancelTask: { version: "1.0", does: "cancel" },
  SubscribeToTask: { version: "1.0", does: "subscribe" },
  ListTasks: { version: "1.0", does: "list" },
  CreateTaskPushNotificationConfig: { version: "1.0", does: "push" },
  GetTaskPushNotificationConfig: { version: "1.0", does: "push" },
  ListTaskPushNotificationConfigs: { version: "1.0", does: "push" },
  DeleteTaskPushNotificationConfig: { version: "1.0", does: "push" },
  "message/send": { version: "0.3", does: "send" },
  "message/stream": { version: "0.3", does: "stream" },
  "tasks/get": { version: "0.3", does: "get" },
  "tasks/cancel": { version: "0.3", does: "cancel" },
  "tasks/resubscribe": { version: "0.3", does: "subscribe" },
  "tasks/pushNotificationConfig/set": { version: "0.3", does: "push" },
  "tasks/pushNotificationConfig/get": { version: "0.3", does: "push" },
  "tasks/pushNotificationConfig/list": { version: "0.3", does: "push" },
  "tasks/pushNotificationConfig/delete": { version: "0.3", does: "push" },
};

export const Call = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown(),
});

/** Text, or the bytes of a file: `raw` in 1.0, `file.bytes` in 0.3, base64 in both. */
const Part = z.object({
  text: z.string().optional(),
  raw: z.string().optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
  file: z
    .object({ bytes: z.string().optional(), name: z.string().optional(), mimeType: z.string().optional() })
    .optional(),
});

/** The file that a part is; undefined if it is none, or one that would have to be fetched. */
export function fileOf({ raw, filename, mediaType, file }: z.output<typeof Part>) {
  const base64 = raw || file?.bytes;
  if (!base64) return undefined;
  const type = mediaType || file?.mimeType;
  return { title: filename || file?.name || "file", base64, ...(type ? { type } : {}) };
}

/** Fields that nobody here knows are left aside: later versions add some. */
export const Send = z.object({
  message: z.object({
    messageId: z.string().min(1).max(1_000),
    contextId: z.string().max(200).optional(),
    taskId: z.string().max(500).optional(),
    parts: z.array(Part).min(1).max(100),
    /** How a new agent is made, besides its goal: what `POST /agents` takes. */
    metadata: z.object({ agiraph: z.record(z.string(), z.unknown()).optional() }).nullish(),
  }),
  configuration: z.object({ returnImmediately: z.boolean().optional(), blocking: z.boolean().optional() }).optional(),
});
export type Send = z.output<typeof Send>;

export const ById = z.object({ id: z.string().min(1).max(500) });

export const List = z.object({
  contextId: z.string().max(200).optional(),
  status: z.string().max(100).optional(),
  statusTimestampAfter: z.iso.datetime({ offset: true }).optional(),
  includeArtifacts: z.boolean().optional(),
  pageSize: z.number().int().min(1).max(100).default(50),
  pageToken: z.string().max(500).optional(),
});
export type List = z.output<typeof List>;

export const states: Record<TaskState, string> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  canceled: "TASK_STATE_CANCELED",
  failed: "TASK_STATE_FAILED",
};

const part = (text: string, version: Version) => (version === "1.0" ? { text } : { kind: "text", text });

function status(task: Task, version: Version) {
  const { id: taskId, context: contextId, state, at: timestamp, says } = task;
  const base = { messageId: `${taskId}:${timestamp}`, taskId, contextId };
  const message =
    says === undefined
      ? {}
      : version === "1.0"
        ? { message: { ...base, role: "ROLE_AGENT", parts: [part(says, version)] } }
        : { message: { ...base, kind: "message", role: "agent", parts: [part(says, version)] } };
  return { state: version === "1.0" ? states[state] : state, timestamp, ...message };
}

function artifact({ answer }: Task, version: Version) {
  return { artifactId: "output", name: "_output.md", parts: [part(answer!.text!, version)] };
}

export function taskOn(task: Task, version: Version): Record<string, unknown> {
  const { id, context: contextId, answer } = task;
  const given = {
    id,
    contextId,
    status: status(task, version),
    ...(answer?.text === undefined ? {} : { artifacts: [artifact(task, version)] }),
  };
  return version === "1.0" ? given : { kind: "task", ...given };
}

/** What a method that may give a task or something else answers with. */
export const sendResult = (task: Task, version: Version): Record<string, unknown> =>
  version === "1.0" ? { task: taskOn(task, version) } : taskOn(task, version);

/** What a stream says when a task has changed: its result first, then where it stands. */
export function updatesOn(task: Task, version: Version, last: boolean): Record<string, unknown>[] {
  const { id: taskId, context: contextId, answer } = task;
  const base = { taskId, contextId };
  const now = { ...base, status: status(task, version) };
  const made = answer?.text === undefined ? [] : [{ ...base, artifact: artifact(task, version), lastChunk: true }];
  return version === "1.0"
    ? [...made.map((artifactUpdate) => ({ artifactUpdate })), { statusUpdate: now }]
    : [
        ...made.map((update) => ({ kind: "artifact-update", ...update })),
        { kind: "status-update", ...now, final: last },
      ];
}
