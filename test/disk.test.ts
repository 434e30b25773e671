/**
 * A real disk that fills up, turns read-only, is damaged, is edited or is wanted by a second process.
 *
 * What is refused is never acknowledged, what was acknowledged is still there, and when the disk is back the agent goes on by itself.
 * Damage stays with the agent it happened to. What is derived comes back; what people wrote is never overwritten.
 * Full and read-only disks are small tmpfs mounts: without the right to mount, those tests are skipped.
 */
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createScripted } from "../src/backend/scripted.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { Event } from "../src/schema/event.ts";
import { Problem } from "../src/schema/problem.ts";
import { defineTool } from "../src/toolkit/tool.ts";
import { bin } from "./built.ts";
import { of, outputOf, readLog } from "./crash/check.ts";
import { fill, mayMount, moodyDisk, mount, remount } from "./crash/disk.ts";
import { type House, type HouseOptions, openHouse } from "./crash/house.ts";
import { clients, clientText } from "./crash/team.ts";
import { until } from "./until.ts";

const mountable = mayMount();
const reason = mountable ? "" : " (skipped: mounting a tmpfs needs root)";

describe.skipIf(!mountable)(`a disk that fails${reason}`, () => {
  test("a full disk refuses without acknowledging; with space again the team goes on and nothing is lost", async () => {
    const home = await tempFolder();
    mount(home, "2m");
    const house = await open({ home, effects: join(await tempFolder(), "effects.log") });
    const filler = join(home, "filler");
    fill(filler, 120 * 1024);
    await create(house, "team");
    await until(() => expect(house.runtime.fault("team")).toBeDefined());
    fill(filler, 0);

    const acks = new Map<string, number>();
    const refusals: Problem[] = [];
    const post = async (key: string) => {
      try {
        const { seq } = await house.runtime.send("team", message(key), { actor: "human", key });
        if (acks.has(key)) expect(seq).toBe(acks.get(key));
        acks.set(key, seq);
      } catch (problem) {
        refusals.push(problem as Problem);
      }
    };
    const keys = [...clients, "extra-1", "extra-2", "extra-3"];
    for (const key of keys) await post(key);
    expect(refusals.length).toBeGreaterThan(0);
    for (const { code, message } of refusals) {
      expect(code).toMatch(/^(storage_failed|closed)$/); // closed: see "who comes while a failed append is undone"
      if (code === "storage_failed") expect(message).toMatch(/ENOSPC.*free some space/);
    }
    expect(logged(home, "team", keys)).toEqual(expect.objectContaining(Object.fromEntries(acks)));

    rmSync(filler);
    await until(async () => {
      for (const key of keys) await post(key);
      expect(acks.size).toBe(keys.length);
    });
    await house.until("team", (event) => event.type === "agent.completed");
    await house.close();
    expect(logged(home, "team", keys)).toEqual(Object.fromEntries(acks));
    expect(outputOf(home)["_output.md"]).toContain("d completed\nclient message c1");
  });

  test("a disk that turns read-only refuses; writable again the agent goes on, and its neighbour never stopped", async () => {
    const home = await tempFolder();
    const folder = join(home, "agents/team");
    mkdirSync(folder, { recursive: true });
    mount(folder, "2m");
    // One open file at a time: writing to the neighbour closes the log of the team, without which the mount would be busy.
    const house = await open({ home, handles: 1 });
    await create(house, "team");
    await create(house, "calm");
    await until(() => expect(statuses(house)).toEqual(["completed", "completed", "completed", "completed"]));
    await until(async () => {
      await house.runtime.opened("team")?.projector.idle();
      await house.runtime.send("calm", { type: "message.post", text: "hello" });
      remount(folder, "ro");
    });

    const options = { actor: "human", key: "c1" };
    const refusal = await refused(house.runtime.send("team", message("c1"), options));
    expect(refusal.code).toBe("storage_failed");
    expect(refusal.message).toMatch(/agents\/team\/events\.jsonl: EROFS; .*make it writable/);
    await house.runtime.send("calm", { type: "message.post", text: "still there?" });
    expect(logged(home, "team", clients)).toEqual({});

    remount(folder, "rw");
    await until(() => house.runtime.send("team", message("c1"), options));
    for (const key of clients) await house.runtime.send("team", message(key), { actor: "human", key });
    await house.until("team", (event) => event.type === "agent.completed");
    await house.close();
    expect(Object.keys(logged(home, "team", clients))).toEqual(clients);
    expect(outputOf(home)["_output.md"]).toContain("d completed\nclient message c1");
  });
});

