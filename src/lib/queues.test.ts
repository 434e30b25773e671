import { expect, test } from "vitest";
import { createQueues } from "./queues.ts";

test("jobs of one name run one after the other, also after one that failed; other names do not wait", async () => {
  const { inOrder, idle } = createQueues();
  const first = Promise.withResolvers<void>();
  const ran: string[] = [];
  const run = (job: string) => async () => void ran.push(job);
  const failing = inOrder("a", async () => {
    await first.promise;
    throw new Error("no");
  });
  const second = inOrder("a", run("second"));
  await inOrder("b", run("other"));
  expect(ran).toEqual(["other"]);
  const idled = idle().then(run("idle"));
  first.resolve();
  await expect(failing).rejects.toThrow("no");
  await second;
  await idled;
  expect(ran).toEqual(["other", "second", "idle"]);
});
