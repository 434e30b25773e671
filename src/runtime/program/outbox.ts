/**
 * What a program says, as it stands in its `_outbox.md`: blocks that a line of `---` ends, each beginning with a line `TO: name`.
 *
 * Always holds: what was read stays read as long as the file still begins with it; a file that was begun anew is read from its beginning. Each
 * character is looked at a fixed number of times, whatever it is. Not here: whether a block was sent before (program.ts).
 */
export interface Block {
  /** Empty if it says for nobody. A block without a TO: is for whom the one before it was: a rule within a message ends a block. */
  to: string;
  text: string;
  /** The same words for the same reader, the first time, the second time … in this file. */
  nth: number;
}

/** Taken at once; whoever asks again gets the next. */
const mostBlocks = 100;
/** Of a name; nobody's is longer, and what is refused is told of. */
const longestName = 1_000;

export function createOutbox() {
  let read = "";
  let to = "";
  const times = new Map<string, number>();

  /** Of the file as it is now what is new and whole, a few blocks at a time; with `last` also what no line ended yet. */
  function take(file: string, last: boolean): Block[] {
    if (!file.startsWith(read)) {
      [read, to] = ["", ""];
      times.clear();
    }
    const blocks: Block[] = [];
    let [begin, at] = [read.length, read.length];
    while (blocks.length < mostBlocks && at < file.length) {
      const end = file.indexOf("\n", at);
      const line = file.slice(at, end < 0 ? file.length : end);
      const next = end < 0 ? file.length : end + 1;
      if (isRule(line)) {
        add(blocks, file.slice(begin, at));
        begin = next;
      }
      at = next;
    }
    if (last && at >= file.length && blocks.length < mostBlocks) {
      add(blocks, file.slice(begin));
      begin = file.length;
    }
    read = file.slice(0, begin);
    return blocks;
  }

  function add(blocks: Block[], block: string): void {
    const words = block.trimStart();
    const end = words.indexOf("\n");
    const line = end < 0 ? words : words.slice(0, end);
    const name = /^TO:/i.test(line) ? line.slice(3).trim().slice(0, longestName) : "";
    if (name) to = name;
    const text = (name ? words.slice(line.length) : words).trim();
    if (!text) return;
    const key = `${to}\n${text}`;
    const nth = (times.get(key) ?? 0) + 1;
    times.set(key, nth);
    blocks.push({ to, text, nth });
  }

  return { take };
}

const isRule = (line: string): boolean => line.startsWith("---") && line.slice(3).trim() === "";
