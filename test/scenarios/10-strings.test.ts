/** Seed 000, test 10: coder, tester and writer, each with another provider, come to a result by writing to each other. */
import { expect } from "vitest";
import { done } from "./log.ts";
import { type Cast, call, calls, ended, type Sight, sure } from "./model.ts";
import { play } from "./play.ts";
import { began, happened, models } from "./stage.ts";

const module = (body: string) =>
  `def reverse_words(text):\n    """The words of a text in the other order."""\n    ${body}\n`;
const wrong = module("return text[::-1]");
const right = module('return " ".join(reversed(text.split()))');
const tests = `import unittest

from strutils import reverse_words


class ReverseWords(unittest.TestCase):
    def test_two_words(self):
        self.assertEqual(reverse_words("good morning"), "morning good")
`;
const runTests = call("bash", { command: "python3 -B -m unittest test_strutils 2>&1" });
const wait = calls(call("check_messages", { wait: true }));
/** The id of what the last message speaks of. */
const resource = ({ all }: Sight, word: string) => new RegExp(`${word} resource ([0-9a-f]{64})`).exec(all)?.[1] ?? "";
const made = ({ result }: Sight) => (JSON.parse(result("resource_create")) as { id: string }).id;
const shared = (content: string) =>
  calls(
    call("write_file", { path: "strutils.py", content }),
    call("resource_create", { title: "strutils.py", content }),
  );

const cast = (): Cast => ({
  coordinator: [
    calls(
      call("spawn_worker", { name: "Cody", role: "writes the module", model: models.anthropic }),
      call("spawn_worker", { name: "Tess", role: "writes the tests", model: models.openai }),
      call("spawn_worker", { name: "Dora", role: "writes the documentation", model: models.google }),
      call("create_work_node", { name: "Module", task: "Write strutils.py. Tess tests it: tell her.", worker: "Cody" }),
      call("create_work_node", {
        name: "Tests",
        task: "Write tests for strutils.py, which Cody writes.",
        worker: "Tess",
      }),
      call("create_work_node", {
        name: "Docs",
        task: "Write the README of the package.",
        refs: { module: "n1-module/strutils.py", tests: "n2-tests/test_strutils.py" },
        worker: "Dora",
      }),
      call("wait_for_nodes"),
    ),
    {
      when: (sight) => ended(sight) >= 3,
      otherwise: calls(call("wait_for_nodes")),
      does: calls(
        call("read_file", { path: "published/n1-module/strutils.py" }),
        call("read_file", { path: "published/n2-tests/test_strutils.py" }),
        call("read_file", { path: "published/n3-docs/README.md" }),
      ),
    },
    ({ lines }) => {
      const [code = "", test = "", readme = ""] = lines.flatMap((line) =>
        line.by === "tool" && line.tool === "read_file" ? [line.text] : [],
      );
      return calls(
        call("write_file", { path: "strutils.py", content: code }),
        call("write_file", { path: "test_strutils.py", content: test }),
        call("write_file", { path: "README.md", content: readme }),
      );
    },
    calls(runTests),
    sure(runTests, ({ result }) =>
      calls(
        call("finish", { summary: `Module, tests and README. ${result("bash").includes("OK") ? "All pass." : "?"}` }),
      ),
    ),
  ],
  cody: [
    shared(wrong),
    (sight) =>
      calls(call("send_message", { to: "Tess", content: `The module is resource ${made(sight)}.` }), ...wait.calls!),
    { when: ({ all }) => all.includes("Found a bug in reverse_words()"), otherwise: wait, does: shared(right) },
    (sight) =>
      calls(call("send_message", { to: "Tess", content: `Mended: see resource ${made(sight)}.` }), ...wait.calls!),
    {
      when: ({ all }) => all.includes("All tests pass"),
      otherwise: wait,
      does: calls(call("publish", { summary: "reverse_words(), in strutils.py." })),
    },
  ],
  tess: [
    {
      when: (sight) => resource(sight, "is") !== "",
      otherwise: wait,
      does: (sight) => calls(call("resource_read", { id: resource(sight, "is") })),
    },
    ({ result }) =>
      calls(
        call("write_file", { path: "strutils.py", content: result("resource_read") }),
        call("write_file", { path: "test_strutils.py", content: tests }),
        runTests,
      ),
    sure(runTests, ({ result }) =>
      calls(
        call("send_message", {
          to: "Cody",
          content: `Found a bug in reverse_words(): ${/AssertionError: (.*)/.exec(result("bash"))?.[1]}`,
        }),
        ...wait.calls!,
      ),
    ),
    {
      when: (sight) => resource(sight, "see") !== "",
      otherwise: wait,
      does: (sight) => calls(call("resource_read", { id: resource(sight, "see") })),
    },
    ({ result }) => calls(call("write_file", { path: "strutils.py", content: result("resource_read") }), runTests),
    sure(runTests, ({ result }) =>
      calls(
        call("send_message", {
          to: "Cody",
          content: result("bash").includes("OK") ? "All tests pass." : "Still wrong.",
        }),
        call("publish", { summary: "One test, in test_strutils.py; it passes." }),
      ),
    ),
  ],
  dora: [
    calls(call("read_ref", { ref_name: "module" }), call("read_ref", { ref_name: "tests" })),
    ({ all }) => {
      const [, name = "?", about = "?"] = /def (\w+)\(text\):\n\s+"""(.*)"""/.exec(all) ?? [];
      const readme = `# strutils\n\n- \`${name}\`: ${about}\n\nTests: \`python3 -m unittest\`\n`;
      return calls(call("write_file", { path: "README.md", content: readme }));
    },
    calls(call("publish", { summary: "README.md" })),
  ],
});

play({
  number: 10,
  sandbox: true,
  title: "coder and tester mend a module by writing to each other, and a third describes it",
  setting: { cast },
  check(stage) {
    const { answer, published, messages } = stage.outcome();
    // The team tried it, but no check was asked for: the answer says that it is claimed.
    expect(answer).toBe(`Module, tests and README. All pass.

---
Evidence: claimed

Claimed only:
- n1-module: reverse_words(), in strutils.py. (no checks)
- n2-tests: One test, in test_strutils.py; it passes. (no checks)
- n3-docs: README.md (no checks)
`);
    expect(published["published/strutils.py"]).toBe(right);
    expect(published["published/test_strutils.py"]).toContain("from strutils import reverse_words");
    expect(published["published/README.md"]).toContain("`reverse_words`: The words of a text in the other order.");
    expect(messages).toEqual([
      expect.stringMatching(/^cody → tess: Mended: see resource /),
      expect.stringMatching(/^cody → tess: The module is resource /),
      "tess → cody: All tests pass.",
      "tess → cody: Found a bug in reverse_words(): 'gninrom doog' != 'morning good'",
    ]);
    const ran = done(stage.events()).filter(({ by, tool }) => by === "tess" && tool === "bash");
    expect(ran.map(({ result }) => /\[exit code (\d)/.exec(result)?.[1])).toEqual(["1", "0"]);
    expect(new Set(stage.team.asked.map(({ who, format }) => `${who} ${format}`))).toEqual(
      new Set(["coordinator anthropic", "cody anthropic", "tess openai", "dora google"]),
    );
  },
  killed: {
    title:
      "killed when the bug is reported and while the tests run again, every message is sent once and the result is the same",
    moments: () => [happened("message.posted", 2), began("tess", "bash", 2)],
  },
});
