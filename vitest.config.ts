import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "sim/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
    isolate: false,
    reporters: process.env.CI ? ["dot"] : ["default"],
    testTimeout: 20_000,
  },
});
