import { expect, test } from "vitest";
import { driverOf, isProgramDriver } from "./driver.ts";

test.each([
  ["anthropic/claude-opus-5", { by: "model", model: "anthropic/claude-opus-5" }],
  ["openrouter/codex/mini", { by: "model", model: "openrouter/codex/mini" }],
  ["smart", { by: "model", model: "smart" }],
  ["", { by: "model", model: "" }],
  ["claude-code", { by: "cli", cli: "claude-code" }],
  ["claude-code/", { by: "cli", cli: "claude-code" }],
  [" codex/gpt-6 ", { by: "cli", cli: "codex", model: "gpt-6" }],
  ["opencode/anthropic/claude-opus-5", { by: "cli", cli: "opencode", model: "anthropic/claude-opus-5" }],
  ["acp: goose acp", { by: "acp", command: "goose acp" }],
  ["command:make\nall", { by: "command", command: "make\nall" }],
  ["command:", { by: "model", model: "command:" }],
  ["scripted/demo", { by: "scripted", name: "demo" }],
  ["scripted", { by: "model", model: "scripted" }],
  ["recorded/a1", { by: "recorded", name: "a1" }],
])("%j", (name, driver) => {
  expect(driverOf(name)).toEqual(driver);
  expect(isProgramDriver(driverOf(name))).toBe(["cli", "acp", "command"].includes(driver.by));
});