describe("a disk that takes some writes and refuses others", () => {
  /** Two commands, the second of them while the append of the first has failed and is being cut off. */
  async function overlap(house: House, disk: ReturnType<typeof moodyDisk>): Promise<Problem[]> {
    await create(house, "calm");
    await house.until("calm", (event) => event.type === "agent.completed");
    const undone = disk.refuse(() => true);
    const first = refused(house.runtime.send("calm", { type: "message.post", text: "one" }));
    await undone.begun;
    const second = refused(house.runtime.send("calm", { type: "message.post", text: "two" }));
    undone.go();
    return [await first, await second];
  }

  test("who comes while a failed append is undone does not keep the agent from coming back by itself", async () => {
    const disk = moodyDisk();
    const house = await open({ home: await tempFolder(), world: disk.world });
    await overlap(house, disk);
    disk.accept();
    await until(() => expect(house.runtime.fault("calm")).toBeUndefined());
    await house.runtime.send("calm", { type: "message.post", text: "three" });
  });

  test("who comes while a failed append is undone hears what is wrong with the disk", async () => {
    const disk = moodyDisk();
    const house = await open({ home: await tempFolder(), world: disk.world });
    const refusals = await overlap(house, disk);
    disk.accept();
    expect(refusals.map(({ code }) => code)).toEqual(["storage_failed", "storage_failed"]);
  });

  /** Each attempt costs a call whose answer cannot be kept, so patience ends here too: visibly, and before the money does. */
  test("a disk that takes a turn but not its answer pauses the agent after three calls, and resuming goes on", async () => {
    const disk = moodyDisk();
    const house = await open({ home: await tempFolder(), world: disk.world });
    disk.refuse((text) => text.includes("turn.answered")).go(); // what resuming writes is shorter and still has room
    await create(house, "calm");
    const agent = () => house.state("calm")?.agent;
    await until(() =>
      expect(agent()).toMatchObject({ status: "paused", reason: { code: "recovery", next_mover: "human" } }),
    );
    disk.accept();
    await house.runtime.send("calm", { type: "agent.resume" });
    await until(() => expect(agent()?.status).toBe("completed"));
  });
});

describe("a home that is held", () => {
  test("a second process leaves with exit code 3 and says who holds it", async () => {
    const home = await tempFolder();
    await open({ home });
    const life = JSON.stringify({ home, effects: "/dev/null" });
    const second = await run([fileURLToPath(new URL("crash/child.ts", import.meta.url)), life]);
    expect(second.code).toBe(3);
    expect(second.output).toMatch(`${home} is in use by process ${process.pid}, running since `);
  });

  test("the program itself leaves with exit code 3 and says who holds it", async () => {
    const home = await tempFolder();
    await open({ home });
    const second = await run([bin, "--home", home, "demo"]);
    expect(second.code).toBe(3);
    expect(second.output).toMatch(`${home} is in use by process ${process.pid}, running since `);
  });

  test("what a dead process left behind holds nobody up, whatever pid it names", async () => {
    const home = await tempFolder();
    for (const pid of [1, process.pid, 4_000_000]) {
      writeFileSync(
        join(home, "holder.json"),
        JSON.stringify({ pid, started_at: "2026-01-01T00:00:00.000Z", nonce: "x" }),
      );
      const house = await openHouse({ home });
      await house.close();
    }
  });
});

describe("a home that is given back", () => {
  test("is not written to any more", async () => {
    const home = await tempFolder();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const slow = defineTool({
      name: "slow",
      about: "Takes a moment to stop.",
      guidance: "-",
      effect: "outside",
      repeatable: true,
      input: z.object({}),
      async run(_input, { signal, write }) {
        const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
        begin();
        await stopped;
        await new Promise((resolve) => setTimeout(resolve, 50));
        await write("late.md", "written when the home was no longer ours").finally(end);
        return "done";
      },
    });
    const backend = createScripted({ participants: { coordinator: [{ calls: [{ tool: "slow" }] }] } }, machine.clock);
    const house = await openHouse({ home, tools: [slow], backend });
    await create(house, "calm");
    await begun;
    await house.close();
    const before = tree(home);
    await ended;
    expect(tree(home)).toEqual(before);
  });
});

