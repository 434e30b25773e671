/** Layer 5, the loop: when an agent runs, what happens if it fails, what wakes it. In virtual time where time matters. */
import { describe, expect, test } from "vitest";
import { BackendError } from "../../src/backend/backend.ts";
import { mail } from "../../src/runtime/model.test-help.ts";
import { start } from "../../src/runtime/runtime.test-help.ts";
import { openHouse, pair } from "./house.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const { team } = pair("@Rae look.").body;
const stays = { ...team, on_idle: "stay" as const };

test("stopped → idle ⇄ running → stopped", async () => {
  const world = start({ play: { rae: [{ seconds: 5, say: "Looked." }] } });
  await world.begin();
  await world.create({ team: stays, start: false });
  const isRunning = () => world.runtime().opened("a1")?.running().has("rae") ?? false;
  expect(isRunning()).toBe(false);
  await world.send("a1", { type: "run.start" }, { actor: "human" });
  await world.pass(second);
  expect(isRunning()).toBe(true);
  await world.pass(minute);
  expect([isRunning(), world.asked.length]).toEqual([false, 1]);
  await world.send("a1", { type: "message.post", to: "rae", text: "again" });
  await world.pass(10);
  expect(world.asked).toHaveLength(2);
  await world.send("a1", { type: "agent.stop" }, { actor: "human" });
  await world.pass(hour);
  expect(isRunning()).toBe(false);
});

test("the prompt is made of inbox, channel and documents", async () => {
  const { client, rest, told } = await openHouse({ rae: [{ text: "@Cody mend the loop in plan.md." }] });
  await client.createAgent(
    pair("@Rae look at the loop.", { documents: [{ name: "plan.md", text: "The loop ends at 9." }] }),
  );
  await rest("t");
  const prompt = told("cody");
  expect(prompt).toContain("@Cody mend the loop in plan.md.");
  expect(prompt).toContain("human to rae: @Rae look at the loop.");
  expect(prompt).toContain("The loop ends at 9.");
});

test("a message is acknowledged only when its turn has ended: after a crash it is shown again, and never twice to turns that ended", async () => {
  const world = start({ play: { rae: [{ seconds: 60, say: "Looked." }] } });
  await world.begin();
  await world.create({ team: stays });
  await world.pass(second);
  expect(world.state().participants.get("rae")).toMatchObject({ unread: [{ text: "@Rae look." }] });
  await world.restart("kill");
  await world.pass(hour);
  expect(world.asked.map(mail)).toEqual([["@Rae look."], ["@Rae look."]]);
  expect(world.state().participants.get("rae")).toMatchObject({ unread: [] });
  expect((await world.events()).filter(({ type }) => type === "turn.ended")).toHaveLength(1);
});

test("a transient failure is tried again with growing pauses", async () => {
  const error = new BackendError("transient", "overloaded");
  const world = start({ play: { rae: [(_, attempt) => (attempt <= 3 ? { error } : { say: "Looked." })] } });
  await world.begin();
  await world.create({ team: stays });
  await world.pass(hour);
  const at = world.asked.map((one) => one.at);
  const pauses = at.slice(1).map((time, nth) => time - at[nth]!);
  expect(pauses).toHaveLength(3);
  expect(pauses[1]!).toBeGreaterThan(pauses[0]!);
  expect(pauses[2]!).toBeGreaterThan(pauses[1]!);
});

test("a failure that does not pass ends in no loop: the agent is paused with the reason, and the message is kept", async () => {
  const error = new BackendError("transient", "overloaded");
  const world = start({ play: { coordinator: [(_, attempt) => (attempt < 50 ? { error } : { say: "Done." })] } });
  await world.begin();
  await world.create({ goal: "Look." });
  await world.pass(hour);
  const asked = world.asked.length;
  expect(asked).toBeLessThan(10);
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { message: expect.stringContaining("overloaded") },
  });
  await world.pass(24 * hour);
  expect(world.asked).toHaveLength(asked);
  await world.send("a1", { type: "agent.resume" }, { actor: "human" });
  await world.pass(second);
  expect(mail(world.asked.at(-1)!).join()).toContain("Look.");
});

describe("an agent wakes", () => {
  const triggered = async (schedule: object) => {
    const world = start({ play: {} });
    await world.begin();
    const triggers = [{ schedule, to: "Rae", text: "Is the build green?" } as never];
    await world.create({ team: { ...stays, triggers } });
    return world;
  };

  test("after an interval without activity, which starts anew with activity", async () => {
    const world = await triggered({ type: "on_idle", idle_seconds: 600 });
    await world.pass(5 * minute);
    await world.send("a1", { type: "message.post", to: "rae", text: "hello" });
    await world.pass(9 * minute);
    expect(world.asked).toHaveLength(2);
    await world.pass(2 * minute);
    expect(mail(world.asked.at(-1)!).at(-1)).toContain("Is the build green?");
  });

  test("by cron, whatever happens meanwhile", async () => {
    const world = await triggered({ type: "scheduled", cron: "*/10 * * * *" });
    await world.pass(5 * minute);
    await world.send("a1", { type: "message.post", to: "rae", text: "hello" });
    await world.pass(55 * minute);
    const fired = (await world.events()).filter(({ type }) => type === "trigger.fired");
    expect(fired).toHaveLength(6);
    for (const { ts } of fired) expect(new Date(ts).getUTCMinutes() % 10).toBe(0);
  });

  test("by the schedule that its workflow file gives it", async () => {
    const { client, rest } = await openHouse(
      {},
      {
        "workflows/watch.yaml":
          'agents:\n  rae: { system_prompt: Watch., schedule: "0 9 * * 1-5", wakeup_prompt: Green? }\n  bob: { system_prompt: Watch., schedule: 30s }\nkickoff: "@rae hello"\n',
      },
    );
    await client.createAgent({ body: { name: "w", workflow: "watch", model: "anthropic/none" } });
    await rest("w");
    const { items } = await client.listTriggers({ params: { agent: "w" } });
    expect(items).toMatchObject([
      { action: { to: "rae", text: "Green?" }, schedule: { type: "scheduled", cron: "0 9 * * 1-5" } },
      { action: { to: "bob" }, schedule: { type: "on_idle", idle_seconds: 30 } },
    ]);
  });
});

test("a direct message is answered in the same request, also while the agent works: one loop, one after the other", async () => {
  const held = Promise.withResolvers<void>();
  const answers = [() => held.promise.then(() => ({ text: "First." })), { text: "Second." }];
  const { client, asked } = await openHouse({ ada: answers });
  await client.createAgent({ body: { name: "a", goal: "Work.", model: "anthropic/ada" } });
  await expect.poll(() => asked("ada").length).toBe(1);
  const direct = client.send({ params: { agent: "a" }, body: { message: "And now?", wait: 60 } });
  held.resolve();
  expect((await direct).reply).toMatchObject({ text: "Second." });
  expect(asked("ada")).toHaveLength(2);
});
