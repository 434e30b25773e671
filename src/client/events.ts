/**
 * The events of one agent, or of all, as they happen: each once, in order, without end, across lost connections and restarts of the daemon.
 *
 * It remembers the last id and reconnects with it (Last-Event-ID), with growing backoff. Events that were seen are not repeated. Ends when the
 * signal aborts; throws a Problem where a retry would not help (a wrong token, an unknown agent, a stale cursor).
 */
import { type Damage, eventRoutes, type Resync, type WireDelta } from "../api/events.ts";
import type { Event } from "../schema/event.ts";
import { Problem, type ProblemCode } from "../schema/problem.ts";
import { addressOf, type Connection, problemOf } from "./call.ts";
import { backoff, pause } from "./platform.ts";
import { createSseParser, type Sent } from "./sse.ts";

export interface EventsOptions {
  /** All if missing. */
  agent?: string;
  /** A seq, or a cursor in the stream of all; `now` for new events only. From the beginning if missing. */
  after?: string | number;
  /** `["node.*", "message.posted"]`; all if missing. */
  types?: readonly string[];
  /** Receives the text of answers as it is generated. What was missed while disconnected is gone. */
  deltas?(delta: WireDelta): void;
  /** The log of an agent cannot be read: of all agents its events are missing. For one agent the Problem is thrown. */
  damaged?(damage: Damage): void;
  signal?: AbortSignal;
  /** Connected (again), or disconnected. */
  connected?(there: boolean): void;
  /** A connection that is silent for so long is closed; the daemon sends a heartbeat every 15 seconds. */
  silenceMs?: number;
}

export interface Happened {
  agent: string;
  event: Event;
  /** The cursor to resume after it. */
  after: string;
}

/** A retry does not help. */
const lasting: readonly ProblemCode[] = [
  "invalid",
  "stale",
  "not_found",
  "unauthorized",
  "forbidden",
  "log_corrupt",
  "newer_version",
];

export async function* follow(connection: Connection, options: EventsOptions): AsyncGenerator<Happened, void, void> {
  const { signal, connected, agent } = options;
  const { platform } = connection;
  let after = options.after === undefined ? undefined : String(options.after);
  const seen = new Map<string, number>();
  let attempt = 0;
  function hear(damage: Damage): void {
    if (agent !== undefined) throw new Problem(damage.code as ProblemCode, damage.message);
    options.damaged?.(damage);
  }
  while (!signal?.aborted) {
    try {
      for await (const sent of connect(connection, after, options)) {
        if (sent.event === "delta") options.deltas?.(JSON.parse(sent.data ?? "{}"));
        else if (sent.event === "resync") after = (JSON.parse(sent.data!) as Resync).after;
        else if (sent.event === "damage") hear(JSON.parse(sent.data!) as Damage);
        else {
          if (sent.id) after = sent.id;
          if (sent.data === undefined) continue;
          attempt = 0;
          const { agent: whose = agent!, ...event } = JSON.parse(sent.data) as Event & { agent?: string };
          if (event.seq <= (seen.get(whose) ?? 0)) continue;
          seen.set(whose, event.seq);
          yield { agent: whose, event: event as Event, after: after! };
        }
      }
    } catch (error) {
      if (error instanceof Problem && lasting.includes(error.code)) throw error;
    }
    connected?.(false);
    if (!signal?.aborted) await pause(platform, backoff(platform, attempt++), signal);
  }
}

/** One connection, until it ends or is silent for too long. */
async function* connect(
  connection: Connection,
  after: string | undefined,
  options: EventsOptions,
): AsyncGenerator<Sent> {
  const { agent, types, deltas, signal, connected, silenceMs = 45_000 } = options;
  const { platform, transport } = connection;
  const asked = [...(types ?? ["*"]), ...(deltas ? ["delta"] : [])].join(",");
  const query = { after, types: asked };
  const path =
    agent === undefined
      ? addressOf(eventRoutes.listAllEvents, { query })
      : addressOf(eventRoutes.listEvents, { params: { agent }, query });
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener("abort", end);
  let cancel = platform.after(silenceMs, end);
  try {
    const headers = { ...connection.headers, accept: "text/event-stream" };
    const response = await transport.send(path, { headers, signal: ending.signal });
    if (!response.ok || !response.body) throw await problemOf(response);
    connected?.(true);
    const parse = createSseParser();
    // Not every browser can iterate a stream with for await.
    const reader = response.body.getReader();
    // An in-process stream does not know the signal.
    ending.signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      cancel();
      cancel = platform.after(silenceMs, end);
      yield* parse(read.value);
    }
  } finally {
    cancel();
    end();
    signal?.removeEventListener("abort", end);
  }
}
