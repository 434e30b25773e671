import { expect, test } from "vitest";
import { Problem } from "../../schema/problem.ts";
import type { Link } from "../store/store.ts";
import { createOutbox } from "./outbox.ts";

/** A daemon that answers what the test says, and a place that outlives the page. */
function house() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  };
  const sent: { key: string | undefined; body: unknown }[] = [];
  const listeners = new Set<() => void>();
  let status: Link["status"] = "live";
  let answer: () => Promise<unknown> = async () => ({});
  const send = async (given: { key?: string; body?: unknown }) => {
    sent.push({ key: given.key, body: given.body });
    return (await answer()) as never;
  };
  const store = {
    link: () => ({ status, since: 0, ready: true }),
    subscribe(changed: () => void) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
  return {
    sent,
    /** Another page: the one before is gone. */
    open() {
      listeners.clear();
      return createOutbox({ send }, store, storage);
    },
    reply: (next: typeof answer) => {
      answer = next;
    },
    turn(next: Link["status"]) {
      status = next;
      for (const listener of listeners) listener();
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const word = { agent: "a", of: "coordinator", text: "hello", attached: [] };

test("what is sent is gone from the outbox, with its address and its files", async () => {
  const { open, sent } = house();
  const outbox = open();
  const file = { id: "f".repeat(64), title: "a.csv", type: "text/csv", size: 1 };
  outbox.add({ ...word, to: "ada", attached: [file] });
  await settled();
  expect(outbox.all()).toEqual([]);
  expect(sent[0]?.body).toEqual({ message: "hello", to: "ada", resources: [file.id] });
});

test("offline it waits, over a reload too, and is sent once and in order when the daemon is back", async () => {
  const { open, sent, turn } = house();
  turn("offline");
  open().add(word);
  const outbox = open();
  outbox.add({ ...word, text: "and this" });
  await settled();
  expect([sent.length, outbox.all().map(({ status }) => status)]).toEqual([0, ["waiting", "waiting"]]);
  turn("live");
  turn("live");
  await settled();
  expect(sent.map(({ body }) => (body as { message: string }).message)).toEqual(["hello", "and this"]);
  expect(outbox.all()).toEqual([]);
});

test("what is refused stays with the reason, does not hold up the next, and is tried again with the same key", async () => {
  const { open, sent, reply } = house();
  const outbox = open();
  reply(async () => {
    throw new Problem("wrong_state", "it is archived");
  });
  outbox.add(word);
  await settled();
  expect(outbox.all()).toMatchObject([{ status: "failed", why: "it is archived" }]);
  reply(async () => ({}));
  outbox.add({ ...word, text: "next" });
  await settled();
  expect(outbox.all()).toMatchObject([{ text: "hello", status: "failed" }]);
  outbox.again(outbox.all()[0]!.id);
  await settled();
  expect(outbox.all()).toEqual([]);
  expect(sent[2]).toEqual(sent[0]);
});

test("a connection that is lost meanwhile is no refusal: it waits, and one that is taken back is not sent", async () => {
  const { open, sent, reply, turn } = house();
  const outbox = open();
  reply(async () => {
    throw new Problem("unreachable", "gone");
  });
  outbox.add(word);
  await settled();
  const [one] = outbox.all();
  expect(one).toMatchObject({ status: "waiting" });
  expect(one).not.toHaveProperty("why");
  outbox.drop(one!.id);
  turn("offline");
  turn("live");
  await settled();
  expect([sent.length, outbox.all()]).toEqual([1, []]);
});
