/**
 * Carries messages to other agents of the home (core/message/outbox.ts): one at a time to each, in order, through the engine, wherever its owner is.
 *
 * It looks only at the state, so it does not matter how often, or when, it is called: after each start everything that nobody took is sent again. A
 * message is durable here before it leaves, and is recorded as delivered once it is durable there. A crash in between sends it again with the same
 * idempotency key, and the other side knows it (core/message/agent-mail.ts). A recipient that refuses for good ends it, and its sender is told; one that
 * cannot be reached now is tried again, with backoff. So an agent with something to send stays open (assembly.ts, atRest).
 */
import { nextOutgoing } from "../../core/message/outbox.ts";
import type { Engine } from "../../engine/engine.ts";
import type { World } from "../../lib/world.ts";
import type { CommandInput } from "../../schema/command.ts";
import type { Outgoing } from "../../schema/outbox.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Live } from "../live.ts";

export interface Outbox {
  /** Sends everything that is due and not under way. */
  start(): void;
  /** Nothing is being sent. */
  idle(): Promise<void>;
}

export interface OutboxOptions {
  live: Live;
  world: World;
  engine: Pick<Engine, "send">;
  store: Pick<Store, "getBlob" | "putBlob">;
  /** Whether there is an agent of this name. */
  exists(agent: string): Promise<boolean>;
  /** Work that an orderly end waits for. */
  track(job: Promise<void>): void;
}

export function createOutbox({ live, world, engine, store, exists, track }: OutboxOptions): Outbox {
  /** What is being sent, by recipient. */
  const busy = new Map<string, Promise<void>>();
  /** Recipients that could not be reached: attempts in a row, and what ends the timer. */
  const waits = new Map<string, { attempts: number; cancel?: () => void }>();
  live.signal.addEventListener("abort", () => {
    for (const { cancel } of waits.values()) cancel?.();
  });

  function start(): void {
    if (live.state().outbox.size === 0 || live.signal.aborted) return;
    for (const outgoing of nextOutgoing(live.state())) {
      const { to } = outgoing;
      if (busy.has(to) || waits.get(to)?.cancel) continue;
      const job = send(outgoing).then(() => {
        busy.delete(to);
        start();
      });
      busy.set(to, job);
      track(job);
    }
  }

  /** Never rejects: what is pending stays so when the log is closed. */
  async function send(outgoing: Outgoing): Promise<void> {
    try {
      await live.durable();
      const ended = await attempt(outgoing);
      await world.point?.("outbox.sent");
      if (live.signal.aborted || !ended) return;
      waits.delete(outgoing.to);
      await live.dispatch(ended);
      await world.point?.("outbox.recorded");
    } catch {
      // The log is closed: the next opening sends it again.
    }
  }

  /** What became of it; undefined if that is not known yet. */
  async function attempt(outgoing: Outgoing): Promise<CommandInput | undefined> {
    try {
      await deliver(outgoing);
      return { type: "outbox.confirm", outgoing: outgoing.id };
    } catch (error) {
      const attempts = (waits.get(outgoing.to)?.attempts ?? 0) + 1;
      const isFault = !(error instanceof Problem);
      if (isFault ? attempts < mostFaults : passing.has(error.code)) {
        tryLater(outgoing.to, attempts);
        return undefined;
      }
      const code = isFault ? "fault" : error.code;
      const message = isFault ? `${outgoing.to} cannot take it: ${String(error)}` : error.message;
      const next_mover = code === "wrong_state" || isFault ? "human" : outgoing.by;
      return { type: "outbox.refuse", outgoing: outgoing.id, reason: { code, message: brief(message), next_mover } };
    }
  }

  async function deliver({ seq, to, text, priority, mail, resource, handled, vote }: Outgoing): Promise<void> {
    const { agent } = live.state();
    await prepare(to, resource?.id);
    const born = agent!.created_at;
    await world.point?.("outbox.sending");
    await engine.send(
      to,
      {
        type: "message.receive",
        from: live.agent,
        born,
        seq,
        text,
        priority,
        ...mail,
        ...(resource ? { resource } : {}),
        ...(handled === undefined ? {} : { handled }),
        ...(vote ? { vote } : {}),
      },
      { actor: `agent:${live.agent}`, key: `agent:${live.agent}/${born}/${seq}` },
    );
  }

  /** The recipient is there, and so is the whole text, before the message that names it. */
  async function prepare(to: string, sha256: string | undefined): Promise<void> {
    try {
      if (!(await exists(to))) throw new Problem("not_found", `there is no agent ${to}`);
      if (sha256 === undefined) return;
      const content = await store.getBlob(live.agent, sha256);
      if (!content) throw new Problem("not_found", `its whole text (resource ${sha256}) is missing`);
      await store.putBlob(to, content);
    } catch (error) {
      throw error instanceof Problem ? error : new Problem("storage_failed", String(error), {}, { cause: error });
    }
  }

  function tryLater(to: string, attempts: number): void {
    if (live.signal.aborted) return;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1)) * (0.5 + world.random.next() / 2);
    const cancel = world.clock.after(pause, () => {
      waits.set(to, { attempts });
      start();
    });
    waits.set(to, { attempts, cancel });
  }

  return {
    start,
    async idle() {
      while (busy.size) await Promise.allSettled(busy.values());
    },
  };
}

const firstPauseMs = 200;
const longestPauseMs = 60_000;
/** Errors of our own, in a row, after which a message is given up: it may be what brings the recipient down. */
const mostFaults = 5;

/** Refusals that say nothing about the message: the same one may be taken later. */
const passing: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "closed",
  "fenced",
  "owned_elsewhere",
  "home_locked",
  "storage_failed",
  "unreachable",
  "rate_limited",
  "stale",
]);

const brief = (text: string): string => text.slice(0, 1_000).toWellFormed();
