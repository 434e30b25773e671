import { expect, test } from "vitest";
import type { Files } from "../src/lib/world.ts";
import { createDisk, type SimDisk } from "./disk.ts";
import { countFaults, type DiskFaults, faultNames, noFaults } from "./faults.ts";
import { createRandom } from "./random.ts";
import { createTime, type Life, type Time } from "./time.ts";

interface Machine {
  time: Time;
  disk: SimDisk;
  life: Life;
  files: Files;
}

function machine(seed: number, faults: Partial<DiskFaults> = {}): Machine {
  const random = createRandom(seed);
  const time = createTime({ random: random.fork("time") });
  const disk = createDisk({ random: random.fork("disk"), time, faults: { ...noFaults, ...faults } });
  disk.edit("/home/.keep", null);
  const life = time.live();
  return { time, disk, life, files: disk.mount(life) };
}

/** Lets time pass until the program is done. */
async function play<T>(time: Time, program: Promise<T>): Promise<T> {
  let over = false;
  const done = program.finally(() => {
    over = true;
  });
  done.catch(() => undefined);
  if ((await time.run({ until: () => over })) !== "until") throw new Error("the program never ends");
  return done;
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: NodeJS.ErrnoException) => error.code ?? String(error),
  );

test("a power loss keeps what was synced and a prefix of what was not, for 1,000 seeds", async () => {
  const kept = new Map<number, number>();
  for (let seed = 0; seed < 1000; seed++) {
    const { time, disk, files } = machine(seed);
    const synced = "durable\n".repeat(seed % 4);
    const tail = "0123456789".repeat(3);
    await play(
      time,
      (async () => {
        const log = await files.open("/home/log");
        await log.append(Buffer.from(synced));
        await log.sync();
        for (const part of [tail.slice(0, 7), tail.slice(7)]) await log.append(Buffer.from(part));
      })(),
    );
    disk.power();
    const left = disk.peek("/home/log")?.toString() ?? "missing";
    expect(left.startsWith(synced)).toBe(true);
    expect((synced + tail).startsWith(left)).toBe(true);
    const extra = left.length - synced.length;
    kept.set(extra, (kept.get(extra) ?? 0) + 1);
  }
  expect(kept.size).toBe(31);
  expect(kept.get(0)).toBeGreaterThan(100);
  expect(kept.get(30)).toBeGreaterThan(100);
});

test("appends, truncations and syncs in any order: a power loss leaves a state that there was since the last sync", async () => {
  let differs = 0;
  for (let seed = 0; seed < 1000; seed++) {
    const { time, disk, files } = machine(seed);
    const random = createRandom(seed).fork("program");
    let now = "";
    let possible = new Set([now]);
    await play(
      time,
      (async () => {
        const log = await files.open("/home/log");
        for (let i = 0; i < 12; i++) {
          const luck = random.next();
          if (luck < 0.55) {
            const added = random.hex(random.between(1, 8));
            await log.append(Buffer.from(added));
            for (let end = 1; end <= added.length; end++) possible.add(now + added.slice(0, end));
            now += added;
          } else if (luck < 0.8) {
            now = now.slice(0, random.int(now.length + 1));
            await log.truncate(now.length);
            possible.add(now);
          } else {
            await log.sync();
            possible = new Set([now]);
          }
        }
      })(),
    );
    expect(disk.peek("/home/log")?.toString()).toBe(now);
    disk.power();
    const left = disk.peek("/home/log")?.toString() ?? "missing";
    expect(possible).toContain(left);
    if (left !== now) differs += 1;
  }
  expect(differs).toBeGreaterThan(300);
});

