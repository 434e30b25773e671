/**
 * What a person is shown of a skill before it is theirs, and of those they have. All of it is somebody else's text: it cannot steer the
 * terminal, and signs that nobody would see are written out, so that what is read here is what a model would read.
 */
import { shellLine } from "../../lib/command-line.ts";
import { hasHidden, visible, visibleLine } from "../../lib/text/visible.ts";
import type { Colors } from "./mark.ts";

export interface SkillView {
  name: string;
  description: string;
  origin: string;
  commit?: string | undefined;
  hash: string;
  text: string;
  files: readonly { path: string; content: Buffer }[];
}

export interface Row {
  name: string;
  state: "accepted" | "own" | "changed" | "broken";
  in_use: boolean;
  /** The agent that it belongs to; all if missing. */
  agent?: string | undefined;
  about: string;
  origin?: string | undefined;
}

export function showSkill(
  { name, description, origin, commit, hash, text, files }: SkillView,
  colors: Colors,
): string[] {
  const width = Math.max(...files.map(({ path }) => visibleLine(path).length));
  const risks = files.flatMap(({ path, content }) => {
    const what = program(path, content);
    return what ? [`${visibleLine(path)} ${what}`] : [];
  });
  if (files.some(({ content }) => hasHidden(content.toString())))
    risks.push("it contains invisible characters; they are shown here as <U+…>");
  return [
    `${colors.bold(visibleLine(name))}: ${visibleLine(description)}`,
    `${colors.dim("from  ")} ${visibleLine(origin)}${commit ? ` at ${commit}` : ""}`,
    `${colors.dim("hash  ")} ${hash}`,
    `${colors.dim("files ")} ${files.length}`,
    ...files.map(
      ({ path, content }) => `  ${visibleLine(path).padEnd(width)}  ${content.length.toLocaleString("en-US")} bytes`,
    ),
    "",
    colors.dim("── SKILL.md ──"),
    ...visible(text).replaceAll("\t", "  ").split("\n"),
    colors.dim("──────────────"),
    ...(risks.length ? [colors.yellow("Look closely:"), ...risks.map((risk) => colors.yellow(`  ${risk}`))] : []),
  ];
}

export function listSkills(rows: readonly Row[], colors: Colors): string[] {
  if (!rows.length) return [`No skills yet. Add one: ${shellLine("skill add FOLDER")}`];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const marks = {
    accepted: colors.green("●"),
    own: colors.green("○"),
    changed: colors.yellow("◇"),
    broken: colors.red("✕"),
  };
  return rows.flatMap(({ name, state, agent, about, origin }) => [
    `${marks[state]} ${visibleLine(name).padEnd(width)}  ${state.padEnd(8)}  ${visibleLine(about)}`,
    ...(agent || origin
      ? [
          `  ${" ".repeat(width)}            ${colors.dim([agent && `for ${agent}`, origin && `from ${visibleLine(origin)}`].filter(Boolean).join(", "))}`,
        ]
      : []),
    ...(state === "changed"
      ? [
          `  ${" ".repeat(width)}            ${colors.bold("→")} disabled; review it: ${shellLine(`skill accept ${name}${agent ? ` --agent ${agent}` : ""}`)}`,
        ]
      : []),
  ]);
}

/** Why somebody might want to know of this file, if so. */
function program(path: string, content: Buffer): string | undefined {
  if (
    content.subarray(0, 2).toString() === "#!" ||
    /\.(sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php|lua|ps1|bat|cmd)$/i.test(path)
  )
    return "is a script; the skill may tell an agent to run it";
  const magic = content.subarray(0, 4).toString("hex");
  if (/^(7f454c46|4d5a|cffaedfe|cafebabe|0061736d)/.test(magic)) return "is a binary program";
  return content.includes(0) ? "is not text and is not shown" : undefined;
}
