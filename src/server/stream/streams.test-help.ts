/** Reads streams of a test server as they go over the wire. */
import { createSseParser, type Sent } from "../../client/sse.ts";
import type { Event } from "../../schema/event.ts";
import type { TestServer } from "../server.test-help.ts";

export interface Reading {
  status: number;
  /** Everything so far, without comments. */
  sent: Sent[];
  /** As text. */
  raw(): string;
  /** Events among it. */
  events(): (Event & { agent?: string })[];
  ids(): string[];
  /** Resolves when this is true, checked after every chunk. */
  until(done: (reading: Reading) => boolean): Promise<Reading>;
  ended: Promise<void>;
  close(): void;
}

export async function read(server: TestServer, path: string, headers: Record<string, string> = {}): Promise<Reading> {
  const ending = new AbortController();
  const response = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${server.token}`, accept: "text/event-stream", ...headers },
    signal: ending.signal,
  });
  const parse = createSseParser();
  const decoder = new TextDecoder();
  const looks = new Set<() => void>();
  let raw = "";
  let over = false;
  const reading: Reading = {
    status: response.status,
    sent: [],
    raw: () => raw,
    events: () => reading.sent.filter(isEvent).map(({ data }) => JSON.parse(data!)),
    ids: () => reading.sent.filter(isEvent).map(({ id }) => id),
    until: (done) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (done(reading)) resolve(reading);
          else if (over) reject(new Error(`the stream ended after ${reading.sent.length}: ${raw.slice(-300)}`));
          else return;
          looks.delete(look);
        };
        looks.add(look);
        look();
      }),
    ended: drain(),
    close: () => ending.abort(),
  };
  async function drain(): Promise<void> {
    try {
      for await (const bytes of response.body!) {
        raw += decoder.decode(bytes, { stream: true });
        reading.sent.push(...parse(bytes));
        for (const look of looks) look();
      }
    } catch {
      // cut: what came before counts
    }
    over = true;
    for (const look of looks) look();
  }
  return reading;
}

const others: readonly (string | undefined)[] = ["delta", "resync", "damage"];
const isEvent = ({ data, event }: Sent): boolean => data !== undefined && !others.includes(event);

/** What the log has, read from the disk. */
export async function logOf({ runtime }: TestServer, agent: string): Promise<Event[]> {
  const last = await runtime.read(agent, ({ seq }) => seq);
  const all: Event[] = [];
  for await (const events of runtime.follow(agent, 0)) {
    all.push(...events);
    if (all.length >= last) break;
  }
  return all;
}

/** Each is some events: the coordinator reads it and has nothing to say. */
export async function post({ runtime }: TestServer, agent: string, count = 1, text = "a word"): Promise<void> {
  for (let n = 1; n <= count; n++)
    await runtime.send(agent, { type: "message.post", from: "human", text: `${text} ${n}` }, { actor: "human" });
}

/** Stops all work: the log stays as it is. */
export async function rest({ runtime }: TestServer, ...agents: string[]): Promise<void> {
  for (const agent of agents) {
    const opened = runtime.opened(agent);
    while (opened && !opened.atRest()) {
      await opened.settled();
      await new Promise(setImmediate);
    }
  }
}
