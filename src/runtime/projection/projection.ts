/**
 * The readable side of the log: files that people look at and that are made from the state alone. Deleting them loses nothing.
 *
 * A projection carries a checksum of itself in its last line (or its `sum` field). One that does not match was edited by hand: it is moved
 * aside before it is written anew, never overwritten blindly. Writing happens after the events are durable, one file at a time, newest state
 * only. Not here: what is in them (formats.ts), files that grow (append.ts), files that people own (runtime/workspace/edits.ts), published output (runtime/workspace/publish.ts).
 */

import { join } from "node:path";
import { resourceFile } from "../../core/file/resource.ts";
import { wholeText } from "../../core/message/attachments.ts";
import type { Mail } from "../../core/message/inbox.ts";
import { messageFile } from "../../core/message/message.ts";
import type { State } from "../../core/state.ts";
import { isWorker } from "../../core/team/worker.ts";
import { agentRoot } from "../../home/layout.ts";
import type { World } from "../../lib/world.ts";
import type { Reason } from "../../schema/agent.ts";
import type { Event } from "../../schema/event.ts";
import type { Resource } from "../../schema/resource.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Log } from "../../store/store.ts";
import { sha256 } from "../workspace/publish.ts";
import { createAppender, linesBefore, type Tail } from "./append.ts";
import { isSigned, signedJson, withChecksum } from "./checksum.ts";
import { failureNotes } from "./failure-report.ts";
import { historyText, identityText, messageText, refsText, statusText } from "./formats.ts";
import { conversationPath } from "./transcript.ts";

export interface Projector {
  /** These events are durable; brings the files they touch up to date, in the background. */
  touch(events: readonly Event[]): void;
  /** Looks at every projection and mends what is missing, stale or edited. */
  verify(): Promise<void>;
  /** Everything asked for so far is written, but for what grows line by line. */
  idle(): Promise<void>;
  /** That as well. */
  rest(): Promise<void>;
  /** Another life of the agent writes from here on. */
  abandon(): void;
}

export interface ProjectorOptions {
  home: string;
  agent: string;
  world: World;
  log: Log;
  /** What was read of the log when the agent was opened. */
  tail: Tail;
  state(): State;
  /** What an event brought that was folded in this process. */
  mail(event: Event): Mail | undefined;
  blob(sha256: string): Promise<Buffer | null>;
  /** A projection was edited by hand and kept as this file. */
  edited(path: string, keptAs: string): void;
  /** Writing failed; the projection is stale until it is touched again. */
  failed(path: string, error: unknown): void;
}

/** A text, or how it is made when its turn comes; null if there is nothing to write. */
type Content = string | (() => Promise<string | Uint8Array | null>);

