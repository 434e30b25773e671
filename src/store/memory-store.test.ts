import { expect, test } from "vitest";
import { storeContract } from "./contract.ts";
import { createMemoryStore } from "./memory-store.ts";
import { events, posted, problemOf, readAll } from "./sample.test-help.ts";

storeContract("memory", {
  start: async () => {
    const store = createMemoryStore();
    return { store, restart: async () => store };
  },
});

test("hosts that share the store object see each other's events, and only the newest may write", async () => {
  const store = createMemoryStore();
  const first = await store.open("ann", { fence: 1, create: true });
  await first.append(events(1, 2));
  const second = await store.open("ann", { fence: 2 });
  await second.append([posted(3)]);
  expect((await problemOf(first.append([posted(3)]))).code).toBe("fenced");
  expect(await readAll(first)).toEqual(events(1, 3));
});
