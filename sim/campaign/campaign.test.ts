import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "agiraph-campaign-"));
afterAll(() => rmSync(folder, { recursive: true }));

const start = (...args: string[]) =>
  spawn(process.execPath, [main, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });

/** Where it does not matter how many there are: each takes two seconds of processor time to load. */
const oneJob = ["--jobs", "1"];

async function end(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output };
}

const reportOf = (name: string) => JSON.parse(readFileSync(join(folder, "campaigns", name, "report.json"), "utf8"));

/** Waits until the report says that some seeds were played. */
async function played(name: string, child: ChildProcess): Promise<number> {
  const path = join(folder, "campaigns", name, "report.json");
  for (;;) {
    if (child.exitCode !== null) throw new Error("it ended before anything was played");
    const seeds = existsSync(path) ? (reportOf(name).totals.seeds ?? 0) : 0;
    if (seeds > 0) return seeds;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("a campaign that was killed is resumed and plays each of its seeds, none counted twice", async () => {
  const first = start("--name", "killed", "--minutes", "60", "--from", "1");
  const ended = end(first);
  await played("killed", first);
  first.kill("SIGKILL");
  await ended;
  const kept = reportOf("killed");
  expect(kept.state.begun).toBe(kept.totals.seeds + kept.state.open.length);

  const seeds = Math.max(24, kept.state.begun + 10);
  const { code, output } = await end(start("--resume", "--seeds", String(seeds), ...oneJob));
  const { totals, state, groups } = reportOf("killed");
  expect({ code, output }).toMatchObject({ code: groups.length ? 1 : 0 });
  expect([totals.seeds, state.begun, state.open]).toEqual([seeds, seeds, []]);
  expect(state.corpus.kept.length).toBeGreaterThan(10);
  expect(totals["made from a kept world"]).toBeGreaterThan(0);
  expect(state.corpus.files["core/turn/turn.ts"].reached).toContain("1");
});

test("it goes on after a violation, shrinks it, and the command in its report breaks the same promise", async () => {
  const { code, output } = await end(
    start(
      "--name",
      "bug",
      "--bug",
      "no-dedupe",
      "--with",
      '{"lostAcks":0.4}',
      "--seeds",
      "8",
      "--from",
      "1",
      "--shrink",
      "12",
      ...oneJob,
    ),
  );
  expect({ code, output }).toMatchObject({ code: 1 });
  const { totals, groups } = reportOf("bug");
  expect(totals.seeds).toBe(8);
  expect(totals["worlds that broke a promise"]).toBeGreaterThan(1);
  expect(readFileSync(join(folder, "campaigns/bug/report.md"), "utf8")).toContain(`### ${groups[0].invariant}: `);
  for (const { invariant, shrunk } of groups) {
    const { seed, with: overrides } = shrunk.world;
    const again = spawn(
      process.execPath,
      [join(main, "../../main.ts"), "--seed", String(seed), "--with", JSON.stringify(overrides), "--bug", "no-dedupe"],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    expect((await end(again)).output).toContain(`seed ${seed} broke ${invariant}: ${shrunk.what.split("\n")[0]}`);
  }
});

test("what was found with another commit and no longer fails is gone when the campaign is resumed", async () => {
  const world = { seed: 1, with: { agents: 1 } };
  const found = { invariant: "I1", cause: "# is lost", times: 3, examples: [{ world, what: "p1 is lost", size: 1 }] };
  const report = { ...reportOf("killed"), name: "mended", commits: ["an earlier one"], groups: [found] };
  mkdirSync(join(folder, "campaigns/mended"));
  writeFileSync(join(folder, "campaigns/mended/report.json"), JSON.stringify(report));
  const { code, output } = await end(start("--resume", "--name", "mended", ...oneJob));
  expect({ code, output }).toMatchObject({ code: 0 });
  const { groups, commits } = reportOf("mended");
  expect(groups).toMatchObject([{ times: 3, gone: commits[1] }]);
});

test("Ctrl-C ends it with its summary and how to go on", async () => {
  const child = start("--name", "stopped", "--minutes", "5", "--from", "1", ...oneJob);
  const ended = end(child);
  await played("stopped", child);
  child.kill("SIGINT");
  const { code, output } = await ended;
  expect(code).toBe(reportOf("stopped").groups.length ? 1 : 0);
  expect(output).toContain("go on with it: --resume --name stopped");
});
