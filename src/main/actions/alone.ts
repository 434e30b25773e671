/**
 * --alone: the house of a home in this process, for the commands that are clients; it ends with the command. Agents work only for a command
 * that stays with them. The others look and record, and set nobody to work.
 */
import { join } from "node:path";
import { clean } from "../../cli/terminal/text.ts";
import { showCommands } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import type { Problem } from "../../schema/problem.ts";
import { refusalOf, wasDiscovered } from "../home/environment.ts";
import { readSettings } from "../home/settings.ts";
import { type Door, openDoor } from "../house/door.ts";
import { createDemoModel, demoModel } from "../models/demo-model.ts";

export interface AloneOptions {
  home: string;
  /** Its agents go on working. */
  works: boolean;
  /** Where people are told what they should know. */
  say(lines: readonly string[]): void;
  through?: "mcp";
}

export async function openAlone({ home, works, say, through }: AloneOptions): Promise<Door> {
  const plain = wasDiscovered(home);
  const refusal = refusalOf(home);
  if (works && refusal) throw refusal;
  if (works && plain) say(await leftOut(home));
  const door = await openDoor({
    path: home,
    env: process.env,
    plain,
    scripted: { [demoModel]: createDemoModel() },
    notice: (agent, problem) => say([noticeLine(agent, problem)]),
    ...(works ? {} : { still: true }),
    ...(through ? { through } : {}),
  });
  if (works && door.house.settings.config.sandbox.bash === "off")
    say(["The sandbox is off: every command is asked about first.", ""]);
  return door;
}

/** A project folder adds no tools by itself: whoever wants those of its home names it. */
async function leftOut(home: string): Promise<string[]> {
  const { left } = await readSettings(home);
  const own: string[] = [];
  for (const name of ["tools", "skills"]) if ((await machine.files.list(join(home, name))).length) own.push(`${name}/`);
  const unused = [...left.map((key) => `${key} in config.yaml`), ...own];
  if (!unused.length) return [];
  return [`Ignored because ${home} was found automatically: ${unused.join(", ")}. To use them: --home ${home}`, ""];
}

const noticeLine = (agent: string, problem: Problem): string => `${agent}: ${clean(showCommands(problem.message))}`;