describe("a damaged log", () => {
  test("a flipped bit in the middle puts that agent aside, names the byte, changes nothing; the neighbour works", async () => {
    const home = await finished("team", "calm");
    const path = join(home, "agents/calm/events.jsonl");
    const bytes = readFileSync(path);
    const lines = bytes.toString().split("\n");
    const offset = Buffer.byteLength(`${lines.slice(0, 9).join("\n")}\n`);
    bytes[offset + 40]! ^= 1;
    writeFileSync(path, bytes);

    const house = await open({ home });
    expect(house.runtime.fault("calm")).toMatchObject({ code: "log_corrupt", details: { path, offset } });
    const refusal = await refused(house.runtime.send("calm", { type: "message.post", text: "hello" }));
    expect(refusal.message).toContain(`${path} is damaged at byte ${offset}`);
    await house.runtime.send("team", { type: "message.post", text: "hello" });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("a log of a newer version is refused and stays as it is, to the byte", async () => {
    const home = await finished("team", "calm");
    const folder = join(home, "agents/calm");
    const path = join(folder, "events.jsonl");
    const [first, ...rest] = readFileSync(path, "utf8").split("\n");
    const newer = `${first!.slice(0, first!.lastIndexOf(',"sum":')).replace('"version":1', '"version":2')}}`;
    const sum = crc32(newer).toString(16).padStart(8, "0");
    writeFileSync(path, [`${newer.slice(0, -1)},"sum":"${sum}"}`, ...rest].join("\n"));
    const before = tree(folder);

    const house = await open({ home });
    expect(house.runtime.fault("calm")).toMatchObject({ code: "newer_version" });
    expect(house.runtime.fault("calm")?.message).toMatch(/calm has version 2; this Agiraph supports up to 1/);
    await house.runtime.send("team", { type: "message.post", text: "hello" });
    expect(tree(folder)).toEqual(before);
  });
});

describe("what is derived", () => {
  test("deleted, it comes back with the next start", async () => {
    const home = await finished("team", "calm");
    const root = join(home, "agents/team");
    const derived = (path: string) => /_status\.md$|_refs\.json$|_messages\/|triggers\.json$|history\.json$/.test(path);
    const before = tree(root, derived);
    expect(Object.keys(before).length).toBeGreaterThan(15);
    for (const path of Object.keys(before)) rmSync(join(root, path));
    rmSync(join(root, "runs/r1/_messages"), { recursive: true });
    for (const part of ["", "-wal", "-shm"]) rmSync(join(home, `index.sqlite${part}`), { force: true });

    const house = await open({ home, index: true });
    await until(() => expect(Object.keys(tree(root, derived))).toEqual(Object.keys(before)));
    expect(tree(root, derived)).toEqual(before);
    await until(() => expect(house.index?.messages("client c3", { limit: 5 })).toHaveLength(1));
    expect(house.index?.nodes({ agent: "team" }).map(({ status }) => status)).toEqual(Array(4).fill("completed"));
  });

  test("an index that is garbage is made anew", async () => {
    const home = await finished("team");
    writeFileSync(join(home, "index.sqlite"), "this is no database, whoever wrote it");
    const house = await open({ home, index: true });
    await until(() => expect(house.index?.messages("client c3", { limit: 5 })).toHaveLength(1));
  });

  test("edited by hand, it is kept aside, written anew, and people are told", async () => {
    const home = await finished("team");
    const folder = join(home, "agents/team/runs/r1/nodes/n1-a");
    const before = readFileSync(join(folder, "_status.md"), "utf8");
    const mine = before.replace("completed", "completed, but badly");
    writeFileSync(join(folder, "_status.md"), mine);

    const house = await open({ home });
    await until(() => expect(readFileSync(join(folder, "_status.md"), "utf8")).toBe(before));
    const [kept, ...more] = readdirSync(folder).filter((name) => name.startsWith("_status.md.edited-"));
    expect(more).toEqual([]);
    expect(readFileSync(join(folder, kept!), "utf8")).toBe(mine);
    expect(house.notices.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(
        /^conflict .*n1-a\/_status\.md .*edited by hand; your version is kept as .*_status\.md\.edited-/,
      ),
    ]);
  });
});

describe("what people own", () => {
  const spec = "runs/r1/nodes/n1-a/_spec.md";

  test.for(["GOAL.md", "SOUL.md", spec])(
    "an edit of %s is an event of the human and is not overwritten",
    async (path) => {
      const home = await finished("team");
      const file = join(home, "agents/team", path);
      appendFileSync(file, "and one thing more\n");
      const mine = readFileSync(file, "utf8");

      const house = await open({ home });
      const edited = await house.until("team", (event) => event.type === "file.edited");
      expect(edited).toMatchObject({ actor: "human", data: { path } });
      await house.runtime.send("team", { type: "message.post", text: "look again" });
      const again = await house.until("team", (event) => event.type === "agent.completed" && event.seq > edited.seq);
      await house.until("team", (event) => event.type === "turn.ended" && event.seq > again.seq);
      expect(readFileSync(file, "utf8")).toBe(mine);
      const blob = await house.store.getBlob("team", (edited as Event & { type: "file.edited" }).data.sha256!);
      expect(String(blob)).toBe(mine);
    },
  );

  test("an edit while the agent is at work is noticed with its next turn", async () => {
    const home = await finished("team");
    const house = await open({ home });
    appendFileSync(join(home, "agents/team/GOAL.md"), "and quickly\n");
    await house.runtime.send("team", { type: "message.post", text: "what is your goal?" });
    expect(await house.until("team", (event) => event.type === "file.edited")).toMatchObject({
      actor: "human",
      data: { path: "GOAL.md" },
    });
  });

  test("an edit of a document is a new version by the human", async () => {
    const home = await tempFolder();
    const folder = join(home, "agents/team/runs/r1/documents");
    const words = Buffer.from("what we know\n");
    const first = await openHouse({ home });
    await create(first, "team");
    const sha256 = await first.store.putBlob("team", words);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "facts.md"), words);
    await first.runtime.send("team", { type: "document.write", document: "facts.md", sha256, size: words.length });
    await closeIdle(first);
    writeFileSync(join(folder, "facts.md"), "what I know\n");

    const house = await open({ home });
    const written = (event: Event) => event.type === "document.written" && event.data.version === 2;
    expect(await house.until("team", written)).toMatchObject({
      actor: "human",
      data: { document: "facts.md", size: 12 },
    });
    expect(readFileSync(join(folder, "facts.md"), "utf8")).toBe("what I know\n");
  });

  test("a file that was deleted is an event of the human too", async () => {
    const home = await finished("team");
    rmSync(join(home, "agents/team", spec));
    const house = await open({ home });
    expect(await house.until("team", (event) => event.type === "file.edited")).toMatchObject({
      actor: "human",
      data: { path: spec, sha256: null },
    });
  });
});

