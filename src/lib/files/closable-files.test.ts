import { expect, test } from "vitest";
import { createSimWorld } from "../../../sim/world.ts";
import { createClosableFiles } from "./closable-files.ts";

function stand() {
  const sim = createSimWorld({ seed: 1 });
  const access = createClosableFiles(sim.incarnate().files, () => new Error("over"));
  return { sim, access };
}

/** Lets virtual time pass until it has settled. */
async function settled<T>(sim: ReturnType<typeof stand>["sim"], promise: Promise<T>): Promise<T> {
  let done = false;
  const mark = () => {
    done = true;
  };
  promise.then(mark, mark);
  await sim.time.run({ until: () => done, ms: 60_000 });
  return promise;
}

test("closing waits for the calls under way and refuses those that come after", async () => {
  const { sim, access } = stand();
  const { files } = access;
  await settled(sim, files.makeDir("/a"));
  let closed = false;
  const write = files.write("/a/x", "1");
  const closing = access.close().then(() => {
    closed = true;
  });
  await Promise.resolve();
  expect([access.isClosed(), closed]).toEqual([true, false]);
  await settled(sim, Promise.all([write, closing]));
  expect(String(sim.disk.peek("/a/x"))).toBe("1");
  await expect(files.write("/a/x", "2")).rejects.toThrow("over");
  await expect(files.move("/a/x", "/a/y")).rejects.toThrow("over");
  await expect(files.within("/a").write("x", "2")).rejects.toThrow("over");
  expect(String(sim.disk.peek("/a/x"))).toBe("1");
});

test("an open file takes nothing more either, but can be closed", async () => {
  const { sim, access } = stand();
  const file = await settled(sim, access.files.open("/x"));
  await settled(sim, file.append(Buffer.from("1")));
  await settled(sim, access.close());
  await expect(file.append(Buffer.from("2"))).rejects.toThrow("over");
  await settled(sim, file.close());
  expect(String(sim.disk.peek("/x"))).toBe("1");
});

test("a call that fails is over as well", async () => {
  const { sim, access } = stand();
  const refused = access.files.open("/nowhere/x").catch((error: NodeJS.ErrnoException) => error.code);
  const closing = access.close();
  expect(await settled(sim, refused)).toBe("ENOENT");
  await settled(sim, closing);
});
