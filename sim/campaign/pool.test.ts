import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createPool } from "./pool.ts";

const folder = mkdtempSync(join(tmpdir(), "agiraph-pool-"));
const pool = createPool({
  jobs: 2,
  args: [join(folder, "once")],
  patienceMs: 3_000,
  program: new URL("./worker.test-help.ts", import.meta.url),
});
afterAll(() => {
  pool.close();
  rmSync(folder, { recursive: true });
});

test("every world has a result, although some never end or take their process along", async () => {
  const seeds = Array.from({ length: 24 }, (_, index) => index + 1);
  const played = await Promise.all(seeds.map((seed) => pool.play({ seed, with: {} })));
  const broken = played.flatMap(({ violations }, index) => violations.map((each) => ({ seed: seeds[index], ...each })));
  expect(broken).toEqual([
    { seed: 2, invariant: "hang", what: "did not end within 3 s" },
    { seed: 3, invariant: "died", what: "exit code 1: TypeError: it broke at n3" },
  ]);
  expect(played.map(({ events }) => events)).toEqual(seeds.map((seed) => ([2, 3].includes(seed) ? 0 : seed)));
  expect(pool.lost).toEqual([{ seed: 4, with: {} }]);
});
