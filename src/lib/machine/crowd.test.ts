import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { watchCrowd } from "./crowd.ts";

test("whoever is not in a jail of its own yet is not counted with the rest of the machine", async () => {
  const why: string[] = [];
  const stop = watchCrowd(process.pid, (text) => why.push(text), { processes: 0, bytes: 1 });
  await sleep(120);
  stop();
  expect(why).toEqual([]);
});
