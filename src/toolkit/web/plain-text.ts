/**
 * The text of a page without its markup, in one pass: for pages that cannot be parsed, because they are broken, or made to take for ever. Linear
 * time, whatever the page contains.
 */
import { decodeEntities } from "../../lib/text/html-entities.ts";

const silent = ["script", "style", "noscript", "template", "svg", "head"];
const breaking =
  /^\/?(p|div|br|li|tr|h[1-6]|ul|ol|table|section|article|header|footer|pre|blockquote|main|aside|nav|form|dt|dd|figure|hr)$/;

export function plainText(html: string): string {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf("<", at);
    parts.push(html.slice(at, open < 0 ? undefined : open));
    if (open < 0) break;
    at = afterTag(lower, open, parts);
  }
  return decodeEntities(parts.join(""))
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** The position after the tag that begins here; adds to `parts` what it means for the text. */
function afterTag(lower: string, open: number, parts: string[]): number {
  if (lower.startsWith("<!--", open)) return past(lower, "-->", open + 4);
  const name = /^\/?[a-z][a-z0-9]*/.exec(lower.slice(open + 1, open + 20))?.[0];
  if (!name && !/[!?/]/.test(lower[open + 1] ?? "")) {
    parts.push("<");
    return open + 1;
  }
  const end = past(lower, ">", open);
  if (name && silent.includes(name)) return past(lower, ">", past(lower, `</${name}`, end));
  if (name && breaking.test(name)) parts.push("\n");
  return end;
}

/** The position after the next `what`, or the end. */
function past(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found + what.length;
}
