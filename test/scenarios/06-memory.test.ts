/** Seed 000, test 6: what the agent learned in its first run it finds in its memory in the second, and does not look for it again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { done, tree } from "./log.ts";
import { call, calls, follow, type Step } from "./model.ts";
import { play } from "./play.ts";
import { began, type Match, type Stage } from "./stage.ts";

const second = "Write an async web scraper in Python.";

const research: Step[] = [
  calls(call("web_search", { query: "Python async patterns" })),
  ({ result }) => calls(call("web_fetch", { url: /http\S+/.exec(result("web_search"))![0] })),
  ({ result, all }) => {
    const [lesson = "nothing"] = /A semaphore of \d+ bounds/.exec(result("web_fetch")) ?? [];
    const [, today = ""] = /It is (\d{4}-\d\d-\d\d)/.exec(all) ?? [];
    const note = `# Python async patterns\n\n## Many requests\n\n${lesson} how many requests run at once with asyncio.gather.\n`;
    return calls(
      call("memory_write", { path: "knowledge/python-asyncio.md", content: note }),
      call("memory_write", { path: "MEMORY.md", content: "Python async: see knowledge/python-asyncio.md\n" }),
      call("memory_write", { path: `${today}.md`, content: "Read about asyncio today." }),
    );
  },
  calls(call("finish", { summary: "It is in my memory." })),
];

const scraper: Step[] = [
  calls(call("memory_search", { query: "python async" })),
  ({ result }) => {
    const [, most = "?"] = /semaphore of (\d+)/.exec(result("memory_search")) ?? [];
    const code = `import asyncio\n\nlimit = asyncio.Semaphore(${most})\n`;
    return calls(call("write_file", { path: "scraper.py", content: code }));
  },
  calls(call("finish", { summary: "The scraper is in scraper.py; it asks no more at once than my notes say." })),
];

/** The second goal, given to the same agent; killed at this moment and told to go on, if there is one. */
async function next(stage: Stage, moment?: Match): Promise<void> {
  let life = stage.program("again", stage.agent, second);
  if (moment) {
    await stage.until(moment, life);
    life.child.kill("SIGKILL");
    await life.ended;
    life = stage.program("resume", stage.agent);
  }
  const { code, err } = await life.ended;
  expect([code, err]).toEqual([0, ""]);
}

play({
  number: 6,
  title: "what was learned in one run is found and used in the next",
  setting: {
    articles: { asyncio: "Python async patterns: A semaphore of 7 bounds how much happens at once." },
    cast: () => ({ coordinator: (sight) => follow(sight.system.includes(second) ? scraper : research, sight) }),
  },
  async act(stage) {
    await stage.live();
    await next(stage);
  },
  same: (stage) => [stage.outcome("r1"), stage.outcome("r2")],
  check(stage) {
    const memory = join(stage.home, "agents", stage.agent, "memory");
    expect(readFileSync(join(memory, "knowledge/python-asyncio.md"), "utf8")).toContain("A semaphore of 7 bounds");
    expect(stage.outcome("r1").answer).toBe("It is in my memory.\n");
    expect(stage.outcome("r2").published).toEqual({
      "published/scraper.py": "import asyncio\n\nlimit = asyncio.Semaphore(7)\n",
    });
    // What is always known and today's log are there before it asks for anything; as data, because a page of the web was read before they were written.
    const first = stage.team.asked.find(({ system }) => system.includes(second))!;
    for (const note of ["Python async: see knowledge/python-asyncio.md", "Read about asyncio today."]) {
      expect(first.all).toContain(note);
      expect(first.system).not.toContain(note);
    }
    expect(first.lines.filter(({ by }) => by === "me")).toEqual([]);
    // Nothing was looked up again.
    const used = done(stage.events().filter(({ run }) => run === "r2")).map(({ tool }) => tool);
    expect(used).toEqual(["memory_search", "write_file", "finish"]);
    expect(stage.web.hits).toHaveLength(2);
  },
  killed: {
    title: "killed while it writes its memory and while it searches it, it ends with the same",
    moments: () => [],
    async act(stage) {
      await stage.live([began("coordinator", "memory_write")]);
      await next(stage, began("coordinator", "memory_search"));
      const log = Object.entries(tree(join(stage.home, "agents", stage.agent, "memory"))).find(([path]) =>
        /^\d{4}-/.test(path),
      );
      expect(log![1].match(/Read about asyncio today\./g)).toHaveLength(1);
    },
  },
});
