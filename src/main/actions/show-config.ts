/** `agiraph config`: where the home and its config are, and what holds after defaults. No secret can be in it: it names variables, not values. */
import { join } from "node:path";
import { stringify } from "yaml";
import { machine } from "../../lib/machine/index.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { refusalOf } from "../home/environment.ts";
import { readSettings } from "../home/settings.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";

export async function showConfig(home: string, json: boolean): Promise<number> {
  const path = join(home, "config.yaml");
  const { config, limits } = await readSettings(home);
  const there = (await machine.files.stat(path)) !== null;
  const holds = { ...config, limits };
  if (json) process.stdout.write(`${visibleJson({ home, path, there, config: holds })}\n`);
  else {
    const terminal = openTerminal();
    const unused = refusalOf(home) ? "this home is not trusted" : there ? undefined : "does not exist";
    const where = unused ? `${path} (${unused}; these are the defaults)` : path;
    terminal.say([`${terminal.colors.dim("home  ")} ${home}`, `${terminal.colors.dim("config")} ${where}`, ""]);
    process.stdout.write(stringify(holds));
  }
  return exit.done;
}
