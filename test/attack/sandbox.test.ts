/** What a command tries to do to the machine around its sandbox. Started as root, all of it is tried as root and as a plain user. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { attack } from "./attack.ts";
import { controls, holes } from "./holes.ts";
import { play } from "./stage.ts";

const plainUser = 12345;
const all = [...controls, ...holes];

/** What each hole said, by who tried it. */
type Said = Record<string, () => Promise<string[]>>;
const players: Said =
  process.getuid?.() === 0 ? { root: () => play(all), "a plain user": asPlainUser } : { "this user": () => play(all) };

async function asPlainUser(): Promise<string[]> {
  const script = fileURLToPath(new URL("as-user.ts", import.meta.url));
  const options = { maxBuffer: 100e6, cwd: "/" };
  const { stdout } = await promisify(execFile)(process.execPath, [script, `${plainUser}`], options);
  return JSON.parse(stdout);
}

const missing = (await machine.processes.sandbox()) ?? (existsSync("/usr/bin/perl") ? null : "there is no perl");
if (missing) console.warn(`the holes are left out: ${missing}`);

describe.skipIf(missing)("in the sandbox", () => {
  const said: Record<string, Promise<string[]>> = {};
  beforeAll(() => {
    for (const [who, tried] of Object.entries(players)) {
      said[who] = tried();
      said[who].catch(() => undefined); // whoever looks at it hears of it
    }
  });

  for (const who of Object.keys(players))
    for (const [index, [what, , broken, tries]] of all.entries())
      attack("sandbox", `${what} (as ${who})`, async ({ held }) => {
        expect((await said[who]!)[index]).not.toMatch(broken);
        held(tries);
      });
});
