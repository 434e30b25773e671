import fc from "fast-check";
import { expect, test } from "vitest";
import { expectProportional } from "../growth.test-help.ts";
import { sectionsOf } from "./sections.ts";

const words = (text: string) => text.split(/\s+/).filter(Boolean);

test("every heading begins a section, and knows what it is under", () => {
  const text = "intro\n\n# Deploy\nhow\n## Rollback\nback\n### Fast\nvery\n## Check\nlook\n# Other\nend\n";
  expect(sectionsOf(text)).toEqual([
    { heading: "", text: "intro" },
    { heading: "Deploy", text: "# Deploy\nhow" },
    { heading: "Deploy › Rollback", text: "## Rollback\nback" },
    { heading: "Deploy › Rollback › Fast", text: "### Fast\nvery" },
    { heading: "Deploy › Check", text: "## Check\nlook" },
    { heading: "Other", text: "# Other\nend" },
  ]);
});

test("a title without text goes with the first section below it", () => {
  expect(sectionsOf("# 2026-11-15\n\n## 09:30\n\nfirst\n\n## 10:00\n\nsecond\n")).toEqual([
    { heading: "2026-11-15 › 09:30", text: "# 2026-11-15\n\n## 09:30\n\nfirst" },
    { heading: "2026-11-15 › 10:00", text: "## 10:00\n\nsecond" },
  ]);
});

test("a heading in a code fence is none", () => {
  expect(sectionsOf("# Shell\n```sh\n# a comment\n```\nafter\n").map((one) => one.heading)).toEqual(["Shell"]);
});

test("a long section is cut between paragraphs and keeps its heading", () => {
  const paragraph = `${"word ".repeat(100).trim()}.`;
  const found = sectionsOf(`# Long\n\n${Array(8).fill(paragraph).join("\n\n")}\n`);
  expect(found.length).toBeGreaterThan(1);
  for (const { heading, text } of found) {
    expect(heading).toBe("Long");
    expect(text.length).toBeLessThanOrEqual(1600);
    expect(text).toMatch(/\.$/);
  }
});

test("whatever the text, its words come back in order", () => {
  const line = fc.oneof(
    fc.constantFrom("", "# A", "## B b", "```", "~~~~", "####### no", "   ", "x".repeat(900), "#nospace"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const text = lines.join("\n");
      expect(
        words(
          sectionsOf(text)
            .map((one) => one.text)
            .join("\n"),
        ),
      ).toEqual(words(text));
    }),
  );
});

test.each(["\n", "# a          ", " "])(
  "a text that is %j again and again takes time in proportion to its length",
  (piece) => {
    expectProportional(20_000, (size) => sectionsOf(`a${piece.repeat(size / piece.length)}b`));
  },
);
