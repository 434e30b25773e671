/**
 * The events of one agent, or of all, as they happen: each once, in order, without end, over lost connections and restarts of the daemon.
 *
 * It remembers the last id and comes back with it, sooner at first and then with growing pauses. What was seen is not given again. Ends when
 * the signal aborts; throws a Problem where asking again would not help (a wrong token, an agent that is not there, a stale place).
 */
import { eventRoutes, Resync, type WireDelta } from "../api/events.ts";
import type { Event } from "../schema/event.ts";
import { Problem, type ProblemCode } from "../schema/problem.ts";
import { addressOf, type Connection, problemOf } from "./call.ts";
import { backoff, pause } from "./platform.ts";
import { createSseParser, type Sent } from "./sse.ts";

export interface EventsOptions {
  /** All if missing. */
  agent?: string;
  /** A seq, or a place in the events of all; `now` for what is still to come. From the beginning if missing. */
  after?: string | number;
  /** `["node.*", "message.posted"]`; all if missing. */
  types?: readonly string[];
  /** Hears the words of answers as they come. What was missed while the connection was lost is gone. */
  deltas?(delta: WireDelta): void;
  signal?: AbortSignal;
  /** The connection is there (again), or gone. */
  connected?(there: boolean): void;
  /** A connection that is silent for so long is given up; the daemon sends something every 15 seconds. */
  silenceMs?: number;
}

export interface Happened {
  agent: string;
  event: Event;
  /** To go on after it. */
  after: string;
}

/** Asking again does not help. */
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
  while (!signal?.aborted) {
    try {
      for await (const sent of connect(connection, after, options)) {
        if (sent.event === "delta") options.deltas?.(JSON.parse(sent.data ?? "{}"));
        else if (sent.event === "resync") after = Resync.parse(JSON.parse(sent.data ?? "{}")).after;
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
    // Not every browser can walk over a stream with for await.
    const reader = response.body.getReader();
    // A stream of this process does not know of the signal.
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
