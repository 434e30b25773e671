import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Texts of megabytes, in a process as one is after weeks: when it has compiled many patterns V8 compiles further ones without optimizing them, and one
 * that repeats without an end then fills its stack on a long text.
 */
const old = ["test/bad-calls.test.ts", "src/guard/secrets.test.ts", "src/backend/tokens.test.ts"];

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["dot"] : ["default"],
    // Only whoever is stuck comes to it, also where others work beside us.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Half of the time is waiting: for browsers, daemons, killed processes.
    maxWorkers: availableParallelism() + 1,
    // They run in the order of their names. The browser's are the longest files: begun first, only short ones are left when one worker has no more to do.
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
          expect: { poll: { timeout: 40_000 } },
        },
      },
      { extends: true, test: { name: "old", include: old, execArgv: ["--no-regexp-optimization"], isolate: false } },
    ],
  },
});
