/** Folders that somebody filled, and files that are none: whoever lists, reads, publishes or removes them holds nobody up. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { start } from "../../src/core/core.test-help.ts";
import { readConfig } from "../../src/home/config.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { lookAtFolder } from "../../src/main/home/look-at-folder.ts";
import { createShownFiles } from "../../src/runtime/workspace/file-reader.ts";
import { publishFolder } from "../../src/runtime/workspace/publish.ts";
import { newHome, removeHome } from "../desk.ts";
import { attack } from "./attack.ts";
import { longestTurn } from "./stall.ts";

const home = newHome();
afterAll(() => removeHome(home));
const { files } = machine;

const run = join(home, "agents/a1/runs/r1");
const scratch = join(run, "scratch");
const { state } = start();
const shown = createShownFiles({ home, world: machine, agent: "a1", state: () => state, recall: () => undefined });

attack(
  "stall",
  "B11 a folder of very many files",
  async ({ held, stalled, tries }) => {
    const count = tries(20_000, 300_000);
    mkdirSync(join(scratch, "many"), { recursive: true });
    for (let n = 0; n < count; n++) closeSync(openSync(join(scratch, "many", `${n}`), "w"));
    const before = process.memoryUsage.rss();
    const ways: [what: string, way: () => Promise<unknown>, told: unknown][] = [
      ["listing", async () => (await files.within(run).list("scratch/many")).length, 12_000],
      [
        "the page",
        async () => "entries" in (await shown.look({ of: "workspace", run: state.run!.id }, "scratch/many")),
        true,
      ],
      [
        "publishing",
        () => publishFolder(machine, run, "published", {} as never).catch((error) => error.code),
        "too_large",
      ],
      ["looking for a folder", async () => (await lookAtFolder(join(scratch, "many"), { home, user: home })).items, []],
      ["removing", () => files.within(run).remove("scratch/many"), undefined],
    ];
    for (const [what, way, told] of ways) {
      const { ms, value } = await longestTurn(way);
      expect(value, what).toEqual(told);
      stalled(ms);
      held();
    }
    expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(300);
  },
  300_000,
);

const soon = <T>(work: Promise<T>): Promise<T | string> =>
  Promise.race([
    work.catch((error) => String(error.code ?? error)),
    new Promise<string>((resolve) => setTimeout(() => resolve("it waits"), 30_000).unref()),
  ]);

/** So many that each thread for files would wait. */
const threads = 6;

attack("stall", "B23 pipes and sockets in the place of files are not waited for", async ({ held }) => {
  const folder = join(home, "pipes");
  mkdirSync(join(folder, ".git"), { recursive: true });
  for (const name of [".git/HEAD", "config.yaml", "SKILL.md"])
    expect(spawnSync("mkfifo", [join(folder, name)]).status).toBe(0);
  const ways: [what: string, way: () => Promise<unknown>, told: unknown][] = [
    [
      "a repository's head",
      () => lookAtFolder(folder, { home: join(home, "none"), user: join(home, "other") }),
      { repository: { branch: null } },
    ],
    ["a file of the home", () => files.read(join(folder, "config.yaml")), "EFTYPE"],
    ["the config", () => readConfig(files, folder), expect.stringMatching(/neither a file|EFTYPE|invalid|storage/)],
    ["a file of a participant", () => files.within(folder).read("SKILL.md"), "EFTYPE"],
  ];
  for (const [what, way, told] of ways) {
    const all = await Promise.all(Array.from({ length: threads }, () => soon(way())));
    for (const one of all) {
      if (typeof told === "object" && !("asymmetricMatch" in told!)) expect(one, what).toMatchObject(told!);
      else expect(one, what).toEqual(told);
    }
    held(threads);
  }
  expect(await soon(files.stat(folder))).toMatchObject({ kind: "folder" });
});

attack("stall", "B33 large files are published and shown in steps", async ({ held, stalled, tries }) => {
  const folder = join(home, "agents/a1/runs", state.run!.id);
  mkdirSync(join(folder, "scratch"), { recursive: true });
  const size = tries(200_000_000, 500_000_000);
  expect(spawnSync("truncate", ["-s", String(size), join(folder, "scratch/sparse")]).status).toBe(0);
  const published = await longestTurn(() => publishFolder(machine, folder, "published", {} as never));
  expect(published.value).toMatchObject([{ path: "sparse", size }]);
  stalled(published.ms);
  expect(spawnSync("truncate", ["-s", "60000000", join(folder, "scratch/sparse")]).status).toBe(0);
  const shownNow = await longestTurn(() => shown.look({ of: "workspace", run: state.run!.id }, "scratch/sparse"));
  expect(shownNow.value).toMatchObject({ kind: "file", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  stalled(shownNow.ms);
  held(2);
});
