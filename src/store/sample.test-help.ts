/** Events and helpers for the tests of the stores. */
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Log } from "./store.ts";

export function created(agent = "ann", version = 1): Event {
  return {
    seq: 1,
    id: "e1",
    ts: "2026-01-02T03:04:05.006Z",
    type: "agent.created",
    actor: "human",
    data: { agent, goal: "Count to ten", mode: "finite", model: "scripted", version },
  };
}

export function posted(seq: number, text = `Hello number ${seq}`): Event {
  return {
    seq,
    id: `e${seq}`,
    ts: "2026-01-02T03:04:05.006Z",
    type: "message.posted",
    run: "r1",
    actor: "alice",
    cause: `c${seq}`,
    data: { message: `m${seq}`, from: "alice", to: ["coordinator"], text, priority: "normal" },
  };
}

/** A log's first events: the creation, then messages, from `from` to `to`. */
export function events(from: number, to: number): Event[] {
  return Array.from({ length: to - from + 1 }, (_, i) => (from + i === 1 ? created() : posted(from + i)));
}

export async function readAll(log: Pick<Log, "read">, after = 0): Promise<Event[]> {
  const all: Event[] = [];
  for await (const batch of log.read(after)) all.push(...batch);
  return all;
}

/** The Problem that this rejects with; anything else fails the test. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("it was expected to be refused");
}

/** Texts that have broken stores before. */
export const trickyTexts = {
  "a lone high surrogate": "a\ud83db",
  "a lone low surrogate": "\udc00",
  "a NUL": "before\0after",
  "every control character": String.fromCharCode(...Array.from({ length: 160 }, (_, i) => i)),
  "line and paragraph separators": "one\u2028two\u2029three\r\nfour",
  "right to left": "שלום \u202eabc\u202c مرحبا",
  emoji: "👩‍👩‍👧‍👦🏳️‍🌈 é",
  "what looks like a checksum": '","sum":"00000000"}\n{"seq":1',
  "a million characters": "ä€".repeat(500_000),
};
