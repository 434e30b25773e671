import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import { seal } from "./checksum.ts";
import { storeContract } from "./contract.ts";
import { createFaulty } from "./faulty.test-help.ts";
import { createFilesStore } from "./file-store.ts";
import { appendEach } from "./log.test-help.ts";
import { encode, sumOf } from "./log-line.ts";
import { createRam } from "./ram.test-help.ts";
import { created, events, posted, problemOf, readAll } from "./sample.test-help.ts";
import { tempFolder, tempStore } from "./temp.test-help.ts";

// Thousands of cases: a busy machine needs its time.

storeContract("files", {
  start: async () => {
    const home = await tempFolder();
    return { store: tempStore({ home, files }), restart: async () => tempStore({ home, files }) };
  },
});

storeContract("files with two handles", {
  start: async () => {
    const home = await tempFolder();
    const start = () => tempStore({ home, files, handles: 2 });
    return { store: start(), restart: async () => start() };
  },
});

async function home(count: number) {
  const path = await tempFolder();
  const folder = join(path, "agents", "ann");
  const store = tempStore({ home: path, files });
  const log = await store.open("ann", { fence: 1, create: true });
  await appendEach(log, events(1, count));
  const restart = async () => {
    await store.close();
    return tempStore({ home: path, files });
  };
  return { path, folder, store, log, restart };
}

describe("the layout", () => {
  test("an agent is a folder with its log, its snapshot and its blobs, for its owner only", async () => {
    const { folder, store } = await home(2);
    await store.saveSnapshot("ann", { seq: 2, sum: sumOf(posted(2)), format: "f1", state: 1 });
    const sha256 = await store.putBlob("ann", Buffer.from("x"));
    expect((await readdir(folder)).sort()).toEqual(["blobs", "events.jsonl", "snapshot.json"]);
    expect(await readdir(join(folder, "blobs"))).toEqual([sha256]);
    for (const [name, mode] of Object.entries({ ".": 0o700, "events.jsonl": 0o600, "snapshot.json": 0o600 })) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(mode);
    }
  });

  test("folders that are no agents are not listed", async () => {
    const { path, store } = await home(1);
    for (const name of ["Not-An-Id", "no-log"]) await files.makeDir(join(path, "agents", name));
    await files.write(join(path, "agents", "a-file"), "x");
    expect(await store.agents()).toEqual(["ann"]);
  });

  test("a refused id leaves nothing behind", async () => {
    const { path, store } = await home(1);
    await problemOf(store.open("../../evil", { fence: 1, create: true }));
    await problemOf(store.putBlob("..", Buffer.from("x")));
    expect(await readdir(path)).toEqual(["agents"]);
    expect(await readdir(join(path, "agents"))).toEqual(["ann"]);
  });

  test("a closed store takes nothing more", async () => {
    const { store } = await home(1);
    await store.close();
    expect((await problemOf(store.open("ann", { fence: 2 }))).code).toBe("closed");
    expect((await problemOf(store.snapshot("ann"))).code).toBe("closed");
  });
});

describe("versions", () => {
  test("a log of a newer version is refused at opening, and not touched even if its end looks torn", async () => {
    const { folder, path } = await home(1);
    const { data, ...envelope } = created("ann", 2);
    const text = `${seal(JSON.stringify({ ...envelope, data }))}\n${encode(posted(2))}new\nsomething new, which is not torn`;
    await writeFile(join(folder, "events.jsonl"), text);
    const problem = await problemOf(tempStore({ home: path, files }).open("ann", { fence: 1 }));
    expect(problem.code).toBe("newer_version");
    expect(problem.message).toContain("version 2");
    expect(problem.message).toContain("up to 1");
    expect(await readFile(join(folder, "events.jsonl"), "utf8")).toBe(text);
  });
});

