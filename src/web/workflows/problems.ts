/** What is wrong with a workflow file, where, and the change that would probably mend it. */

export interface FileProblem {
  line: number | null;
  column: number | null;
  message: string;
}

export interface Fix {
  word: string;
  text: string;
}

/** Writes what was probably meant in place of the word that the problem is at; nothing if nobody said what was meant. */
export function fixOf({ line, column, message }: FileProblem, text: string): Fix | undefined {
  const word = /did you mean ([^?\s]+)\?$/.exec(message)?.[1];
  const lines = text.split("\n");
  const at = line === null ? undefined : lines[line - 1];
  if (word === undefined || at === undefined || line === null || column === null) return undefined;
  const [wrong] = /^@?[\p{L}\p{N}_-]+/u.exec(at.slice(column - 1)) ?? [];
  if (!wrong) return undefined;
  const mended = at.slice(0, column - 1) + word + at.slice(column - 1 + wrong.length);
  return { word, text: lines.with(line - 1, mended).join("\n") };
}
