/** What a command tries to do to the machine around its jail. */
import { afterAll, describe, expect } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { bash, removeHome, told } from "../desk.ts";
import { attack } from "./attack.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await removeHome(home);
});

/** What the command writes, run by a participant in the jail. */
async function ran(command: string): Promise<string> {
  const { home, results } = await told([bash(command)]);
  homes.push(home);
  return results[0]!.result;
}

/** A command, and what it says if it got somewhere. */
const holes: [what: string, command: string, broken: RegExp][] = [
  [
    "B1 no setting of the kernel can be changed",
    'find /proc/sys /sys -type f -writable 2>/dev/null | while read -r file; do (: >>"$file") 2>/dev/null && echo "open $file"; done | head',
    /open/,
  ],
];

describe.skipIf(await machine.processes.jail())("in the sandbox", () => {
  for (const [what, command, broken] of holes)
    attack("sandbox", what, async ({ held }) => {
      expect(await ran(command)).not.toMatch(broken);
      held();
    });
});