describe("snapshots", () => {
  const keep = { seq: 6, sum: sumOf(posted(6)), format: "f1", state: { counted: 6 } };

  async function withSnapshot() {
    const given = await home(9);
    await given.store.saveSnapshot("ann", keep);
    const file = join(given.folder, "snapshot.json");
    return { ...given, file, again: await given.restart() };
  }

  test("one that was deleted is no loss", async () => {
    const { file, again } = await withSnapshot();
    await rm(file);
    const log = await again.open("ann", { fence: 1 });
    expect(await again.snapshot("ann")).toBeNull();
    expect(await readAll(log)).toEqual(events(1, 9));
  });

  test("one with any flipped bit, or cut anywhere, is ignored", async () => {
    const ram = createRam();
    const store = createFilesStore({ home: "/home", files: ram });
    const log = await store.open("ann", { fence: 1, create: true });
    await log.append(events(1, 9));
    await store.saveSnapshot("ann", keep);
    const path = "/home/agents/ann/snapshot.json";
    const bytes = Buffer.from(ram.content.get(path)!);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      ram.content.set(path, damaged);
      expect(await store.snapshot("ann")).toBeNull();
    }
    for (let length = 0; length < bytes.length; length++) {
      ram.content.set(path, bytes.subarray(0, length));
      expect(await store.snapshot("ann")).toBeNull();
    }
    ram.content.set(path, bytes);
    expect(await store.snapshot("ann")).toEqual(keep);
  });

  test("one that is ahead of the log is ignored", async () => {
    const { folder, again } = await withSnapshot();
    const path = join(folder, "events.jsonl");
    const lines = (await readFile(path, "utf8")).split("\n").slice(0, 5);
    await writeFile(path, `${lines.join("\n")}\n`);
    const log = await again.open("ann", { fence: 1 });
    expect(log.seq).toBe(5);
    expect(await again.snapshot("ann")).toBeNull();
    expect(await readAll(log)).toEqual(events(1, 5));
  });

  test("one of another log is ignored, even if its line ends at the same byte", async () => {
    const { path, file } = await withSnapshot();
    const other = tempStore({ home: path, files });
    const log = await other.open("ben", { fence: 1, create: true });
    await log.append([created("ben"), ...Array.from({ length: 8 }, (_, i) => posted(i + 2, `Hallo number ${i + 2}`))]);
    await files.write(join(path, "agents", "ben", "snapshot.json"), await readFile(file));
    expect(await other.snapshot("ben")).toBeNull();
    expect((await readAll(log)).length).toBe(9);
  });

  test("one whose file is laid out otherwise is ignored", async () => {
    const { file, again } = await withSnapshot();
    const { sum: _, ...stored } = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, seal(JSON.stringify({ ...stored, layout: 99 })));
    expect(await again.snapshot("ann")).toBeNull();
    await writeFile(file, seal(JSON.stringify(stored)));
    expect(await again.snapshot("ann")).toEqual(keep);
  });

  test("one that cannot be read is ignored: the log has it all", async () => {
    const { path } = await withSnapshot();
    const faulty = createFaulty(files);
    const store = tempStore({ home: path, files: faulty });
    const log = await store.open("ann", { fence: 1 });
    faulty.fail({ on: "fileRead", code: "EIO" });
    expect(await store.snapshot("ann")).toBeNull();
    expect(await readAll(log)).toEqual(events(1, 9));
  });

  test("a crash after writing one leaves a usable one, and a left-over draft is ignored", async () => {
    const { path, folder } = await home(9);
    const dies = tempStore({
      home: path,
      files,
      point: async (name) => {
        if (name === "snapshot.written") throw new Error("killed");
      },
    });
    await dies.open("ann", { fence: 1 });
    await expect(dies.saveSnapshot("ann", keep)).rejects.toThrow("killed");
    await writeFile(join(folder, ".snapshot.json.1.1.tmp"), "half of a sn");
    const after = tempStore({ home: path, files });
    const log = await after.open("ann", { fence: 1 });
    expect(await after.snapshot("ann")).toEqual(keep);
    expect(await readAll(log, 6)).toEqual(events(7, 9));
  });

  test("when one cannot be written the old one stays, and the log goes on", async () => {
    const path = await tempFolder();
    const faulty = createFaulty(files);
    const store = tempStore({ home: path, files: faulty });
    const log = await store.open("ann", { fence: 1, create: true });
    await log.append(events(1, 9));
    await store.saveSnapshot("ann", keep);
    faulty.fail({ on: "write", code: "ENOSPC" });
    const problem = await problemOf(store.saveSnapshot("ann", { ...keep, seq: 8, sum: sumOf(posted(8)) }));
    expect([problem.code, problem.details?.errno]).toEqual(["storage_failed", "ENOSPC"]);
    expect(await store.snapshot("ann")).toEqual(keep);
    await log.append([posted(10)]);
  });

  test("what lies before the snapshot is not read: opening stays fast however long the log", async () => {
    const { folder, restart, store } = await home(20_000);
    await store.saveSnapshot("ann", { seq: 19_990, sum: sumOf(posted(19_990)), format: "f1", state: 0 });
    await restart();
    const faulty = createFaulty(files);
    const again = tempStore({ home: join(folder, "..", ".."), files: faulty });
    const log = await again.open("ann", { fence: 1 });
    const snapshot = await again.snapshot("ann");
    expect((await readAll(log, snapshot!.seq)).length).toBe(10);
    await log.append([posted(20_001)]);
    expect(faulty.count.read).toBeLessThan(6);
  });
});

