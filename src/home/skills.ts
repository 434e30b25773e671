/**
 * The skills of a home: `skills/NAME/` for every agent, `agents/AGENT/skills/NAME/` for one, which overrides one of the same name.
 *
 * `skills.json` beside them records where each came from and the hash that the user accepted. Always holds: a skill whose files differ from the
 * accepted ones is not used until it is accepted again; one without a record was put there by hand, and is the user's own. Looking up skills for a
 * turn never throws: a broken one is reported and left out.
 * Not here: what is in a skill (skill.ts), where it is fetched from (main), how it is shown (runtime/workspace/prompt-sources.ts).
 */

import { join } from "node:path";
import { z } from "zod";
import { commandRef } from "../lib/command-line.ts";
import type { Files, Random } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { agentRoot } from "./layout.ts";
import { readSkill, type Skill } from "./skill.ts";

const Accepted = z.object({
  origin: z.string(),
  commit: z.string().optional(),
  hash: z.string(),
  added_at: z.string(),
});
export type Accepted = z.infer<typeof Accepted>;
const Records = z.object({ skills: z.record(z.string(), Accepted) });

/** own: put there by hand. changed: differs from what was accepted. broken: `why` says why. */
export type KnownSkill = {
  name: string;
  /** Where its files are. */
  folder: string;
  accepted?: Accepted;
} & ({ state: "accepted" | "own" | "changed"; skill: Skill } | { state: "broken"; why: string });

export interface Skills {
  /** All skills of the home, or of one agent. */
  look(agent?: string): Promise<KnownSkill[]>;
  /** The skills that an agent may read, and a message for each that it may not. */
  of(agent: string): Promise<{ skills: KnownSkill[]; wrong: string[] }>;
  /** One of those that an agent may read. */
  find(agent: string, name: string): Promise<KnownSkill | undefined>;
  /** Installs it completely, as the user accepted it. */
  add(skill: Skill, accepted: Omit<Accepted, "hash">, agent?: string): Promise<string>;
  /** Accepts the files as they are now; refused if they are no longer what the user saw. */
  accept(name: string, hash: string, at: string, agent?: string): Promise<void>;
  remove(name: string, agent?: string): Promise<void>;
}

const mostSkills = 100;

