/** Seed 000, test 1: one agent searches, writes down what it found, and answers. */
import { expect } from "vitest";
import { done, of, statuses } from "./log.ts";
import { call, calls } from "./model.ts";
import { play } from "./play.ts";
import { began, turned } from "./stage.ts";

play({
  number: 1,
  title: "one agent searches, writes and answers",
  setting: {
    articles: { languages: "The top programming languages of 2026 are Python, TypeScript and Rust, says the index." },
    cast: () => ({
      coordinator: [
        calls(call("web_search", { query: "top programming languages 2026" })),
        ({ result }) => {
          const [, names = "nobody knows"] = /are ([\w, ]+), says/.exec(result("web_search")) ?? [];
          return calls(call("write_file", { path: "research.md", content: `# Languages\n\n${names}\n` }));
        },
        calls(call("read_file", { path: "research.md" })),
        ({ result }) => {
          const names = result("read_file").split("\n")[2];
          return calls(call("finish", { summary: `The top 3 programming languages in 2026 are ${names}.` }));
        },
      ],
    }),
  },
  check(stage) {
    const all = stage.events();
    expect(statuses(all)).toEqual(["idle", "working", "completed"]);
    const { answer, published } = stage.outcome();
    expect(published).toEqual({ "published/research.md": "# Languages\n\nPython, TypeScript and Rust\n" });
    expect(answer).toBe("The top 3 programming languages in 2026 are Python, TypeScript and Rust.\n");
    expect(stage.web.hits).toEqual(["/search?q=top+programming+languages+2026&format=json"]);
    // The full trace, in the log: every answer and every result.
    expect(of(all, "turn.answered")).toHaveLength(4);
    expect(done(all).map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      "web_search ok",
      "write_file ok",
      "read_file ok",
      "finish ok",
    ]);
    expect(stage.team.asked.map(({ format }) => format)).toEqual(Array(4).fill("anthropic"));
    expect(Date.parse(all.at(-1)!.ts) - Date.parse(all[0]!.ts)).toBeLessThan(60_000);
  },
  killed: {
    title: "killed while it searches and before it answers, it ends with the same",
    moments: () => [began("coordinator", "web_search"), turned("coordinator", 3)],
  },
});
