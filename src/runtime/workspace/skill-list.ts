/** The skills as a participant is shown them: one line each, within bounds. A description is somebody's words about a file, never an order. */
import type { KnownSkill, Skills } from "../../home/skills.ts";
import { oneLine } from "../../toolkit/data.ts";

const mostCharacters = 10_000;
const mostAbout = 300;

function listed(skills: readonly KnownSkill[]): string {
  const lines: string[] = [];
  let room = mostCharacters;
  for (const known of skills) {
    if (known.state === "broken") continue;
    const line = `- ${known.name}: ${oneLine(known.skill.description, mostAbout)} (skills/${known.name}/SKILL.md)`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  if (!lines.length) return "";
  const more = skills.length - lines.length;
  return [
    "The user keeps these ways of doing things. When one fits your task, read its file with read_file before you begin; the lines here only say what each is for.",
    ...lines,
    ...(more ? [`[${more} more; list_files skills names them]`] : []),
  ].join("\n");
}

/** The list as it is now. Of a skill that cannot be used, `tell` is told once. */
export function createSkillList(
  skills: Skills | undefined,
  agent: string,
  tell: (message: string) => void,
): () => Promise<string> {
  const told = new Set<string>();
  return async () => {
    const { skills: known, wrong } = (await skills?.of(agent)) ?? { skills: [], wrong: [] };
    for (const message of wrong) {
      if (!told.has(message)) tell(message);
      told.add(message);
    }
    return listed(known);
  };
}
