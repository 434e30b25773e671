/** The commands for skills: nothing becomes a skill before a person saw what is in it and said yes to exactly that. */

import { join } from "node:path";
import { listSkills, type Row, type SkillView, showSkill } from "../../cli/view/skill.ts";
import { createSkills, type KnownSkill, type Skills } from "../../home/skills.ts";
import { commandRef, shellWord } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { refusalOf, wasDiscovered } from "../home/environment.ts";
import { isAccepted } from "./accept.ts";
import { exit } from "./exit.ts";
import { findSkill } from "./skill-source.ts";
import { openTerminal } from "./terminal.ts";

export interface SkillGiven {
  agent?: string;
  /** The hash of what the person saw before. */
  accept?: string;
}

const open = (home: string): Skills => createSkills({ home, files: machine.files, random: machine.random });
const now = () => new Date(machine.clock.now()).toISOString();

export async function addSkill(home: string, given: string, { agent, accept }: SkillGiven): Promise<number> {
  assertAllowed(home);
  const skills = open(home);
  const { skill, origin, commit } = await findSkill(home, given, process.env);
  const { name } = skill;
  if ((await skills.look(agent)).some((known) => known.name === name))
    throw new Problem(
      "name_taken",
      `a skill named ${name} already exists; remove it with ${commandRef(`skill remove ${name}`)}`,
    );
  const again = `skill add ${shellWord(given)}${agent ? ` --agent ${agent}` : ""}`;
  if (!(await agreed({ ...skill, origin, commit }, accept, again))) return exit.waiting;
  const folder = await skills.add(skill, { origin, ...(commit && { commit }), added_at: now() }, agent);
  openTerminal().say([`Added: ${folder}`]);
  return exit.done;
}

export async function acceptSkill(home: string, name: string, { agent, accept }: SkillGiven): Promise<number> {
  assertAllowed(home);
  const skills = open(home);
  const known = (await skills.look(agent)).find((one) => one.name === name);
  if (!known) throw new Problem("not_found", `there is no skill ${name} in ${home}`);
  if (known.state === "broken") throw new Problem("invalid", `skill ${name} is invalid: ${known.why}`);
  const origin = known.accepted?.origin ?? known.folder;
  const again = `skill accept ${name}${agent ? ` --agent ${agent}` : ""}`;
  if (!(await agreed({ ...known.skill, origin }, accept, again))) return exit.waiting;
  await skills.accept(name, known.skill.hash, now(), agent);
  openTerminal().say([`Accepted: ${name}`]);
  return exit.done;
}

export async function removeSkill(home: string, name: string, { agent }: SkillGiven): Promise<number> {
  assertAllowed(home);
  await open(home).remove(name, agent);
  openTerminal().say([`Removed: ${name}`]);
  return exit.done;
}

export async function listAllSkills(home: string, json: boolean): Promise<number> {
  const terminal = openTerminal();
  const rows = (await allSkills(home)).map((known) => rowOf(known, !wasDiscovered(home)));
  if (json) process.stdout.write(`${visibleJson(rows)}\n`);
  else terminal.say(listSkills(rows, terminal.colors));
  if (!json && rows.length && wasDiscovered(home))
    terminal.say(["", `None is in use because this home was found automatically. To use them: --home ${home}`]);
  return exit.done;
}

/** The home's and every agent's. */
export async function allSkills(home: string): Promise<(KnownSkill & { agent?: string })[]> {
  const skills = open(home);
  const found: (KnownSkill & { agent?: string })[] = await skills.look();
  for (const { name, kind } of await machine.files.list(join(home, "agents")))
    if (kind === "folder") for (const known of await skills.look(name)) found.push({ ...known, agent: name });
  return found;
}

function assertAllowed(home: string): void {
  const refusal = refusalOf(home);
  if (refusal) throw refusal;
}

const rowOf = (known: KnownSkill & { agent?: string }, isNamed: boolean): Row => ({
  name: known.name,
  in_use: isNamed && (known.state === "own" || known.state === "accepted"),
  state: known.state,
  agent: known.agent,
  about: known.state === "broken" ? known.why : known.skill.description,
  origin: known.accepted && [known.accepted.origin, known.accepted.commit].filter(Boolean).join(" at "),
});

const agreed = (shown: SkillView, accept: string | undefined, again: string): Promise<boolean> =>
  isAccepted({
    lines: (colors) => showSkill(shown, colors),
    hash: shown.hash,
    accept,
    again: (option) => [again, option].filter(Boolean).join(" "),
    question: "Agents will be told to follow this. Use it?",
  });
