import { expect, test } from "vitest";
import { start } from "../../runtime/runtime.test-help.ts";
import { eventAt } from "../routes/talk.ts";
import { eventPage } from "./event-page.ts";

test("a page that is asked for while the daemon stops is refused, so that nobody asks for the next one for ever", async () => {
  const world = start();
  await world.begin();
  await world.create();
  const { signal } = new AbortController();
  const page = () =>
    eventPage({ runtime: world.runtime(), agent: "a1", after: 0, wants: () => true, limit: 1_000, signal });
  expect((await world.settled(page())).next).toBeNull();
  const over = world.runtime().stop();
  await expect(world.settled(page())).rejects.toMatchObject({ code: "closed" });
  await world.settled(over);
});

test("an event that is asked for while the daemon stops is refused with the reason: it is not a fault", async () => {
  const world = start();
  await world.begin();
  await world.create();
  const over = world.runtime().stop();
  await expect(world.settled(eventAt(world.runtime(), "a1", 2))).rejects.toMatchObject({ code: "closed" });
  await world.settled(over);
});
