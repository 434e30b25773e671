import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reduce } from "../../core/reduce.ts";
import { emptyState } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { openIndex } from "../../search/search.ts";
import { sumOf } from "../../store/log-line.ts";
import { createChannel } from "./conversation-pages.ts";

type Kind = "message" | "other" | "run" | "question" | "answer" | "result";

/** A log in which some events are conversation; the state keeps no messages of an earlier run. */
function logOf(kinds: readonly Kind[]): Event[] {
  let [messages, runs] = [0, 0];
  return ["run", ...kinds].map((kind, at): Event => {
    const seq = at + 1;
    const shared = { seq, id: `e${seq}`, ts: new Date(1e12 + seq).toISOString(), run: `r${runs}`, actor: "human" };
    if (kind === "run") {
      runs++;
      return { ...shared, run: `r${runs}`, type: "run.started", data: { run: `r${runs}`, goal: "g" } };
    }
    if (kind === "other") return { ...shared, type: "log.closed", data: {} };
    if (kind === "question")
      return { ...shared, type: "question.asked", data: { question: `q${seq}`, by: "coordinator", text: "?" } };
    if (kind === "answer") return { ...shared, type: "question.answered", data: { question: "q1", answer: "!" } };
    if (kind === "result") return { ...shared, type: "run.completed", data: { run: `r${runs}`, summary: "done" } };
    const data = {
      message: `m${++messages}`,
      from: "human",
      to: ["coordinator"],
      text: `${seq}`,
      priority: "normal" as const,
    };
    return { ...shared, type: "message.posted", data };
  });
}

const kinds = fc.array(
  fc.constantFrom<Kind>("message", "message", "other", "other", "run", "question", "answer", "result"),
  { maxLength: 60 },
);

describe("pages of the conversation", () => {
  test("together are all of it once, the newest first, with an index and without", async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (given, limit, indexed) => {
        const log = logOf(given);
        const state = emptyState();
        for (const event of log) reduce(state, event);
        const index = indexed ? await openIndex({ path: ":memory:" }) : undefined;
        const channel = createChannel({
          agent: "a",
          state: () => state,
          durable: async () => undefined,
          async *past(after) {
            const rest = log.filter(({ seq }) => seq > after);
            for (let at = 0; at < rest.length; at += 4) yield rest.slice(at, at + 4);
          },
          index,
          indexing: { ready: async () => void (log.length && index?.apply("a", log, sumOf(log.at(-1)!))) },
        });
        const seen: number[] = [];
        for (let before: number | undefined, more = true; more; before = seen.at(-1)) {
          const page = await channel.said(before, limit);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items.map(({ seq }) => seq));
          more = page.more;
        }
        const all = log.filter(({ type }) => type !== "log.closed").map(({ seq }) => seq);
        expect(seen).toEqual(all.reverse());
        index?.close();
      }),
      { numRuns: 60 },
    );
  });

  test("with an index only the part of the log is read that the page is in", async () => {
    const log = logOf([...Array(50).fill("message"), ...Array(10).fill("other"), "run", ...Array(3).fill("message")]);
    const state = emptyState();
    for (const event of log) reduce(state, event);
    const index = await openIndex({ path: ":memory:" });
    const from: number[] = [];
    const channel = createChannel({
      agent: "a",
      state: () => state,
      durable: async () => undefined,
      async *past(after) {
        from.push(after);
        yield log.filter(({ seq }) => seq > after);
      },
      index,
      indexing: { ready: async () => index.apply("a", log, sumOf(log.at(-1)!)) },
    });
    const { items, more } = await channel.said(62, 2);
    expect(items).toMatchObject([
      { kind: "message", id: "m50", run: "r1" },
      { kind: "message", id: "m49", run: "r1" },
    ]);
    expect(more).toBe(true);
    expect(from).toEqual([49]);
    index.close();
  });

  test("are whole although the index is behind or broken", async () => {
    const log = logOf(["message", "message", "run", "message"]);
    const state = emptyState();
    for (const event of log) reduce(state, event);
    const behind = await openIndex({ path: ":memory:" });
    behind.apply("a", log.slice(0, 2), sumOf(log[1]!));
    const broken = await openIndex({ path: ":memory:" });
    broken.close();
    for (const index of [behind, broken]) {
      const channel = createChannel({
        agent: "a",
        state: () => state,
        durable: async () => undefined,
        async *past(after) {
          yield log.filter(({ seq }) => seq > after);
        },
        index,
        indexing: { ready: async () => undefined },
      });
      const { items, more } = await channel.said(undefined, 10);
      expect([items.map(({ kind, text }) => (kind === "message" ? text : kind)), more]).toEqual([
        ["5", "goal", "3", "2", "goal"],
        false,
      ]);
      const one = await channel.said(undefined, 1);
      expect([one.items.map(({ text }) => text), one.more]).toEqual([["5"], true]);
    }
    behind.close();
  });
});
