import { expect, test } from "vitest";
import { tools } from "../tool/index.ts";
import { spawnWorker } from "../tool/spawn-worker.ts";
import { keepers } from "./scope.ts";

const names = new Set(tools.map(({ name }) => name));

test.each(Object.entries(keepers))("how %s is changed names only tools that there are", (_path, words) => {
  const named = [...words.matchAll(/\b[a-z]+_[a-z_]+\b|\b\w+(?= (?:changes|writes) it\b)|\bown tools\b/g)].map(
    ([word]) => word,
  );
  for (const name of named) expect(names).toContain(name);
});

test("a coordinator is told that it chooses among the programs that its user allows", () => {
  expect(spawnWorker.guidance).toMatch(/autonomous: .*agent_command one that your user allows/);
});