export function createProjector(options: ProjectorOptions): Projector {
  const { home, agent, world, log, tail, state, mail, blob, edited, failed } = options;
  const root = agentRoot(home, agent);
  const waiting = new Map<string, Content>();
  const folders = new Set<string>();
  /** The status of each node as it was last written. */
  const shown = new Map<string, string>();
  let work: Promise<void> | undefined;
  const appender = createAppender({ root, world, log, tail, state, mail, failed });

  function want(path: string, content: Content): void {
    waiting.set(path, content);
    work ??= drain();
  }

  async function drain(): Promise<void> {
    await Promise.resolve();
    for (const [path, content] of waiting) {
      waiting.delete(path);
      try {
        const text = typeof content === "string" ? content : await content();
        if (text === null) continue;
        await write(path, text).catch(() => {
          folders.clear(); // somebody may have removed one
          return write(path, text);
        });
      } catch (error) {
        failed(path, error);
      }
    }
    work = undefined;
  }

  async function write(path: string, content: string | Uint8Array): Promise<void> {
    const file = join(root, path);
    const old = (await world.files.stat(file)) && (await world.files.read(file));
    if (old?.equals(Buffer.from(content))) return;
    if (old && !isSigned(old.toString())) {
      const keptAs = `${path}.edited-${sha256(old).slice(0, 8)}`;
      await world.files.move(file, join(root, keptAs));
      edited(path, keptAs);
    }
    const folder = join(file, "..");
    if (!folders.has(folder)) {
      await world.files.makeDir(folder);
      folders.add(folder);
    }
    await world.files.write(file, content, { durable: false });
  }

  function all(now: State): void {
    for (const id of now.nodes.keys()) wantNode(now, id);
    for (const one of now.participants.values())
      if (isWorker(one)) {
        wantIdentity(now, one.id);
        wantHistory(now, one.id);
      }
    for (const node of now.nodes.values())
      if (node.status === "failed") wantFailure(now, node.id, node.reason, now.seq, true);
    wantTriggers(now);
    for (const resource of now.run ? now.resources.values() : []) wantResource(now.run!.id, resource);
    if (now.run?.status === "open" && now.run.plan) want(`runs/${now.run.id}/_plan.md`, withChecksum(now.run.plan));
  }

  function wantNode(now: State, id: string): void {
    const node = now.nodes.get(id);
    if (!node || !now.run) return;
    shown.set(id, node.status);
    const folder = `runs/${now.run.id}/nodes/${id}`;
    want(`${folder}/_status.md`, statusText(node));
    want(`${folder}/_refs.json`, refsText(node));
  }

  function wantHistory(now: State, id: string): void {
    const one = now.participants.get(id);
    if (isWorker(one) && now.run) want(`runs/${now.run.id}/workers/${id}/history.json`, historyText(now, one));
  }

  function wantIdentity(now: State, id: string): void {
    const one = now.participants.get(id);
    if (isWorker(one) && now.run) want(`runs/${now.run.id}/workers/${id}/identity.md`, identityText(now, one));
  }

  /** Whole, from its blob; people find it here, participants by its hash. */
  function wantResource(run: string, resource: Pick<Resource, "id" | "title">): void {
    want(`runs/${run}/resources/${resourceFile(resource)}`, () => blob(resource.id));
  }

  /** Of a node on which something was tried. `missing`: only if it is not there. */
  function wantFailure(now: State, id: string, reason: Reason, upto: number, missing = false): void {
    const node = now.nodes.get(id);
    if (!node || !now.run || (node.status === "failed" && node.turns === 0)) return;
    const folder = `runs/${now.run.id}/nodes/${id}`;
    const worker = "worker" in node && node.worker ? node.worker : node.wanted_worker;
    const { first_seq } = now.run;
    want(`${folder}/failure_notes.md`, async () => {
      if (missing && (await world.files.stat(join(root, folder, "failure_notes.md")))) return null;
      const scratch = join(root, folder, "scratch");
      const about = { node: id, name: node.name, worker, reason, scratch };
      return withChecksum(await failureNotes({ log, files: world.files, from: first_seq - 1, upto, ...about }));
    });
  }

  /** What a shortened conversation no longer shows, for people; the log has it all. */
  function wantArchive(now: State, run: string, participant: string, seq: number): void {
    const times = (now.participants.get(participant) as Thinker | undefined)?.shortened?.times ?? 1;
    const path = conversationPath(run, participant);
    want(path.replace(/\.jsonl$/, `-${times}.jsonl`), () => linesBefore(log, path, participant, seq));
  }

  const wantMessage = ({ run, seq, ts: at, data }: Event & { type: "message.posted" }) =>
    want(`runs/${run}/${messageFile(seq, data.message)}`, async () =>
      messageText({ ...data, at, text: wholeText(data) }),
    );

  const wantTriggers = (now: State) => want("triggers.json", signedJson({ triggers: [...now.triggers.values()] }));

  function touch(events: readonly Event[]): void {
    const now = state();
    appender.touch(events);
    for (const event of events) {
      switch (event.type) {
        case "message.posted":
          wantMessage(event);
          break;
        case "node.created":
        case "node.assigned":
        case "node.started":
        case "node.checkpointed":
        case "node.cancelled":
          wantNode(now, event.data.node);
          break;
        case "node.failed":
        case "node.retried": {
          const { node, reason } = event.data;
          wantNode(now, node);
          wantFailure(now, node, reason, event.seq);
          const held = now.nodes.get(node);
          if (held && "worker" in held && held.worker) wantHistory(now, held.worker);
          break;
        }
        case "node.completed":
          wantNode(now, event.data.node);
          wantHistory(now, event.data.worker);
          break;
        case "worker.spawned":
          wantIdentity(now, event.data.worker);
          wantHistory(now, event.data.worker);
          break;
        case "turn.started":
        case "turn.ended": {
          const one = now.participants.get(event.data.participant);
          const node = one && one.kind !== "human" && one.node ? now.nodes.get(one.node) : undefined;
          if (node && node.status !== shown.get(node.id)) wantNode(now, node.id);
          break;
        }
        case "context.shortened":
          wantArchive(now, event.run!, event.data.participant, event.seq);
          break;
        case "resource.created":
          wantResource(event.run!, { id: event.data.resource, title: event.data.title });
          break;
        case "run.planned":
          want(`runs/${event.data.run}/_plan.md`, withChecksum(event.data.plan));
          break;
        case "trigger.created":
        case "trigger.fired":
        case "trigger.missed":
        case "trigger.armed":
        case "agent.moved":
        case "trigger.expired":
        case "trigger.cancelled":
          wantTriggers(now);
      }
    }
  }

  async function verify(): Promise<void> {
    const now = state();
    if (!now.run) return;
    all(now);
    await appender.verify();
    const folder = `runs/${now.run.id}/_messages`;
    const there = (await world.files.list(join(root, folder))).filter(({ name }) => /^\d+-m\d+\.md$/.test(name));
    if (there.length < now.counts.messages - now.counts.messages_before_run) {
      for await (const events of log.read(now.run.first_seq - 1))
        for (const event of events)
          if (event.type === "message.posted" && event.run === now.run?.id) wantMessage(event);
    }
    await idle();
  }

  const idle = async (): Promise<void> => {
    while (work) await work;
  };

  return {
    touch,
    verify,
    idle,
    async rest() {
      await Promise.all([idle(), appender.idle()]);
    },
    abandon: appender.abandon,
  };
}
