import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { locked, published } from "./package.ts";

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));

test("the package names the exact version of everything that it needs, and nothing that only we need", () => {
  const ours = read("package.json");
  const manifest = published(ours, read("package-lock.json"));
  expect(manifest.dependencies).toMatchObject(ours.dependencies);
  expect(manifest.optionalDependencies).toMatchObject(ours.optionalDependencies);
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const version of Object.values(all)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  for (const name of Object.keys(ours.devDependencies)) expect(all).not.toHaveProperty([name]);
  // What only our own packages bring.
  expect(Object.keys(all)).toEqual(expect.arrayContaining(["turndown", "jose"]));
  expect(Object.keys(manifest)).not.toContain("scripts");
});

test("what is optional stays so, and a second version inside of another package is not named", () => {
  const packages = {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.0.0" },
    "node_modules/@b/c": { version: "2.0.0" },
    "node_modules/a/node_modules/d": { version: "3.0.0" },
    "node_modules/e": { version: "4.0.0", optional: true },
    "node_modules/f": { version: "5.0.0", dev: true },
  };
  expect(locked({ packages })).toEqual({ a: "1.0.0", "@b/c": "2.0.0" });
  expect(locked({ packages }, "optional")).toEqual({ e: "4.0.0" });
});
