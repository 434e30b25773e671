import { expect, test } from "vitest";
import { parse } from "yaml";
import { addHost } from "./config-edit.ts";

const cases: [before: string, after: string][] = [
  ["", 'sandbox:\n  network: ["pypi.org"]\n'],
  ["model: a/b   # mine", 'model: a/b   # mine\nsandbox:\n  network: ["pypi.org"]\n'],
  [
    "# top\nsandbox:\n  bash: required      # keep it\n  network: []         # hosts\nmodel: x/y\n",
    '# top\nsandbox:\n  bash: required      # keep it\n  network: ["pypi.org"]         # hosts\nmodel: x/y\n',
  ],
  ["sandbox: { network: [a.example] }\n", 'sandbox: { network: [a.example, "pypi.org"] }\n'],
  ["sandbox: { bash: required }\n", 'sandbox: { network: ["pypi.org"], bash: required }\n'],
  [
    "sandbox:\n  network:\n    - a.example # one\n    - b.example\n\n# the end\n",
    'sandbox:\n  network:\n    - a.example # one\n    - b.example\n    - "pypi.org"\n\n# the end\n',
  ],
  ["sandbox:\n  network:\n  - a.example", 'sandbox:\n  network:\n  - a.example\n  - "pypi.org"'],
  ["sandbox:\n  network: packages\n", 'sandbox:\n  network: ["packages", "pypi.org"]\n'],
  [
    "sandbox:\n  # nothing yet\n  bash: required\n",
    'sandbox:\n  # nothing yet\n  network: ["pypi.org"]\n  bash: required\n',
  ],
  [
    "sandbox:\n  network: [ # several\n    a.example, # last\n  ]\n",
    'sandbox:\n  network: [ # several\n    a.example, "pypi.org", # last\n  ]\n',
  ],
];

test.each(cases)("%j: the host is added, and everything else stays as it was written", (before, after) => {
  expect(addHost(before, "pypi.org")).toBe(after);
  expect(addHost(after, "pypi.org")).toBe(after); // it is there
  expect(parse(after).sandbox.network).toContain("pypi.org");
});

test("what it cannot change in place it refuses, and says what to do", () => {
  expect(() => addHost("a: [", "pypi.org")).toThrow("it is not valid YAML; add it to sandbox.network yourself");
  const linked = "hosts: &h [a.example]\nsandbox: { network: *h }\n";
  expect(() => addHost(linked, "pypi.org")).toThrow("in a way that Agiraph does not change");
});
