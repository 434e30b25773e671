/**
 * Seed 000, test 10, as work on a repository: a coder and a tester extend a Python package, each in a checkout of its own. They write to each other; a
 * bug is found and mended; a test that is wrong fails the check of its node and is mended; a reviewer merges both; a conflict becomes a node.
 */
import { type Cast, call, calls, ended, type Sight, type Step, sure } from "../scenarios/model.ts";
import { models } from "../scenarios/stage.ts";

const shout = `"""String utilities."""


def shout(text):
    """The text in capitals, with an exclamation mark."""
    return text.upper() + "!"
`;
const module = (body: string) =>
  `${shout}

def reverse_words(text):
    """The words of a text in the other order."""
    ${body}
`;
export const wrong = module("return text[::-1]");
export const right = module('return " ".join(reversed(text.split()))');

const testOf = (name: string, given: string, wanted: string) =>
  `
    def test_${name}(self):
        self.assertEqual(${given}, ${JSON.stringify(wanted)})
`;
const testsOf = (imported: string, ...tests: string[]) => `import unittest

from strutils import ${imported}


class StringUtilities(unittest.TestCase):${tests.join("")}`;
const shouts = testOf("shout", 'shout("hello")', "HELLO!");
const twoWords = testOf("two_words", 'reverse_words("good morning")', "morning good");
const noWord = (wanted: string) => testOf("no_word", 'reverse_words("")', wanted);
const tests = testsOf("reverse_words, shout", shouts, twoWords);
export const allTests = testsOf("reverse_words, shout", shouts, twoWords, noWord(""));
const wrongTests = testsOf("reverse_words, shout", shouts, twoWords, noWord(" "));

const readme = "# strutils\n\n- `shout`: The text in capitals, with an exclamation mark.\n";
const described = "- `reverse_words`: The words of a text in the other order.\n";
const tested = "- Tests: `make test`\n";
export const bothSides = `${readme}${described}${tested}`;

export const files = {
  "strutils.py": shout,
  "test_strutils.py": testsOf("shout", shouts),
  "README.md": readme,
  Makefile: "test:\n\t@python3 -B -m unittest -q 2>&1\n",
  ".gitignore": "__pycache__/\n",
};

const runTests = call("bash", { command: "make test" });
const wait = calls(call("check_messages", { wait: true }));
const resource = ({ all }: Sight, word: string) => new RegExp(`${word} resource ([0-9a-f]{64})`).exec(all)?.[1] ?? "";
const made = ({ result }: Sight) => (JSON.parse(result("resource_create")) as { id: string }).id;
const write = (path: string, content: string) => call("write_file", { path, content });
const shared = (content: string) =>
  calls(write("strutils.py", content), call("resource_create", { title: "strutils.py", content }));
const publish = (summary: string) => call("publish", { summary });

/** Whoever is given the conflict keeps what both sides wanted. */
const resolve: Step[] = [
  {
    when: ({ all }) => /\bn4-\S+: Resolve the conflicts/.test(all),
    otherwise: { text: "Noted." },
    does: calls(call("read_file", { path: "README.md" })),
  },
  ({ result }) => {
    const lines = result("read_file").split("\n");
    const kept = lines.filter((line) => !/^(<{7}|={7}|>{7})/.test(line)).join("\n");
    return calls(write("README.md", `${kept.trimEnd()}\n`), runTests);
  },
  sure(runTests, calls(publish("Both lines of the README are kept."))),
];

const waitForConflict = calls(call("wait_for_nodes", { node_ids: ["n4"] }));

export const cast = (): Cast => ({
  coordinator: [
    calls(
      call("spawn_worker", { name: "Cody", role: "writes the module", model: models.anthropic }),
      call("spawn_worker", { name: "Tess", role: "writes the tests", model: models.openai }),
      call("spawn_worker", { name: "Rita", role: "reviews and merges", model: models.google }),
      call("create_work_node", {
        name: "Module",
        task: "Add reverse_words to strutils.py and describe it in README.md. Tess tests it: tell her.",
        worker: "Cody",
        checks: [{ tests: true }],
      }),
      call("create_work_node", {
        name: "Tests",
        task: "Write tests for reverse_words, which Cody writes, and say in README.md how they are run.",
        worker: "Tess",
        checks: [{ tests: true }],
      }),
      call("create_work_node", {
        name: "Review",
        task: "Read what Module and Tests changed and merge what is right.",
        worker: "Rita",
        depends_on: ["n1", "n2"],
        workspace: "scratch",
      }),
      call("wait_for_nodes"),
    ),
    {
      when: (sight) => ended(sight) >= 3,
      otherwise: calls(call("wait_for_nodes")),
      does: waitForConflict,
    },
    { when: (sight) => ended(sight) >= 4, otherwise: waitForConflict, does: calls(call("merge", { node: "n4" })) },
    calls(
      call("finish", {
        summary: "reverse_words, its tests and its description are merged.",
        checks: [{ tests: true }],
      }),
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
      does: calls(write("README.md", `${readme}${described}`), publish("reverse_words(), in strutils.py.")),
    },
    ...resolve,
  ],
  tess: [
    {
      when: (sight) => resource(sight, "is") !== "",
      otherwise: wait,
      does: (sight) => calls(call("resource_read", { id: resource(sight, "is") })),
    },
    ({ result }) => calls(write("strutils.py", result("resource_read")), write("test_strutils.py", tests), runTests),
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
    ({ result }) => calls(write("strutils.py", result("resource_read")), runTests),
    sure(runTests, ({ result }) =>
      calls(
        call("send_message", {
          to: "Cody",
          content: /^OK$/m.test(result("bash")) ? "All tests pass." : "Still wrong.",
        }),
        // One more, and never tried: the check of the node finds it.
        write("test_strutils.py", wrongTests),
        write("README.md", `${readme}${tested}`),
        publish("Two tests, in test_strutils.py."),
      ),
    ),
    ({ result }) =>
      calls(
        write("test_strutils.py", result("publish").includes("test_no_word") ? allTests : tests),
        publish("Two tests, in test_strutils.py; they pass."),
      ),
    ...resolve,
  ],
  rita: [
    calls(
      call("read_file", { path: "published/n1-module/changes.patch" }),
      call("read_file", { path: "published/n2-tests/changes.patch" }),
    ),
    ({ lines }) => {
      const patches = lines.flatMap((line) => (line.by === "tool" && line.tool === "read_file" ? [line.text] : []));
      const isRight = (patch: string) => patch.includes("diff --git a/strutils.py") && !patch.includes("[::-1]");
      return calls(
        ...["n1", "n2"].filter((_, at) => isRight(patches[at] ?? "")).map((node) => call("merge", { node })),
      );
    },
    ({ result }) =>
      calls(write("review.md", `${result("merge")}\n`), publish("n1 is merged; n2 conflicts in README.md.")),
  ],
});
