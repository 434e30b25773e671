/** What a killed process left is seen by the next one, and may still be gone with the power: whoever acknowledges something in it makes it last first. */
import { expect, test } from "vitest";
import { createDisk } from "../../sim/disk.ts";
import { createRandom } from "../../sim/random.ts";
import { createTime } from "../../sim/time.ts";
import { createFilesStore } from "./file-store.ts";
import { encode } from "./log-line.ts";
import { events } from "./sample.test-help.ts";

const log = "/home/agents/ann/events.jsonl";

/** An agent's folder came there by a rename, and the process was killed before the rename was synced. */
async function moved(seed: number) {
  const random = createRandom(seed);
  const time = createTime({ random: random.fork("time") });
  const disk = createDisk({ random: random.fork("disk"), time });
  const play = async <T>(work: Promise<T>): Promise<T> => {
    let over = false;
    const done = () => {
      over = true;
    };
    work.then(done, done);
    await time.run({ until: () => over });
    return await work;
  };
  const first = time.live();
  const files = disk.mount(first);
  await play(files.makeDir("/home/agents"));
  await play(files.makeDir("/home/import/ann"));
  await play(files.write("/home/import/ann/events.jsonl", events(1, 2).map(encode).join("")));
  void files.move("/home/import/ann", "/home/agents/ann");
  await time.run({ until: () => disk.peek(log) !== undefined && disk.peek(log) !== null });
  first.end();
  return { time, disk, play };
}

test("an agent that a killed process left is there for good once something of it is acknowledged", async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { time, disk, play } = await moved(seed);
    const second = time.live();
    const store = createFilesStore({ home: "/home", files: disk.mount(second) });
    const opened = await play(store.open("ann", { fence: 1 }));
    await play(opened.append(events(3, 3)));
    second.end();
    disk.power();
    expect(disk.peek(log)?.toString().split("\n"), `seed ${seed}`).toHaveLength(4);
  }
});

test("and without that the power may take it", async () => {
  const left = new Set<boolean>();
  for (let seed = 1; seed <= 30; seed++) {
    const { disk } = await moved(seed);
    disk.power();
    left.add(Boolean(disk.peek(log)));
  }
  expect(left).toEqual(new Set([true, false]));
});
