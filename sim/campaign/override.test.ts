import { expect, test } from "vitest";
import { setupOf } from "../seed.ts";
import { simplest } from "../setup.ts";
import { argumentsOf, difference, override, parseOverrides } from "./override.ts";

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

test("every seed with what differs from another one has the setup of that one, also after a way through JSON", () => {
  for (const seed of seeds) {
    const [drawn, wanted] = [setupOf(seed), setupOf(seed + 1)];
    const overrides = parseOverrides(JSON.stringify(difference(drawn, wanted)));
    expect(override(drawn, overrides)).toEqual(wanted);
  }
});

test("nothing differs between equal setups, and the command of such a world has no --with", () => {
  expect(difference(setupOf(7), setupOf(7))).toEqual({});
  expect(argumentsOf(7, {})).toBe("--seed 7");
});

test("an override replaces nested fields one by one and leaves the setup that was drawn as it was", () => {
  const drawn = setupOf(3);
  const before = structuredClone(drawn);
  const changed = override(drawn, { agents: 2, world: { disk: { eio: 0.5 } }, poison: null });
  expect(changed).toEqual({
    ...before,
    agents: 2,
    poison: undefined,
    world: { ...before.world, disk: { ...before.world.disk, eio: 0.5 } },
  });
  expect(drawn).toEqual(before);
});

test("the simplest world has a value for every field that seeds draw", () => {
  for (const seed of seeds) expect(Object.keys(simplest).sort()).toEqual(Object.keys(setupOf(seed)).sort());
});

test.each([
  ['{"agent":1}', "a setup has no field agent"],
  ['{"world":{"disk":{"eoi":1}}}', "a setup has no field world.disk.eoi"],
  ['{"agents":"two"}', 'agents is "two"; it must be a number'],
  ['{"agents":null}', "agents is null; it must be a number"],
  ['{"world":3}', "world is 3; it must be a part"],
  ["[1]", "--with must be an object of setup fields"],
  ["{agents:1}", "--with is not valid JSON"],
])("--with %s is refused: %s", (text, why) => {
  expect(() => parseOverrides(text)).toThrow(why);
});

test("a part that may be missing can be taken away and given", () => {
  const window = { tokens: 100_000, overflows: 0.1 };
  const given = override(simplest, parseOverrides(JSON.stringify({ window })));
  expect(given.window).toEqual(window);
  expect(override(given, parseOverrides('{"window":null}'))).toEqual(simplest);
});