describe("blobs", () => {
  test("one that changed on the disk is named and not handed out; storing it again heals it", async () => {
    const { folder, store } = await home(1);
    const sha256 = await store.putBlob("ann", Buffer.from("precious"));
    const path = join(folder, "blobs", sha256);
    await writeFile(path, "precioux");
    const problem = await problemOf(store.getBlob("ann", sha256));
    expect(problem.code).toBe("log_corrupt");
    expect(problem.message).toContain(path);
    await store.putBlob("ann", Buffer.from("precious"));
    expect(String(await store.getBlob("ann", sha256))).toBe("precious");
  });

  test("one that is there is written again: a write that failed at its end can be seen, and may be gone with the power", async () => {
    const faulty = createFaulty(files);
    const store = tempStore({ home: await tempFolder(), files: faulty });
    await store.putBlob("ann", Buffer.from("precious"));
    const writes = faulty.count.write;
    await store.putBlob("ann", Buffer.from("precious"));
    expect(faulty.count.write).toBe(writes + 1);
  });

  test("a full disk is said so, and no half blob is left", async () => {
    const faulty = createFaulty(files);
    const path = await tempFolder();
    const store = tempStore({ home: path, files: faulty });
    faulty.fail({ on: "write", code: "ENOSPC" });
    const problem = await problemOf(store.putBlob("ann", Buffer.from("x")));
    expect(problem.code).toBe("storage_failed");
    expect(problem.message).toMatch(/ENOSPC.*free some space/);
    expect(await readdir(join(path, "agents", "ann", "blobs"))).toEqual([]);
  });
});

describe("open files", () => {
  test("idle agents hold no files beyond the limit, and go on without being scanned again", async () => {
    const faulty = createFaulty(files);
    const store = tempStore({ home: await tempFolder(), files: faulty, handles: 5 });
    const names = Array.from({ length: 40 }, (_, i) => `a${i}`);
    const logs = await Promise.all(
      names.map(async (name) => {
        const log = await store.open(name, { fence: 1, create: true });
        await log.append([created(name)]);
        return log;
      }),
    );
    const reads = faulty.count.read;
    await Promise.all(logs.map((log) => log.append([posted(2)])));
    expect(faulty.count.read).toBe(reads);
    expect(faulty.handles.most).toBeLessThanOrEqual(6);
    for (const [i, log] of logs.entries()) expect(await readAll(log)).toEqual([created(names[i]), posted(2)]);
    await store.close();
    expect(faulty.handles.now).toBe(0);
  });

  test("their number does not grow with failures", async () => {
    const faulty = createFaulty(files);
    const store = tempStore({ home: await tempFolder(), files: faulty });
    let log = await store.open("ann", { fence: 1, create: true });
    await log.append([created()]);
    for (let round = 2; round < 200; round++) {
      faulty.fail({ on: round % 2 ? "sync" : "append", code: "EIO" });
      await problemOf(log.append([posted(2)]));
      faulty.heal();
      log = await store.open("ann", { fence: round });
    }
    expect(faulty.handles.most).toBeLessThanOrEqual(2);
    expect(await readAll(log)).toEqual([created()]);
  });
});

test("an agent whose log cannot be looked at is listed, and says at opening what is wrong; the others are as they were", async () => {
  const home = await tempFolder();
  for (const agent of ["ann", "ben"])
    await (await tempStore({ home, files }).open(agent, { fence: 1, create: true })).append([created(agent)]);
  const sick = Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
  const stat: typeof files.stat = (path) => (path.includes("/ben/") ? Promise.reject(sick) : files.stat(path));
  const store = tempStore({ home, files: { ...files, stat } });
  expect(await store.agents()).toEqual(["ann", "ben"]);
  expect((await store.open("ann", { fence: 2 })).seq).toBe(1);
  expect(await problemOf(store.open("ben", { fence: 2 }))).toMatchObject({ code: "storage_failed" });
});
