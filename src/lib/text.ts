/** Truncation of texts. None of these splits a surrogate pair. */

/** At most `most` characters; what is missing is shown by an ellipsis. */
export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${whole(text.slice(0, Math.max(0, most - 1))).trimEnd()}…`;

/** On one line, at most `most` characters. */
export const shortLine = (text: string, most: number): string => shorten(text.replace(/\s+/g, " ").trim(), most);

/** The first line, at most `most` characters. */
export const firstLine = (text: string, most: number): string => shorten(text.trim().split("\n")[0]!.trim(), most);

/** The beginning and the end, about `most` characters in all, and between them how much is left out. */
export function shortenMiddle(given: string, most: number): string {
  const text = given.toWellFormed();
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

/** Without a lone high surrogate at its end. */
const whole = (text: string): string => text.replace(/[\ud800-\udbff]$/, "");
