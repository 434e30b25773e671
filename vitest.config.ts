import { defineConfig } from "vitest/config";

/** In a process that has run many other tests before, its 5 MB of arguments sometimes wait for ever, and never otherwise; not explained yet. */
const apart = ["test/bad-calls.test.ts"];

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["dot"] : ["default"],
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: ["src/**/*.test.{ts,tsx}", "sim/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: apart,
          isolate: false,
        },
      },
      { extends: true, test: { name: "apart", include: apart, isolate: true } },
    ],
  },
});
