import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unreachable } from "./host.ts";
import { expandHosts, registries, subjectOf } from "./registries.ts";

test("the hosts of the preset are those that the docs list", () => {
  const text = readFileSync(new URL("../../../docs/safety.md", import.meta.url), "utf8");
  for (const [name, hosts] of Object.entries(registries))
    expect(text).toContain(`| ${name} | ${hosts.map((host) => `\`${host}\``).join(", ")} |`);
});

test("a list with the preset means its hosts and the others; an answer about one of them is about all", () => {
  expect(expandHosts(["a.example", "packages"])).toEqual(["a.example", ...Object.values(registries).flat()]);
  expect(subjectOf("pypi.org")).toBe("packages");
  expect(subjectOf("evil-pypi.org")).toBe("evil-pypi.org");
});

test.each([
  ["pypi.org", true],
  ["xn--bcher-kva.example", true],
  ["93.184.216.34", true],
  ["10.0.0.1", false],
  ["127.0.0.1", false],
  ["169.254.169.254", false],
  ["localhost", false],
  ["a.localhost", false],
  ["printer.local", false],
  ["metadata.google.internal", false],
  ["intranet", false],
  ["b\u00fccher.example", false],
  ["a b.example", false],
  ["-x.example", false],
  [`${"a".repeat(64)}.example`, false],
])("%s: could be reached with permission: %s", (host, could) => {
  expect(unreachable(host) === undefined).toBe(could);
});
