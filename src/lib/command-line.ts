/**
 * Commands of ours as a person types them. A text that names one takes it from here, so that it works as it is printed.
 *
 * `commandRef` is for texts that travel: problems, answers of the daemon, what is recorded. It is always `agiraph …` in backquotes, because whoever
 * writes it cannot know how the reader calls the program; whoever shows such a text to a person uses `showCommands`.
 * `shellLine` is for a person who reads what this process writes: the words that start this very program again. Which those are, main says once
 * (main/called.ts); until then, and in a simulation, it is `agiraph`.
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

/** A text in pieces: those that are commands have `words`. */
export function splitCommands(text: string): { text: string; words?: string }[] {
  return text
    .split(new RegExp(ref, "g"))
    .map((piece, index) => (index % 2 ? { text: commandRef(piece), words: piece } : { text: piece }));
}

/** A word as a shell takes it for what it is. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