test("a sync covers what was appended before it began, not what came while it ran", async () => {
  let lost = 0;
  for (let seed = 0; seed < 200; seed++) {
    const { time, disk, files } = machine(seed, { slowSync: 1 });
    await play(
      time,
      (async () => {
        const log = await files.open("/home/log");
        await log.append(Buffer.from("before"));
        const sync = log.sync();
        await log.append(Buffer.from("during"));
        await sync;
      })(),
    );
    disk.power();
    const left = disk.peek("/home/log")?.toString() ?? "";
    expect(left.startsWith("before")).toBe(true);
    if (left !== "beforeduring") lost += 1;
  }
  expect(lost).toBeGreaterThan(50);
});

test("write, move, makeDir and a creation by open survive a power loss once they returned", async () => {
  for (let seed = 0; seed < 300; seed++) {
    const { time, disk, files } = machine(seed);
    await play(
      time,
      (async () => {
        await files.makeDir("/home/a/b");
        await files.write("/home/a/b/f", "one");
        await files.write("/home/a/b/f", "two");
        await files.move("/home/a/b", "/home/c");
        await files.move("/home/c/f", "/home/a/g");
        await files.open("/home/a/log");
      })(),
    );
    disk.power();
    expect(disk.paths()).toEqual(["/home/a/g", "/home/a/log"]);
    expect(disk.peek("/home/a/g")?.toString()).toBe("two");
    const next = disk.mount(time.live());
    expect(await play(time, next.list("/home/c"))).toEqual([]);
    expect(await play(time, next.stat("/home/c"))).toMatchObject({ kind: "folder" });
  }
});

test("a write that need not be durable is old or new after a power loss, never half, and a new file may be gone", async () => {
  const seen = new Set<string | undefined>();
  for (let seed = 0; seed < 300; seed++) {
    const { time, disk, files } = machine(seed);
    await play(
      time,
      (async () => {
        await files.write("/home/f", "old".repeat(9));
        await files.write("/home/f", "middle".repeat(9), { durable: false });
        await files.write("/home/f", "new".repeat(9), { durable: false });
        await files.write("/home/g", "fresh".repeat(9), { durable: false });
      })(),
    );
    disk.power();
    seen.add(disk.peek("/home/f")?.toString());
    seen.add(disk.peek("/home/g")?.toString());
  }
  expect(seen).toEqual(new Set([..."old middle new fresh".split(" ").map((word) => word.repeat(9)), undefined]));
});

test("a power loss in the middle of a durable write or a move leaves the old or the new", async () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 600; seed++) {
    const { time, disk, files } = machine(seed);
    await play(
      time,
      (async () => {
        await files.makeDir("/home/a");
        await files.makeDir("/home/b");
        await files.write("/home/a/f", "old");
      })(),
    );
    void files.write("/home/a/f", "new").then(() => files.move("/home/a/f", "/home/b/f"));
    await time.run({ steps: seed % 6 });
    disk.power();
    const [first, second] = ["/home/a/f", "/home/b/f"].map((path) => disk.peek(path)?.toString());
    seen.add(`${first} ${second}`);
    if (disk.paths().some((path) => path.endsWith(".tmp"))) seen.add("draft left");
  }
  expect([...seen].sort()).toEqual(["draft left", "new undefined", "old undefined", "undefined new"]);
});

test("a rename is not kept without what came before it", async () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const { time, disk, files } = machine(seed);
    await play(time, files.write("/home/f", "old"));
    await play(time, files.write("/home/f", "new", { durable: false }));
    void files.move("/home/f", "/home/g");
    await time.step();
    disk.power();
    seen.add(`${disk.peek("/home/f")} ${disk.peek("/home/g")}`);
  }
  expect([...seen].sort()).toEqual(["new null", "null new", "old null"]);
});

test("a write whose folder is moved away meanwhile fails, and what it wrote does not land there under its name", async () => {
  let failed = 0;
  for (let seed = 0; seed < 100; seed++) {
    const { time, disk, files } = machine(seed);
    await play(time, files.makeDir("/home/scratch"));
    const write = outcome(files.write("/home/scratch/f", "late"));
    await play(time, files.move("/home/scratch", "/home/published"));
    if ((await play(time, write)) !== "ENOENT") continue;
    failed += 1;
    expect(disk.peek("/home/published/f")).toBeNull();
  }
  expect(failed).toBeGreaterThan(50);
});

