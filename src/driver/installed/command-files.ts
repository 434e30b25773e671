/**
 * A command line of the user (`command:…`, `acp:…`): its words, and the files of the user that it names, so that they can be read in its sandbox.
 *
 * The program is looked for on the PATH; any other word counts if it is an absolute path of a file. `~/` is the user's home, which in a sandbox is
 * another one. Nothing else of a shell is understood: no variables, no patterns.
 */
import { isAbsolute } from "node:path";
import { type FindOptions, fileOf } from "./find.ts";

/** As a shell splits them: quotes and backslashes keep a word together. */
export function commandWords(line: string): string[] {
  const words = line.match(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|['"\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
      (_, escaped, single, double) => escaped ?? single ?? double.replace(/\\(["\\$`])/g, "$1"),
    ),
  );
}

/** With the user's home in place of `~/` at the beginning of a word. */
export const withHome = (line: string, home: string): string =>
  line.replace(/(^|[\s=])~\//g, (_, before: string) => `${before}${home}/`);

export interface CommandLook extends Pick<FindOptions, "env"> {
  world: { files: Pick<FindOptions["world"]["files"], "stat"> };
}

/** The files that the line names, its program first; folders are left out. */
export async function commandFiles(line: string, look: CommandLook): Promise<string[]> {
  const [binary, ...rest] = commandWords(line);
  const program = binary && (await fileOf({ binary }, look));
  const found = program ? [program] : [];
  for (const word of rest) if (isAbsolute(word) && (await isFile(word, look.world.files))) found.push(word);
  return found;
}

const isFile = async (path: string, files: CommandLook["world"]["files"]): Promise<boolean> =>
  (await files.stat(path))?.kind === "file";