export function createSkills({ home, files, random }: { home: string; files: Files; random: Random }): Skills {
  function rootOf(agent?: string): string {
    if (agent !== undefined && !/^[a-z0-9][a-z0-9-]*$/.test(agent))
      throw new Problem("invalid", `${JSON.stringify(agent)} is not a valid agent name`);
    return join(agent === undefined ? home : agentRoot(home, agent), "skills");
  }

  async function look(agent?: string): Promise<KnownSkill[]> {
    const root = rootOf(agent);
    const names = await namesIn(root);
    if (!names.length) return [];
    const records = await recordsIn(root);
    const found: KnownSkill[] = [];
    for (const name of names.slice(0, mostSkills)) found.push(await lookAt(root, name, records));
    for (const name of names.slice(mostSkills))
      found.push({ name, folder: join(root, name), state: "broken", why: `there are more than ${mostSkills} skills` });
    return found;
  }

  async function namesIn(root: string): Promise<string[]> {
    const entries = await files.list(root);
    return entries.filter(({ name, kind }) => kind !== "file" && !name.startsWith(".")).map(({ name }) => name);
  }

  /** Resolved through the folder of all skills, so that a link in place of a skill is not followed. */
  async function lookAt(root: string, name: string, records: Record<string, Accepted>): Promise<KnownSkill> {
    const accepted = Object.hasOwn(records, name) ? records[name] : undefined;
    const of = { name, folder: join(root, name), ...(accepted && { accepted }) };
    try {
      const skill = await readSkill(files.within(root), name);
      if (skill.name !== name) return { ...of, state: "broken", why: `its SKILL.md says the name is ${skill.name}` };
      return { ...of, state: accepted ? (accepted.hash === skill.hash ? "accepted" : "changed") : "own", skill };
    } catch (error) {
      if (error instanceof Problem) return { ...of, state: "broken", why: error.message };
      throw error;
    }
  }

  async function recordsIn(root: string): Promise<Record<string, Accepted>> {
    const path = join(root, "skills.json");
    const bytes = await files.read(path);
    if (!bytes) return {};
    try {
      return Records.parse(JSON.parse(bytes.toString())).skills;
    } catch (error) {
      // Continuing without the records would treat every skill as the user's own.
      throw new Problem("invalid", `${path} cannot be read; fix it, or add the skills again`, {}, { cause: error });
    }
  }

  /** One process at a time changes the skills. */
  async function changing<T>(agent: string | undefined, act: (root: string) => Promise<T>): Promise<T> {
    const root = rootOf(agent);
    if (agent !== undefined && (await files.stat(agentRoot(home, agent)))?.kind !== "folder")
      throw new Problem("not_found", `there is no agent ${agent} in ${home}`);
    await files.makeDir(root);
    const lock = await files.lock(join(root, "lock"));
    if (!lock) throw new Problem("conflict", `${root} is being changed by another process; try again in a moment`);
    try {
      return await act(root);
    } finally {
      await lock.release();
    }
  }

  async function record(root: string, name: string, accepted: Accepted | undefined): Promise<void> {
    const { [name]: _old, ...others } = await recordsIn(root);
    const skills = accepted ? { ...others, [name]: accepted } : others;
    await files.write(join(root, "skills.json"), `${JSON.stringify({ skills }, null, 2)}\n`);
  }

  async function one(root: string, name: string): Promise<KnownSkill> {
    const names = await namesIn(root);
    if (names.includes(name)) return lookAt(root, name, await recordsIn(root));
    throw new Problem("not_found", `there is no skill ${name} in ${root}; skills: ${names.join(", ") || "none"}`);
  }

  return {
    look,
    async of(agent) {
      const skills = new Map<string, KnownSkill>();
      const wrong: string[] = [];
      for (const place of [undefined, agent]) {
        const where = place === undefined ? "the skills of the home" : `the skills of ${place}`;
        try {
          for (const known of await look(place)) {
            const { name } = known;
            // A skill that is left out still hides the home's of that name: it was meant to be used instead.
            skills.delete(name);
            if (known.state === "broken") wrong.push(`skill ${name} is ignored: ${known.why}`);
            else if (known.state === "changed") wrong.push(`skill ${name} is ignored: ${changed(name, place)}`);
            else skills.set(name, known);
          }
        } catch (error) {
          wrong.push(`${where} are ignored: ${(error as Error).message}`);
        }
      }
      return { skills: [...skills.values()], wrong };
    },
    async find(agent, name) {
      for (const root of [rootOf(agent), rootOf()]) {
        if (!(await namesIn(root)).includes(name)) continue;
        const known = await lookAt(root, name, await recordsIn(root));
        return isUsable(known) ? known : undefined;
      }
      return undefined;
    },
    add: (skill, accepted, agent) =>
      changing(agent, async (root) => {
        const { name, hash } = skill;
        const target = join(root, name);
        if (await files.stat(target))
          throw new Problem(
            "name_taken",
            `a skill named ${name} already exists; remove it with ${commandRef(`skill remove ${name}`)}`,
          );
        const draft = join(root, `.new-${random.hex(6)}`);
        try {
          await files.makeDir(draft);
          for (const { path, content } of skill.files) await files.within(draft).write(path, content);
          await record(root, name, { ...accepted, hash });
          await files.move(draft, target);
        } finally {
          await files.remove(draft);
        }
        return target;
      }),
    accept: (name, hash, at, agent) =>
      changing(agent, async (root) => {
        const known = await one(root, name);
        if (known.state === "broken") throw new Problem("invalid", `the skill ${name}: ${known.why}`);
        if (known.skill.hash !== hash)
          throw new Problem(
            "conflict",
            `skill ${name} has the content ${known.skill.hash}, not ${hash}; review it again`,
          );
        const { origin = known.folder, commit } = known.accepted ?? {};
        await record(root, name, { origin, ...(commit && { commit }), hash, added_at: at });
      }),
    remove: (name, agent) =>
      changing(agent, async (root) => {
        const { folder } = await one(root, name);
        const gone = join(root, `.old-${random.hex(6)}`);
        await files.move(folder, gone);
        await files.remove(gone);
        await record(root, name, undefined);
      }),
  };
}

const isUsable = ({ state }: KnownSkill): boolean => state === "accepted" || state === "own";

const changed = (name: string, agent: string | undefined): string => {
  const whose = agent === undefined ? "" : ` --agent ${agent}`;
  return `its files have changed since it was accepted; review them with ${commandRef(`skill accept ${name}${whose}`)}`;
};