const message = (key: string) => ({ type: "message.post", text: clientText(key) }) as const;

async function open(options: HouseOptions): Promise<House> {
  const house = await openHouse(options);
  onTestFinished(() => closeIdle(house));
  return house;
}

/** When nobody is at work: what is under way would write on (see "a home that is given back"). */
async function closeIdle(house: House): Promise<void> {
  const loops = () => house.runtime.agents().flatMap((agent) => [...(house.runtime.opened(agent)?.running() ?? [])]);
  await until(() => expect(loops()).toEqual([]));
  await house.close();
}

const create = (house: House, agent: string): Promise<string> =>
  house.runtime.create({ name: agent, goal: `be ${agent}`, model: `scripted/${agent}` });

/** A home in which these agents have done their work. */
async function finished(...agents: ("team" | "calm")[]): Promise<string> {
  const home = await tempFolder();
  const house = await openHouse({ home, index: true });
  for (const agent of agents) await create(house, agent);
  if (agents.includes("team"))
    for (const key of clients) await house.runtime.send("team", message(key), { actor: "human", key });
  for (const agent of agents) await house.until(agent, (event) => event.type === "agent.completed");
  for (const agent of agents) await house.runtime.opened(agent)?.projector.idle();
  await closeIdle(house);
  return home;
}

const statuses = (house: House): string[] =>
  [...(house.state("team")?.nodes.values() ?? [])].map(({ status }) => status);

/** The seq of each of these keys; one that is listed twice fails the test. */
function logged(home: string, agent: string, keys: string[]): Record<string, number> {
  const { wrong, events } = readLog(join(home, "agents", agent, "events.jsonl"));
  expect(wrong).toEqual([]);
  const found: [string, number][] = [];
  for (const key of keys) {
    const posted = of(events, "message.posted").filter(({ cause }) => cause?.startsWith(`${key}#`));
    expect(posted.length).toBeLessThanOrEqual(1);
    if (posted[0]) found.push([key, posted[0].seq]);
  }
  return Object.fromEntries(found);
}

async function refused(sent: Promise<unknown>): Promise<Problem> {
  const problem = await sent.then(
    () => undefined,
    (error) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  return problem;
}

/** Every file under a folder with its content. */
function tree(folder: string, wanted: (path: string) => boolean = () => true): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = paths.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
  return Object.fromEntries(names.filter(wanted).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

async function run(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: out + error };
}

async function tempFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "agiraph-disk-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}
