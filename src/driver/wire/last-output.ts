/** The end of what a program wrote, for whoever asks why it failed. Bounded, whatever is written and in however many lines. */
export interface LastOutput {
  add(text: string): void;
  /** At most `most` characters. */
  text(): string;
  clear(): void;
}

/** Lines that are kept at least. */
const mostLines = 100;

export function createLastOutput(most: number): LastOutput {
  let lines: string[] = [];
  return {
    add(text) {
      // A copy: a part of a string keeps the whole in memory.
      lines.push(text.length > most ? Buffer.from(text.slice(-most)).toString() : text);
      if (lines.length >= 2 * mostLines) lines = lines.slice(-mostLines);
    },
    text: () => lines.join("\n").trim().slice(-most).toWellFormed(),
    clear() {
      lines = [];
    },
  };
}
