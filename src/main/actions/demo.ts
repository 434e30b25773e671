/** `agiraph demo`: a scripted team, played in this process, in the home or, where that is held or not trusted, in a folder of its own. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScripted, parseScript } from "../../backend/scripted.ts";
import { demo } from "../../cli/run/demo.ts";
import type { Terminal } from "../../cli/terminal/terminal.ts";
import { clean } from "../../cli/terminal/text.ts";
import { shellWord, showCommands } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { findDaemon } from "../daemon/find.ts";
import { hearSignals, refusalOf } from "../home/environment.ts";
import { openDoor } from "../house/door.ts";
import { demoPath } from "../models/demo-model.ts";
import { exit } from "./exit.ts";
import { pathsIn } from "./paths.ts";
import { openTerminal } from "./terminal.ts";

export async function playDemo(home: string, speed: number): Promise<number> {
  const script = parseScript(readFileSync(demoPath, "utf8"), "demo.yaml");
  for (const step of Object.values(script.participants).flat()) step.seconds /= speed;
  const terminal = openTerminal();
  const signals = hearSignals();
  const scripted = { "scripted/demo": createScripted(script, machine.clock) };
  const open = (at: string) =>
    openDoor({ path: at, env: process.env, notice: noticeOn(terminal), scripted, plain: true });
  let left: string | undefined;
  const instead = (why: string) => {
    const elsewhere = mkdtempSync(join(tmpdir(), "agiraph-demo-"));
    terminal.say([`${why}, so the demo plays in ${elsewhere}.`, ""]);
    left = elsewhere;
    return open(elsewhere);
  };
  const door = refusalOf(home)
    ? await instead(`${home} is not trusted`)
    : await open(home).catch(async (error) => {
        if (!(error instanceof Problem) || error.code !== "home_locked" || !(await findDaemon(home))) throw error;
        return await instead(`A daemon holds ${home}`);
      });
  try {
    const outcome = await demo({
      client: door.client,
      terminal,
      goal: script.goal,
      model: "scripted/demo",
      now: machine.clock.now,
      stop: signals.heard,
      paths: pathsIn(door.house.path),
    });
    return outcome === "interrupted" ? signals.exitCode() : exit.done;
  } finally {
    await door.close();
    signals.end();
    if (left) terminal.say(["", `What it made stays there. To remove it: rm -r ${shellWord(left)}`]);
  }
}

const noticeOn = (terminal: Terminal) => (agent: string, problem: Problem) =>
  terminal.say([`${terminal.colors.red(agent)}: ${clean(showCommands(problem.message))}`]);
