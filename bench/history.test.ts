import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHistory } from "./history.ts";
import { replay } from "./replay.ts";

test("a history can be folded, and opened from its snapshot, without anything missing or left to do", async () => {
  const root = mkdtempSync(join(tmpdir(), "agiraph-history-"));
  let made = 0;
  try {
    const figures = await replay.run({ folder: (name) => join(root, `${++made}-${name}`), size: 0.002 });
    expect(figures.map(({ name, value }) => [name, value > 0])).toEqual([
      ["replay.fold", true],
      ["replay.open", true],
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("every run of a history has its own numbers", async () => {
  const home = mkdtempSync(join(tmpdir(), "agiraph-history-"));
  try {
    const { path, extend } = await createHistory(home);
    const last = extend(600, 0);
    const events = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(new Set(events.flatMap(({ run }) => run ?? [])).size).toBeGreaterThan(1);
    const posted = events.filter(({ type }) => type === "message.posted").map(({ data }) => data.message);
    expect(new Set(posted).size).toBe(posted.length);
  } finally {
    rmSync(home, { recursive: true });
  }
});
