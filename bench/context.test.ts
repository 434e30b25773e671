import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../src/store/temp.test-help.ts";
import { context } from "./context.ts";
import type { Place } from "./place.ts";

test("a prompt costs no more than its budget before the first word, with every tool of the house granted", async () => {
  const root = await tempFolder();
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  const figures = await context.run({ folder, size: 1 } as Place);
  expect(figures.map(({ name }) => name)).toEqual(["context.coordinator", "context.worker"]);
  expect(figures.filter(({ ok }) => !ok).map(({ name, value, goal }) => `${name}: ${value}, goal ${goal}`)).toEqual([]);
});
