import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { optionAfter } from "../parts/controls/options.ts";
import { Tabs, tabAfter } from "../parts/controls/tabs.tsx";
import { capsOf, KeyCaps, keyGroups, keyMap } from "./key-map.tsx";

const root = join(import.meta.dirname, "..");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test|key-map/.test(path))
  .map((path) => readFileSync(join(root, path), "utf8"))
  .join("\n");

test("a key that is shown is bound, and a key that is bound is shown", () => {
  const bound = new Set([...sources.matchAll(/(?:useKey\(\s*|key: )keyMap\.(\w+)/g)].map(([, name]) => name));
  expect([...bound].sort()).toEqual(Object.keys(keyMap).sort());
  expect(keyGroups.flatMap(([, keys]) => keys)).toHaveLength(Object.keys(keyMap).length);
});

test("keys are written as they are on the caps", () => {
  expect(capsOf(keyMap.search)).toEqual(["⌘", "K"]);
  expect(capsOf(keyMap.person)).toEqual(["⌥", "↑", "⌥", "↓"]);
  expect(capsOf(keyMap.close)).toEqual(["Esc"]);
  expect(renderToStaticMarkup(<KeyCaps of={keyMap.option} />)).toBe("<kbd>1</kbd> to <kbd>9</kbd>");
});

test("tabs go round by arrows; one of them is in the order of Tab", () => {
  expect(["ArrowRight", "ArrowLeft", "Home", "End", "a"].map((key) => tabAfter(key, 2, 3))).toEqual([
    0,
    1,
    0,
    2,
    undefined,
  ]);
  expect(tabAfter("ArrowLeft", 0, 3)).toBe(2);
  const tabs = [
    { id: "a", name: "Graph" },
    { id: "b", name: "Files", count: 2 },
  ] as const;
  const markup = renderToStaticMarkup(<Tabs label="About" tabs={tabs} chosen="b" choose={() => undefined} />);
  expect(markup.match(/tabindex="0"/g)).toHaveLength(1);
  expect(markup).toMatch(/aria-selected="true" tabindex="0" class="on">Files<span class="n">2</);
});

test("options go round by arrows, from none to the first or the last", () => {
  expect(["ArrowDown", "ArrowUp", "Enter"].map((key) => optionAfter(key, -1, 3))).toEqual([0, 2, undefined]);
  expect([optionAfter("ArrowDown", 2, 3), optionAfter("ArrowUp", 0, 3), optionAfter("ArrowDown", 0, 0)]).toEqual([
    0,
    2,
    undefined,
  ]);
});
