/** Wraps our own texts. A command in one is shown as it is typed here and is never broken over two lines, so that it can be copied whole. */
import { shellLine, splitCommands } from "../../lib/command-line.ts";
import { clean, widthOf } from "./text.ts";

const inside = "\0";

export function wrapCommands(text: string, width: number): string[] {
  const whole = splitCommands(text.replaceAll(inside, ""))
    .map(({ text: piece, words }) => (words === undefined ? piece : shellLine(words).replaceAll(" ", inside)))
    .join("");
  const lines: string[] = [];
  for (const word of whole.split(/\s+/)) {
    const shown = word.split(inside).map(clean).join(" ");
    const last = lines.at(-1);
    const joined = `${last} ${shown}`;
    if (last !== undefined && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(shown);
  }
  return lines;
}
