import { expect, test } from "vitest";
import { noFaults } from "../../../sim/faults.ts";
import { createSimWorld } from "../../../sim/world.ts";
import { createKeep } from "./cursor-files.ts";

test("a disk that refused the folder once is asked again with the next text", async () => {
  const sim = createSimWorld({ seed: 1 });
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => undefined);
    await sim.time.run({ ms: 10_000 });
    return promise;
  };
  sim.disk.storm({ ...noFaults, erofs: 1 });
  const keep = createKeep(sim.incarnate().files, "/streams");
  await expect(settled(keep.write("a", "1"))).rejects.toThrow("EROFS");
  sim.disk.storm(noFaults);
  sim.disk.calm();
  await settled(keep.write("a", "2"));
  expect(await settled(keep.read("a"))).toBe("2");
  expect(await settled(keep.list())).toEqual(["a"]);
});
