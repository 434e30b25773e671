/** Text of a model in plain words, for where nothing is drawn: a notice, a title. Marks are left out, what they enclose stays. Its first sentence, and the heading before it. */
const longest = 200;

export function plainWords(text: string): string {
  const blocks = text
    .replace(/```[^\n]*\n[\s\S]*?(```|$)/g, "\n\n")
    .split(/\n\s*\n|(?<=^ {0,3}#{1,6} [^\n]*)\n/m)
    .map((block) => block.trim())
    .filter((block) => block && !/^([-*_|:=\s])+$/.test(block));
  const [first = "", second] = blocks;
  const isHead = /^#{1,6}\s/.test(first);
  const said = sentence(withoutMarks(first));
  const whole =
    isHead && second && !/[?!]$/.test(said) ? `${said.replace(/[.:]$/, "")}: ${sentence(withoutMarks(second))}` : said;
  return whole.length > longest ? `${whole.slice(0, longest - 1).trimEnd()}…` : whole;
}

/** One block without its marks, in one line. */
export function withoutMarks(block: string): string {
  return block
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*(\s+"[^"]*")?\)/g, "$1")
    .replace(/(\*\*|__|~~|`+)/g, "")
    .replace(/(^|[\s(])[*_](?=\S)([^*_]*\S)[*_](?=$|[\s).,;:!?])/g, "$1$2")
    .replace(/\s+/g, " ")
    .trim();
}

/** Up to a full stop that ends something: not the one of "e.g." or of a number. */
function sentence(line: string): string {
  const end = /[^\s.]{2,}[.!?…]["”’)]?(?=\s+[\p{Lu}\p{N}“"(])/u.exec(line);
  return end ? line.slice(0, end.index + end[0].length) : line;
}
