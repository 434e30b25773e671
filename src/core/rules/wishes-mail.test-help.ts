/** Wishes of messages, questions and deliveries. */
import { hash, junk, wishes } from "./draws.test-help.ts";
import type { Makers } from "./wishes.test-help.ts";

export const mailWishes = {
  "host.ask": (d) => ({ ...d.hostWish(), command: d.text() }),
  "host.open": (d) => ({ ...d.hostWish(), allowed: d.chance() < 0.2 }),
  "host.keep": (d, { hosts }) => ({ subject: d.known(hosts.unkept) }),
  "message.post": (d) => ({
    from: d.who(),
    to: d.pick<unknown>(
      d.who(),
      [d.who(), d.who()],
      "*",
      [],
      undefined,
      d.pick("agent:dan", "@Agent:eve", "agent:chips"),
    ),
    text: d.chance() < 0.1 ? `@${d.who()} ${d.text()}` : d.text(),
    priority: d.some(0.3, d.pick("immediate", "background", "normal")),
  }),
  "message.receive": (d, { correspondents }) => {
    const from = d.pick("dan", "eve", "chips");
    const resource = { id: hash(d.int(10)), title: "t", type: "text/plain", size: 1, preview: "" };
    return {
      from,
      born: d.pick("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z"),
      seq: Math.max(1, (correspondents.get(from)?.seq ?? 0) + d.pick(-1, 0, 1, 1, 5)),
      hops: d.pick(1, 2, 9),
      text: d.text(),
      resource: d.some(0.2, resource),
      priority: d.some(0.3, d.pick("immediate", "background")),
      fresh: d.some(0.3, true),
      tainted: d.some(0.1, "example.com"),
      notice: d.some(0.2, true),
    };
  },
  "outbox.confirm": (d, { outbox }) => ({ outgoing: d.known(outbox.keys()) }),
  "outbox.refuse": (d, { outbox }) => ({ outgoing: d.known(outbox.keys()), reason: d.reason() }),
  "inbox.ack": (d, { seq }) => ({ participant: d.who(), upto: d.pick(seq, seq + 1, d.int(seq + 1), 0) }),
  "inbox.defer": (d, { participants }) => {
    const one = participants.get(d.who());
    const entry = Number(d.known((one?.unread ?? []).map(({ seq }) => String(seq)))) || 1;
    return { participant: one?.id ?? d.who(), entry, seconds: d.some(0.5, d.pick(1, 600)), reason: d.text() };
  },
  "inbox.return": (d, { participants }) => {
    const one = participants.get(d.who());
    const put = one && one.kind !== "human" ? (one.deferred ?? []) : [];
    return { participant: one?.id ?? d.who(), entry: Number(d.known(put.map(({ entry }) => String(entry.seq)))) || 1 };
  },
  "question.ask": (d) => ({
    by: d.who(),
    text: d.text(),
    default: d.some(0.3, "d"),
    deadline_seconds: d.some(0.5, d.pick(30, 1e300)),
    channel: d.some(0.3, d.pick("hook", "email", "cli")),
  }),
  "question.answer": (d, { questions }) => ({
    question: d.some(0.8, d.known(questions.keys())),
    answer: d.chance() < 0.7 ? d.text() : d.pick("this time", "this run", "always", "no", "yes"),
  }),
  "question.expire": (d, { questions }) => ({ question: d.known(questions.keys()) }),
  "delivery.route": (d) => ({
    channels: Object.fromEntries(
      [...wishes]
        .filter(() => d.chance() < 0.8)
        .map(([name, kind]) => [
          d.chance() < 0.99 ? name : d.pick(...junk),
          {
            kind,
            for: (["questions", "approvals", "messages", "paused", "completed", "failed"] as const).filter(
              () => d.chance() < 0.7,
            ),
          },
        ]),
    ),
  }),
  "delivery.confirm": (d, { deliveries }) => ({ delivery: d.known(deliveries.keys()) }),
  "delivery.fail": (d, { deliveries }) => ({
    delivery: d.known(deliveries.keys()),
    error: d.text(),
    retry_after_seconds: d.some(0.2, d.pick(0, 5_000, 1e300)),
  }),
} satisfies Partial<Makers>;
