/** The examples themselves. That each of them runs as it stands is what the scenarios beside this file show: they start its command. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Config } from "../../src/schema/config.ts";
import { example, exampleFiles } from "./example.ts";

const files = exampleFiles();

test("there is an example for each of the ten scenarios, and the page that lists them names them all", () => {
  expect(files.map((name) => Number(name.slice(0, 2)))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const list = readFileSync(new URL("../../examples/scenarios/README.md", import.meta.url), "utf8");
  for (const name of files) expect(list).toContain(`](${name})`);
  const played = readdirSync(new URL(".", import.meta.url)).filter((name) => /^\d\d-.*\.test\.ts$/.test(name));
  expect(played.map((name) => name.slice(0, 2)).sort()).toEqual(files.map((name) => name.slice(0, 2)));
});

test.each(files)("%s has a command that can be typed and settings that are taken", (name) => {
  const { title, goal, args, name: agent, config } = example(Number(name.slice(0, 2)));
  expect(title).not.toBe("");
  expect(goal.length).toBeGreaterThan(20);
  expect(agent).toMatch(/^[a-z][a-z-]+$/);
  expect(args[0]).toBe("run");
  expect(args[args.indexOf("--budget") + 1]).toMatch(/^\dusd$/);
  expect(Object.keys(config).length).toBeGreaterThan(0);
  expect(() => Config.parse(config)).not.toThrow();
});
