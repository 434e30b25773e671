/** The page folds with what its build left of the core. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";
import { reduce } from "../src/core/reduce.ts";
import { canonical, emptyState } from "../src/core/state.ts";
import { decode } from "../src/store/log-line.ts";
import { newFolder } from "../test/program.ts";
import { pageDeclarations } from "./page-declarations.ts";

const root = join(import.meta.dirname, "..");

test("the core as the page has it folds a log to the same state as the whole core, and without zod", async () => {
  const entry = join(
    newFolder({
      "entry.ts": ["reduce", "state"]
        .map((name) => `export * from ${JSON.stringify(join(root, `src/core/${name}.ts`))};`)
        .join("\n"),
    }),
    "entry.ts",
  );
  const made = (await build({
    configFile: false,
    logLevel: "warn",
    plugins: [pageDeclarations()],
    build: { write: false, minify: false, lib: { entry, formats: ["es"] } },
  })) as Rolldown.RolldownOutput[];
  const [{ code }] = made[0]!.output;
  expect(code).not.toMatch(/ZodString|croner/i);
  const page: typeof import("../src/core/reduce.ts") & typeof import("../src/core/state.ts") = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  for (const log of ["v1", "v2"]) {
    const [whole, cut] = [emptyState(), page.emptyState()];
    for (const line of readFileSync(join(root, `test/golden/${log}.jsonl`), "utf8")
      .split("\n")
      .filter(Boolean)) {
      const event = decode(Buffer.from(line));
      reduce(whole, event);
      page.reduce(cut, event);
    }
    expect(whole.seq).toBeGreaterThan(100);
    expect(canonical(cut)).toEqual(canonical(whole));
  }
});
