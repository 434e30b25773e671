/** Seed 000, test 9: an agent without an end looks at a page in cycles, adds what is new, and stops when it is told to. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { done, of, runRoot, statuses, tree } from "./log.ts";
import { call, calls, type Sight } from "./model.ts";
import { play } from "./play.ts";
import { began, happened, type Match, type Stage } from "./stage.ts";
import type { Answer } from "./wire.ts";

const cycles = 3;
/** What the front page shows in a cycle: all that it showed before, and something new until the last. */
const front = (cycle: number): string[] =>
  Array.from({ length: Math.min(cycle, cycles) }, (_, n) => [
    `AI model ${n + 1} is out`,
    `Gardening tip ${n + 1}`,
  ]).flat();

/** One cycle: look at what was reported and at the page; add what is new, note it, rest. */
function monitor({ url }: { url: string }, sight: Sight): Answer {
  const last = sight.lines.findLast((line) => line.by !== "them");
  const look = [call("list_files"), call("web_fetch", { url: `${url}/news` })];
  // A heartbeat is for what changes in here; a page outside is looked at by the clock.
  const clock = { cron: "* * * * * *" };
  if (!last) return calls(call("schedule", { type: "scheduled", config: clock, action: "Look at the news." }), ...look);
  if (last.by === "tool" && last.tool === "web_fetch") {
    const there = sight.lines.findLast((line) => line.by === "tool" && line.tool === "list_files")!.text;
    return there.includes("hn_summary.md") ? calls(call("read_file", { path: "hn_summary.md" })) : report(sight, "");
  }
  if (last.by === "tool" && last.tool === "read_file") return report(sight, last.text);
  return calls(...look);
}

function report(sight: Sight, before: string): Answer {
  const posts = [...sight.result("web_fetch").matchAll(/AI model \d+ is out/g)].map(([post]) => post);
  const fresh = posts.filter((post) => !before.includes(post));
  if (!fresh.length) return calls(call("decline", { reason: "Nothing new." }));
  const [, today = ""] = /It is (\d{4}-\d\d-\d\d)/.exec(sight.all) ?? [];
  return calls(
    call("write_file", { path: "hn_summary.md", content: before + fresh.map((post) => `- ${post}\n`).join("") }),
    call("memory_write", { path: `${today}.md`, content: `Reported: ${fresh.join(", ")}` }),
    call("checkpoint", { summary: `${fresh.length} new` }),
  );
}

/** Runs until the cycles are over, then asks it to stop: Ctrl-C in the terminal, and over the API for good. */
async function watch(stage: Stage, moments: Match[] = []): Promise<void> {
  stage.web.front = () => front(1 + of(stage.events(), "run.checkpointed").length);
  let life = stage.program(...stage.example.args);
  for (const moment of moments) {
    await stage.until(moment, life);
    life.child.kill("SIGKILL");
    await life.ended;
    life = stage.program("resume", stage.agent);
  }
  await stage.until(happened("run.checkpointed", cycles), life);
  life.child.kill("SIGINT");
  const { code, out } = await life.ended;
  expect(code).toBe(130);
  expect(out).toContain("Paused at event");
  const person = await stage.person();
  await person.send({ type: "agent.stop" });
  await person.leave();
}

const summary = (stage: Stage) => readFileSync(join(runRoot(stage.home, stage.agent), "scratch/hn_summary.md"), "utf8");
const notes = (stage: Stage) =>
  Object.entries(tree(join(stage.home, "agents", stage.agent, "memory"))).flatMap(([path, text]) =>
    /^\d{4}-/.test(path) ? [...text.matchAll(/Reported: .*/g)].map(([line]) => line) : [],
  );

play({
  number: 9,
  title: "three cycles, each with what is new, and a clean stop",
  setting: {
    config: { limits: { shortest_interval_seconds: 0.5 } },
    cast: (web) => ({ coordinator: (sight) => monitor(web, sight) }),
  },
  act: (stage) => watch(stage),
  same: (stage) => [summary(stage), notes(stage)],
  check(stage) {
    const all = stage.events();
    expect(of(all, "agent.created")[0]!.data.mode).toBe("infinite");
    expect(of(all, "run.checkpointed")).toHaveLength(cycles);
    // Each cycle wrote, and no post was reported twice.
    const wrote = done(all).filter(({ tool }) => tool === "write_file");
    expect(wrote.map(({ input }) => String(input.content).trim().split("\n").length)).toEqual([1, 2, 3]);
    expect(summary(stage)).toBe("- AI model 1 is out\n- AI model 2 is out\n- AI model 3 is out\n");
    expect(notes(stage)).toEqual([1, 2, 3].map((n) => `Reported: AI model ${n} is out`));
    expect(statuses(all).slice(-2)).toEqual(["paused", "stopped"]);
    // Between the cycles nobody was asked anything. On a slow machine the next one may be due before the last has ended.
    const ends = of(all, "run.checkpointed").map(({ seq }) => seq);
    const fired = of(all, "trigger.fired").map(({ seq }) => seq);
    const rests = ends.filter(
      (end, nth) => nth < cycles - 1 && !fired.some((at) => at > (ends[nth - 1] ?? 0) && at < end),
    );
    expect(statuses(all).filter((status) => status === "idle").length).toBeGreaterThanOrEqual(rests.length);
    // What begins a cycle: the turn after a checkpoint shows a firing that no turn before it has shown.
    const turns = of(all, "turn.started");
    const firings = [...of(all, "trigger.fired"), ...of(all, "trigger.missed")];
    for (const { seq } of of(all, "run.checkpointed").slice(0, -1)) {
      const before = turns.findLast((turn) => turn.seq < seq)!.data.upto;
      const next = turns.find((turn) => turn.seq > seq)!.data.upto;
      expect(firings.some((firing) => firing.seq > before && firing.seq <= next)).toBe(true);
    }
    // Ctrl-C may come between the start of one more turn and its call.
    expect([stage.team.asked.length, stage.team.asked.length + 1]).toContain(turns.length);
  },
  killed: {
    title: "killed while it looks and while it writes, it reports every post once",
    moments: () => [],
    act: (stage) => watch(stage, [began("coordinator", "web_fetch", 2), began("coordinator", "memory_write", 2)]),
  },
});
