import { expect, test } from "vitest";
import type { Offer } from "../../api/models.ts";
import { modelLines } from "./models.ts";
import type { Shell } from "./shell.ts";

const terminal = { colors: { dim: (text: string) => text }, width: () => 60 } as Shell["terminal"];
const none = { version: null, tested: false, login: null, models: [], command: null };
const programs: Offer["programs"] = [
  { ...none, name: "claude-code", title: "Claude Code", state: "ready", about: "2.1.197, logged in", remedy: null },
  {
    ...none,
    ...{ name: "codex", title: "Codex", state: "missing", about: "not installed: codex is not on the PATH" },
    remedy: "install it: npm install -g @openai/codex",
  },
  { ...none, name: "coder", title: "coder", state: "ready", about: "codex/m, named in config.yaml", remedy: null },
];
const model = { name: "a/x", provider: "a", window: 200_000, price: { input: 1, output: 5 }, usual: true };
const offer = { model: "a/x", why: "", models: [model], programs } as unknown as Offer;

test("models have their prices; a program that is not ready stands in brackets, with all of its remedy", () => {
  const lines = modelLines(offer, { terminal });
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  expect(lines[1]).toMatch(/^a\/x +\$1 +\$5 +200k +default$/);
  expect(lines).toContain("claude-code    Claude Code 2.1.197, logged in");
  expect(lines).toContain("coder          codex/m, named in config.yaml");
  const text = lines.join(" ").replace(/\s+/g, " ");
  expect(text).toContain(
    "(codex) Codex not installed: codex is not on the PATH; install it: npm install -g @openai/codex",
  );
  expect(modelLines({ ...offer, models: [], why: "no key is set" }, { terminal })[0]).toBe("No models: no key is set.");
});