test("a removal may come undone, in part too, until its folder is synced", async () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const { time, disk, files } = machine(seed);
    await play(
      time,
      (async () => {
        await files.makeDir("/home/d");
        for (const name of ["1", "2"]) await files.write(`/home/d/${name}`, name);
        await files.write("/home/e", "x");
        await files.remove("/home/e");
        await files.write("/home/other", "settles the folder");
        await files.remove("/home/d");
      })(),
    );
    expect(disk.paths()).toEqual(["/home/other"]);
    disk.power();
    seen.add(disk.paths().join(" "));
  }
  expect([...seen].sort()).toEqual([
    "/home/d/1 /home/d/2 /home/other",
    "/home/d/1 /home/other",
    "/home/d/2 /home/other",
    "/home/other",
  ]);
});

test("a killed process loses nothing that it wrote, but the next power loss may take what it had not synced", async () => {
  let lost = 0;
  for (let seed = 0; seed < 100; seed++) {
    const { time, disk, files, life } = machine(seed);
    await play(
      time,
      (async () => {
        const log = await files.open("/home/log");
        await log.append(Buffer.from("not synced"));
      })(),
    );
    life.end();
    const next = disk.mount(time.live());
    expect(String(await play(time, next.read("/home/log")))).toBe("not synced");
    disk.power();
    if (disk.peek("/home/log")?.length !== 10) lost += 1;
  }
  expect(lost).toBeGreaterThan(30);
});

test("the files of an ended incarnation neither do nor answer anything", async () => {
  const { time, disk, files, life } = machine(1);
  const log = await play(time, files.open("/home/log"));
  let answers = 0;
  const count = () => {
    answers += 1;
  };
  const calls = () => [
    log.append(Buffer.from("x")),
    log.sync(),
    log.truncate(0),
    log.read(0, 1),
    log.size(),
    log.close(),
    files.open("/home/new"),
    files.write("/home/new", "x"),
    files.remove("/home/log"),
    files.move("/home/log", "/home/moved"),
    files.makeDir("/home/dir"),
    files.list("/home"),
    files.read("/home/log"),
    files.stat("/home/log"),
    files.freeze("/home/log"),
    files.lock("/home/lock"),
  ];
  for (const call of calls()) call.then(count, count);
  life.end();
  for (const call of calls()) call.then(count, count);
  await time.run();
  expect(answers).toBe(0);
  expect(disk.paths()).toEqual(["/home/log"]);
});

test("a full disk takes a part of an append, then refuses, and heals", async () => {
  const parts = new Set<number>();
  for (let seed = 0; seed < 200; seed++) {
    const { time, disk, files } = machine(seed);
    const log = await play(time, files.open("/home/log"));
    disk.storm({ ...noFaults, enospc: 1 });
    expect(await play(time, outcome(log.append(Buffer.from("0123456789"))))).toBe("ENOSPC");
    const left = disk.peek("/home/log")?.toString() ?? "missing";
    expect("012345678".startsWith(left)).toBe(true);
    parts.add(left.length);
    expect(await play(time, outcome(files.write("/home/f", "x")))).toBe("ENOSPC");
    expect(await play(time, outcome(files.makeDir("/home/d")))).toBe("ENOSPC");
    expect(disk.paths()).toEqual(["/home/log"]);
    disk.calm();
    await play(time, log.truncate(0));
    expect(await play(time, outcome(log.append(Buffer.from("whole"))))).toBe("done");
    expect(disk.injected.enospc).toBe(3);
  }
  expect(parts.size).toBeGreaterThan(8);
});

