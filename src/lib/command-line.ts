/**
 * Our commands as a person types them. A text that names one takes it from here, so that it works as printed.
 *
 * `commandRef` is for texts that travel: problems, responses of the daemon, what is recorded. It is always `agiraph …` in backquotes, because its
 * author cannot know how the reader starts the program; code that shows such a text to a person uses `showCommands`. `shellLine` is for a person
 * who reads this process's output: the words that start this very program again. Main sets them once (main/installation/program-command.ts); until then, and in a
 * simulation, it is `agiraph`.
 */
let program = "agiraph";

export const setProgram = (words: string): void => {
  program = words;
};

export const shellLine = (words = ""): string => (words ? `${program} ${words}` : program);

export const commandRef = (words: string): string => `\`agiraph ${words}\``;

const ref = /`agiraph ([^`\n]{1,1000})`/;

/** The text with every command as it is typed here. */
export const showCommands = (text: string): string =>
  splitCommands(text)
    .map(({ words, text: piece }) => (words === undefined ? piece : shellLine(words)))
    .join("");

/** Splits a text: pieces that are commands have `words`. */
export function splitCommands(text: string): { text: string; words?: string }[] {
  return text
    .split(new RegExp(ref, "g"))
    .map((piece, index) => (index % 2 ? { text: commandRef(piece), words: piece } : { text: piece }));
}

/** Shell quoting of one word. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
