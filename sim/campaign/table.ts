/** Which invariant is checked where, from the code: every `violated("I1", …)` and every `{ invariant: "I1" }`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { type Invariant, invariants } from "../invariants.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The files of sim/ that report each invariant. */
export function checkedIn(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const paths = readdirSync(join(repository, "sim"), { recursive: true, encoding: "utf8" });
  for (const path of paths.map((each) => `sim/${each.replaceAll("\\", "/")}`).sort()) {
    if (!/\.ts$/.test(path) || /\.(test|test-help|contract)\.ts$/.test(path)) continue;
    for (const name of reportedBy(path, readFileSync(join(repository, path), "utf8")))
      found.set(name, (found.get(name) ?? new Set()).add(path));
  }
  return found;
}

/** The names under which this source reports violations. */
export function reportedBy(path: string, source: string): Set<string> {
  const names = new Set<string>();
  const add = (node: { type: string; value?: unknown } | undefined) => {
    if (node?.type === "Literal" && typeof node.value === "string") names.add(node.value);
  };
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      const name =
        callee.type === "Identifier"
          ? callee.name
          : callee.type === "MemberExpression" && callee.property.type === "Identifier" && callee.property.name;
      if (name === "violated" && first?.type === "Literal") add(first);
    },
    Property({ key, value }) {
      if (key.type !== "Identifier" || key.name !== "invariant") return;
      if (value.type === "ConditionalExpression") [value.consequent, value.alternate].forEach(add);
      else add(value);
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== "Identifier" || id.name !== "invariant" || init?.type !== "ConditionalExpression") return;
      [init.consequent, init.alternate].forEach(add);
    },
  }).visit(parseSync(path, source).program);
  return names;
}

/** What is wrong with the list, as sentences. */
export function wrongWith(list: Readonly<Record<string, Invariant>>, checked: ReadonlyMap<string, unknown>): string[] {
  const unknown = [...checked.keys()].filter((name) => !list[name]);
  const unchecked = Object.keys(list).filter((name) => !checked.has(name) && !list[name]!.tests?.length);
  const missing = Object.values(list).flatMap(({ tests = [] }) =>
    tests.filter((path) => !existsSync(join(repository, path))),
  );
  return [
    ...unknown.map((name) => `violations are reported as ${name}, which is not in sim/invariants.ts`),
    ...unchecked.map((name) => `${name} is in sim/invariants.ts, and nothing checks it`),
    ...missing.map((path) => `${path} is named in sim/invariants.ts and does not exist`),
  ];
}

export function invariantTable(): string {
  const checked = checkedIn();
  const wrong = wrongWith(invariants, checked);
  if (wrong.length) throw new Error(wrong.join("\n"));
  const rows = Object.entries(invariants).map(([name, { says, tests = [] }]) => {
    const places = [...(checked.get(name) ?? []), ...tests].map((path) => `\`${path}\``);
    return `| ${name} | ${says} | ${places.join(", ")} |`;
  });
  return ["| | what always holds | checked in |", "|---|---|---|", ...rows, ""].join("\n");
}
