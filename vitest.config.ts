import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Texts of megabytes, in a process as one is after weeks: when it has compiled many patterns V8 compiles further ones without optimizing them, and one
 * that repeats without an end then fills its stack on a long text.
 */
const old = ["test/bad-calls.test.ts", "src/guard/secrets.test.ts", "src/backend/tokens.test.ts"];

/**
 * Vitest runs the longest files first if it knows how long they took, and otherwise the largest, one project after the other by their names. Without
 * such knowledge a small file that starts many programs would be the last, and one worker alone with it. Files beside the code take no time.
 */
class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const place = ({ project, moduleId }: TestSpecification) =>
      projects.indexOf(project) + (moduleId.startsWith(`${import.meta.dirname}/src/`) ? 0.5 : 0);
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["dot"] : ["default"],
    // Only a test that is stuck takes so long, however busy the machine is. No test names a shorter time: waiting longer costs nobody anything.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    sequence: { sequencer: ProgramsFirst },
    // Half of the time is waiting: for browsers, daemons, killed processes.
    maxWorkers: availableParallelism() + 2,
    // The browser's are the longest files, and first by their name.
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: [
            "src/**/*.test.{ts,tsx}",
            "sim/**/*.test.ts",
            "test/**/*.test.ts",
            "scripts/**/*.test.ts",
            "mutation/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
          exclude: [...old, "test/web/**"],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/web/**/*.test.ts"],
          isolate: false,
          globalSetup: ["test/web/build.ts"],
        },
      },
      { extends: true, test: { name: "old", include: old, execArgv: ["--no-regexp-optimization"], isolate: false } },
    ],
  },
});
