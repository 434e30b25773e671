import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.{ts,tsx}", "sim/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
    isolate: false,
    reporters: process.env.CI ? ["dot"] : ["default"],
    testTimeout: 20_000,
  },
});
