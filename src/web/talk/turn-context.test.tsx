import { expect, test } from "vitest";
import { draw } from "../draw.test-help.tsx";
import { ContextParts } from "./turn-context.tsx";

const part = { source: "memory/", why: "it matches", value: "task", tokens: 1_200 } as const;

test("a turn's parts are shown with tokens and source, what was left out by name, and each tool with its reason", async () => {
  const page = await draw(
    <ContextParts
      context={{
        ...{ turn: "ada.3", participant: "ada", at: "2026-01-01T00:00:00.000Z", tokens: 5_300, budget: 16_000 },
        parts: [
          { ...part, name: "memory" },
          { ...part, name: "skills", source: "skills/", brief: true },
        ],
        left_out: [{ ...part, name: "refs", source: "published/" }],
        tools: [
          { name: "publish", why: "always" },
          { name: "schedule", why: "there is a trigger" },
        ],
        further: ["vote", "todo"],
      }}
    />,
  );
  const text = page.replace(/<[^>]*>/g, "");
  expect(text).toContain("ada.3: 5.3k tokens, 2 tools");
  expect(text).toContain("1.2k · memory/");
  expect(text).toContain("skills/, in brief");
  expect(text).toContain("Left out for lack of room: published/ (1.2k)");
  expect(text).toContain("publish, schedule (there is a trigger). 2 more tools one call away.");
});