test("a quota is kept to the byte, and removing makes room", async () => {
  const { time, disk, files } = machine(1, { quota: 100 });
  await play(time, files.write("/home/f", "x".repeat(60)));
  const log = await play(time, files.open("/home/log"));
  expect(await play(time, outcome(log.append(Buffer.alloc(50))))).toBe("ENOSPC");
  expect(await play(time, log.size())).toBe(40);
  expect(await play(time, outcome(files.write("/home/f", "y")))).toBe("ENOSPC");
  await play(time, files.remove("/home/f"));
  expect(await play(time, outcome(log.append(Buffer.alloc(60))))).toBe("done");
  disk.power();
  expect(disk.peek("/home/log")!.length).toBeLessThanOrEqual(100);
});

test("after a failed sync the bytes may be kept or not; cutting back to what was acknowledged is always right", async () => {
  const sizes = new Set<number>();
  for (let seed = 0; seed < 300; seed++) {
    const { time, disk, files } = machine(seed);
    const log = await play(time, files.open("/home/log"));
    await play(time, log.append(Buffer.from("acked")));
    await play(time, log.sync());
    await play(time, log.append(Buffer.from("refused")));
    disk.storm({ ...noFaults, eio: 1, ghost: seed % 2 });
    expect(await play(time, outcome(log.sync()))).toBe("EIO");
    sizes.add(await play(time, log.size()));
    disk.calm();
    await play(time, log.truncate(5));
    await play(time, log.append(Buffer.from(" again")));
    await play(time, log.sync());
    disk.power();
    expect(disk.peek("/home/log")?.toString()).toBe("acked again");
  }
  expect([...sizes].sort((a, b) => a - b)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
});

test("a disk that forgets after a failed sync leaves zeros where a later sync said all is well", async () => {
  const { time, disk, files } = machine(1);
  const log = await play(time, files.open("/home/log"));
  await play(time, log.append(Buffer.from("gone")));
  disk.storm({ ...noFaults, eio: 1, ghost: 1 });
  expect(await play(time, outcome(log.sync()))).toBe("EIO");
  disk.calm();
  await play(time, log.append(Buffer.from("here")));
  await play(time, log.sync());
  expect(disk.peek("/home/log")?.toString()).toBe("gonehere");
  disk.power();
  expect(disk.peek("/home/log")?.toString()).toBe("\0\0\0\0here");
});

test("when the last sync of a write, a move or a makeDir fails, it throws though the change is seen", async () => {
  const { time, disk, files } = machine(3);
  await play(time, files.write("/home/f", "x"));
  disk.storm({ ...noFaults, eio: 1 });
  expect(await play(time, outcome(files.move("/home/f", "/home/g")))).toBe("EIO");
  expect(await play(time, outcome(files.makeDir("/home/d")))).toBe("EIO");
  expect(await play(time, outcome(files.write("/home/g", "new")))).toBe("EIO");
  expect(disk.peek("/home/g")?.toString()).toBe("x");
  expect(disk.paths()).toEqual(["/home/g"]);
});

test("a read-only spell refuses every change, lets everything be read, and passes", async () => {
  const { time, disk, files } = machine(1);
  const log = await play(time, files.open("/home/log"));
  disk.storm({ ...noFaults, erofs: 1 });
  const changes = [
    () => log.append(Buffer.from("x")),
    () => log.truncate(0),
    () => files.open("/home/log"),
    () => files.open("/home/new"),
    () => files.write("/home/f", "x"),
    () => files.makeDir("/home/d"),
    () => files.remove("/home/log"),
    () => files.move("/home/log", "/home/moved"),
    () => files.freeze("/home/log"),
  ];
  for (const change of changes) expect(await play(time, outcome(change()))).toBe("EROFS");
  expect(await play(time, files.list("/home"))).toEqual([{ name: "log", kind: "file" }]);
  expect(await play(time, outcome(files.makeDir("/home")))).toBe("done");
  expect(await play(time, outcome(files.remove("/home/no")))).toBe("done");
  disk.storm(noFaults);
  await time.run({ ms: 20_000 });
  expect(await play(time, outcome(log.append(Buffer.from("x"))))).toBe("done");
});

test("a lock ends with its holder, by kill or by power", async () => {
  const { time, disk, files, life } = machine(1);
  expect(await play(time, files.lock("/home/lock"))).not.toBeNull();
  const second = time.live();
  const others = disk.mount(second);
  expect(await play(time, others.lock("/home/lock"))).toBeNull();
  life.end();
  expect(await play(time, others.lock("/home/lock"))).not.toBeNull();
  disk.power();
  expect(second.ended).toBe(true);
  expect(await play(time, disk.mount(time.live()).lock("/home/lock"))).not.toBeNull();
});

test("an edit by a person is seen by the next read, and not by who holds the file open", async () => {
  const { time, disk, files } = machine(1);
  const log = await play(time, files.open("/home/soul"));
  await play(time, log.append(Buffer.from("mine")));
  disk.edit("/home/soul", "theirs");
  disk.edit("/home/new/folder/file", Buffer.from("made"));
  expect(String(await play(time, files.read("/home/soul")))).toBe("theirs");
  expect(String(await play(time, log.read(0, 10)))).toBe("mine");
  disk.power();
  expect(disk.peek("/home/soul")?.toString()).toBe("theirs");
  disk.edit("/home/soul", null);
  expect(disk.paths()).toEqual(["/home/new/folder/file"]);
});

test("open files are counted per incarnation", async () => {
  const { time, disk, files, life } = machine(1);
  const [a, b] = await play(time, Promise.all([files.open("/home/a"), files.open("/home/b")]));
  expect(disk.handles(life)).toBe(2);
  await play(time, Promise.all([a.close(), b.close(), b.close()]));
  expect(disk.handles(life)).toBe(0);
});

test("every kind of fault is injected at least once within 200 seeds", async () => {
  const total = countFaults();
  for (let seed = 0; seed < 200; seed++) {
    const { disk } = await storm(seed);
    for (const name of faultNames) total[name] += disk.injected[name];
  }
  for (const name of faultNames) expect(total[name], name).toBeGreaterThan(0);
});

test("with every fault on, the same seed still plays the same", async () => {
  const play = async (seed: number) => {
    const { time, disk } = await storm(seed);
    return [time.trace.value(), time.steps, disk.fingerprint(), disk.injected];
  };
  for (let seed = 0; seed < 20; seed++) expect(await play(seed)).toEqual(await play(seed));
});

/** Five lives of a wandering program on a very bad disk. */
async function storm(seed: number): Promise<Machine> {
  const made = machine(seed, { enospc: 0.03, eio: 0.05, erofs: 0.02, slowSync: 0.1, ghost: 0.2 });
  const { time, disk } = made;
  const random = createRandom(seed).fork("program");
  for (let boot = 0; boot < 5; boot++) {
    const life = time.live();
    void wander(disk.mount(life), random.fork(`boot ${boot}`).int);
    await time.run({ ms: random.int(60) });
    if (random.chance(0.2)) disk.edit("/home/f1", "edited");
    if (random.chance(0.2)) disk.flip("/home/log");
    if (random.chance(0.7)) disk.power();
    else life.end();
  }
  return made;
}

/** A program that does anything and shrugs at every error. */
async function wander(files: Files, int: (n: number) => number): Promise<never> {
  const path = () => `/home/f${int(4)}`;
  const acts = [
    async () => {
      const log = await files.open("/home/log");
      await log.append(Buffer.from("a line of the log\n"));
      if (int(3) === 0) await log.truncate(int(20));
      if (int(2) === 0) await log.sync();
      await log.close();
    },
    () => files.write(path(), "content", { durable: int(2) === 0 }),
    () => files.move(path(), path()),
    () => files.remove(path()),
    () => files.makeDir(`/home/d${int(3)}`),
    () => files.freeze(path()),
  ];
  for (;;) await outcome(acts[int(acts.length)]!());
}
