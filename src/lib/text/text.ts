/** Truncation of texts, each kind once. None of these splits a surrogate pair. In columns of a terminal: cli/terminal/text.ts. */

/** At most `most` characters; what is missing is shown by an ellipsis. */
export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${whole(text.slice(0, Math.max(0, most - 1))).trimEnd()}…`;

/** On one line, at most `most` characters. */
export const shortLine = (text: string, most: number): string => shorten(text.replace(/\s+/g, " ").trim(), most);

/** The first line, at most `most` characters. */
export const firstLine = (text: string, most = Number.POSITIVE_INFINITY): string =>
  shorten(text.trim().split("\n", 1)[0]!.trim(), most);

/** What follows the first line. */
export const restOf = (text: string): string => text.trim().split("\n").slice(1).join("\n");

/** Ends after a whole line or word if that costs little, and says how much is missing. */
export function shortenLong(text: string, most: number): string {
  if (text.length <= most) return text;
  const near = Math.max(text.lastIndexOf("\n", most), text.lastIndexOf(" ", most));
  const kept = text.slice(0, near > most * 0.9 ? near : most).toWellFormed();
  return `${kept}\n[… ${(text.length - kept.length).toLocaleString("en-US")} of ${text.length.toLocaleString("en-US")} characters left out …]`;
}

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
