/**
 * Where a new skill comes from: a folder, or a git repository at one commit.
 * What was fetched is read like any folder (home/skill.ts) and then removed.
 */
import { join, resolve } from "node:path";
import { readSkill, type Skill } from "../../home/skill.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { checkOutAt, isUrl, parseGitSource } from "./git-source.ts";

export interface SourceSkill {
  skill: Skill;
  origin: string;
  commit?: string;
}

/** `folder`, `URL#COMMIT` or `URL#COMMIT:folder/in/it`. Throws a Problem that says how to write it. */
export async function findSkill(
  home: string,
  given: string,
  env: Record<string, string | undefined>,
): Promise<SourceSkill> {
  const { files } = machine;
  if (!isUrl(given)) {
    const folder = resolve(given);
    const stat = await files.stat(folder);
    if (stat?.kind !== "folder")
      throw new Problem(
        "not_found",
        `${folder} ${stat ? "is not a folder" : "does not exist"}; give a folder with a SKILL.md, or URL#COMMIT`,
      );
    return { skill: await inWords(given, readSkill(files.within(folder))), origin: folder };
  }
  const { url, commit, inner } = parseGitSource(given, "skill");
  const folder = join(home, "skills", `.git-${machine.random.hex(6)}`);
  try {
    await files.makeDir(folder);
    await checkOutAt({ home, folder, url, commit, env });
    const skill = await inWords(given, readSkill(files.within(folder), inner));
    return { skill, origin: inner ? `${url} (${inner})` : url, commit };
  } finally {
    await files.remove(folder);
  }
}

async function inWords(given: string, reading: Promise<Skill>): Promise<Skill> {
  return reading.catch((error) => {
    throw error instanceof Problem ? new Problem(error.code, `${given} cannot be added: ${error.message}`) : error;
  });
}
