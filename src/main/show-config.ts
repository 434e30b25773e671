/** `agiraph config`: where the home and its config are, and what holds after defaults. No secret can be in it: it names variables, not values. */
import { join } from "node:path";
import { stringify } from "yaml";
import { machine } from "../lib/machine/index.ts";
import { visibleJson } from "../lib/visible.ts";
import { readConfig, tamed } from "../store/config.ts";
import { wasComeUpon } from "./environment.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";

export async function showConfig(home: string, json: boolean): Promise<number> {
  const path = join(home, "config.yaml");
  const written = await readConfig(machine.files, home);
  const plain = wasComeUpon(home);
  const { config, limits } = plain ? tamed(written) : written;
  const there = (await machine.files.stat(path)) !== null;
  const holds = { ...config, limits };
  if (json) process.stdout.write(`${visibleJson({ home, path, there, config: holds })}\n`);
  else {
    const terminal = openTerminal();
    const where = there ? path : `${path} (not there; these are the defaults)`;
    terminal.say([`${terminal.colors.dim("home  ")} ${home}`, `${terminal.colors.dim("config")} ${where}`, ""]);
    process.stdout.write(stringify(holds));
  }
  return exit.done;
}
