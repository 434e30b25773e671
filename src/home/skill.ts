/**
 * One skill: a folder with a SKILL.md that begins with a name and a description, and the files that it refers to.
 *
 * Read completely or not at all: a link, a hard-linked file, something that is not a regular file, or more than the limits is a Problem that names
 * it. The returned content is exactly what was hashed, so a copy is a copy of what was checked.
 * Not here: which skills there are, and whether the user accepted them (skills.ts).
 */

import { createHash } from "node:crypto";
import { parse } from "yaml";
import { z } from "zod";
import { walkTree } from "../lib/files/tree.ts";
import type { Within } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";

const most = { files: 200, depth: 8, bytes: 5_000_000, text: 100_000 };

const Head = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must consist of a-z, 0-9 and single hyphens"),
  description: z.string().trim().min(1).max(1024),
});

export interface SkillFile {
  path: string;
  content: Buffer;
}

export interface Skill {
  name: string;
  description: string;
  /** All of SKILL.md. */
  text: string;
  /** In order of their paths. */
  files: readonly SkillFile[];
  /** SHA-256 of all paths and contents: `sha256:…`. */
  hash: string;
}

/** Reads the skill in a folder of `within`; a `.git` at its top is not part of it. Throws a Problem that names the file. */
export async function readSkill(within: Within, folder = ""): Promise<Skill> {
  const files: SkillFile[] = [];
  let bytes = 0;

  const list = (path: string) => onDisk(path, () => within.list(join(folder, path)));
  const enter = ({ path }: { path: string }, depth: number) => {
    if (depth > most.depth) throw wrong(path, `is nested deeper than ${most.depth} folders`);
    return true;
  };
  for await (const { path, kind, size } of walkTree(list, { skip: ({ path }) => path === ".git", enter })) {
    if (kind === "other") throw wrong(path, "is not a regular file; a skill may contain only files and folders");
    if (kind === "folder") continue;
    if (files.length === most.files) throw wrong(path, `exceeds the limit of ${most.files} files per skill`);
    bytes += size;
    const room = most.bytes - files.reduce((sum, { content }) => sum + content.length, 0);
    if (bytes > most.bytes) throw tooLarge(path);
    const content = await onDisk(path, () => within.read(join(folder, path), room));
    if (content) files.push({ path, content });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const main = files.find(({ path }) => path === "SKILL.md");
  if (!main) throw new Problem("not_found", "it has no SKILL.md");
  if (main.content.length > most.text)
    throw new Problem("too_large", `SKILL.md is larger than ${most.text.toLocaleString("en-US")} bytes`);
  const text = textOf(main.content);
  return { ...headOf(text), text, files, hash: hashOf(files) };
}

/** The lines between the first two `---`, as YAML without aliases. */
function headOf(text: string): z.infer<typeof Head> {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (lines[0]?.trimEnd() !== "---" || end < 0)
    throw new Problem("invalid", "SKILL.md must start with name and description between two lines of ---");
  let given: unknown;
  try {
    given = parse(lines.slice(1, end).join("\n"), { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    throw new Problem(
      "invalid",
      `SKILL.md: its front matter is not valid YAML: ${(error as Error).message.split("\n")[0]}`,
    );
  }
  const checked = Head.safeParse(given);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new Problem("invalid", `SKILL.md: ${issue!.path.join(".") || "front matter"}: ${issue!.message}`);
}

function textOf(content: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new Problem("invalid", "SKILL.md is not UTF-8 text");
  }
}

function hashOf(files: readonly SkillFile[]): string {
  const hash = createHash("sha256");
  for (const { path, content } of files)
    hash.update(`${JSON.stringify(path)} ${createHash("sha256").update(content).digest("hex")}\n`);
  return `sha256:${hash.digest("hex")}`;
}

async function onDisk<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EFBIG") throw tooLarge(path);
    if (code === "EMLINK") throw wrong(path, "is a hard link; make it a separate file");
    if (code === "ELOOP") throw wrong(path, "is a link; a skill may contain only files and folders");
    if (code) throw wrong(path, `cannot be read (${code})`);
    throw error;
  }
}

const wrong = (path: string, what: string) => new Problem("invalid", `${path || "the folder"} ${what}`);
const tooLarge = (path: string) =>
  new Problem("too_large", `it is larger than ${most.bytes.toLocaleString("en-US")} bytes (at ${path})`);
const join = (...steps: string[]): string => steps.filter(Boolean).join("/");
