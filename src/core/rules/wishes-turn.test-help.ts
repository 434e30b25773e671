/** Wishes of turns, calls and programs. */
import type { Makers } from "./wishes.test-help.ts";

export const turnWishes = {
  "turn.start": (d) => ({ participant: d.who(), reserve: d.amount(), known: d.some(0.5, d.amount()) }),
  "turn.queue": (d) => ({ participant: d.who(), reserve: d.amount() }),
  "turn.hear": (d) => ({ ...d.of(), known: d.amount() }),
  "turn.answer": (d) => ({
    ...d.of(),
    text: d.text(),
    calls: Array.from({ length: d.int(3) }, (_, n) => ({
      id: d.chance() < 0.95 ? `c${n}` : "c",
      tool: "look",
      input: d.pick<unknown>({}, null, d.text()),
    })),
    cost: d.amount(),
  }),
  "program.open": (d) => ({ ...d.of(), driver: d.pick("claude-code/m", "codex"), session: d.pick("s1", "s2") }),
  "program.report": (d) => ({ ...d.of(), kind: d.pick("text", "notice"), text: d.text() }),
  "program.tell": (d, { seq }) => ({ ...d.of(), upto: 1 + d.int(seq + 3) }),
  "program.reserve": (d) => ({ ...d.of(), model: "m", reserve: d.amount() }),
  "program.settle": (d) => {
    const of = d.of();
    const counted = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, usd: d.amount().usd };
    return { ...of, call: d.some(0.7, d.use(of)), cost: d.amount(), counted: d.some(0.5, counted) };
  },
  "program.act": (d) => ({ ...d.of(), tool: "Bash", input: d.pick<unknown>({}, null, d.text()) }),
  "program.ask": (d) => ({ ...d.of(), call: d.pick("may-1", "may-2"), tool: "bash", text: d.text() }),
  "context.fill": (d) => ({
    participant: d.who(),
    why: d.pick("window", "overflow"),
    tokens: d.int(1000),
    window: 1000,
  }),
  "tool.ask": (d) => ({ ...d.of(), call: d.pick("c0", "c1"), text: d.text() }),
  "turn.resume": (d) => d.of(),
  "turn.retry": (d) => ({
    ...d.of(),
    error: d.text(),
    endpoint: d.some(0.5, { host: "api.example.com", why: d.text() }),
    not_before: "2026-01-01T23:30:00.000Z",
    lost: d.some(0.5, d.amount()),
  }),
  "turn.end": (d) => d.of(),
  "turn.fail": (d) => ({ ...d.of(), reason: d.reason(), lost: d.some(0.3, d.amount()) }),
  "tool.start": (d) => {
    const of = d.of();
    return { ...of, call: d.call(of) };
  },
  "tool.call": (d) => ({ ...d.of(), tool: "look", input: d.pick<unknown>({}, null, d.text()) }),
  "tool.end": (d, { seq }) => {
    const of = d.of();
    const more = {
      wait: d.some(0.3, d.wait()),
      final: d.some(0.1, true),
      effect: d.some(0.5, d.pick("reads", "state", "outside")),
      progress: d.some(0.5, d.pick("none", "words", "work")),
      upto: d.some(0.1, d.pick(seq, seq + 1_000)),
      touched: d.some(0.3, true),
    };
    return { ...of, call: d.call(of), outcome: d.pick("ok", "error", "unknown", "denied"), result: d.text(), ...more };
  },
} satisfies Partial<Makers>;
