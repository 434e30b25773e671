/**
 * The links in a text, and the anchors that others may link to.
 *
 * Of Markdown: inline links and images, definitions of references, URLs in angle brackets, and HTML inside. What stands in code is not a link.
 * Anchors are those of headings, as GitHub makes them, and every id and name. Each link is listed once.
 */
export interface Links {
  links: string[];
  anchors: string[];
}

export function parseLinks(text: string, html: boolean): Links {
  const links = new Set<string>();
  const anchors = new Set<string>();
  if (!html) readMarkdown(text, links, anchors);
  const tags = (html ? text.replace(/<!--.*?-->/gs, "") : withoutCode(text)).matchAll(/<[a-z][^<>]{0,2000}>/gi);
  for (const [tag] of tags) {
    for (const [, double, single] of tag.matchAll(/\s(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi))
      links.add(unescaped(double ?? single ?? ""));
    for (const [, double, single] of tag.matchAll(/\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi))
      anchors.add(unescaped(double ?? single ?? ""));
  }
  links.delete("");
  return { links: [...links], anchors: [...anchors] };
}

function readMarkdown(text: string, links: Set<string>, anchors: Set<string>): void {
  const plain = withoutCode(text);
  for (const [, angle, bare] of plain.matchAll(
    /\]\(\s{0,9}(?:<([^<>\n]{0,2000})>|([^\s()<>]{1,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500})?))/g,
  ))
    links.add(angle ?? bare ?? "");
  for (const [, angle, bare] of plain.matchAll(
    /^ {0,3}\[[^\]\n]{1,300}\]:[ \t]{0,9}(?:<([^<>\n]{0,2000})>|(\S{1,2000}))/gm,
  ))
    if (!bare?.startsWith("^")) links.add(angle ?? bare ?? "");
  for (const [, url] of plain.matchAll(/<(https?:\/\/[^\s<>]{1,2000})>/gi)) links.add(url!);
  const seen = new Map<string, number>();
  for (const line of withoutFences(text).split("\n")) {
    const heading = /^ {0,3}#{1,6}[ \t]+([^\n]{1,1000})$/.exec(line.trimEnd())?.[1]?.replace(/[ \t]#{1,20}$/, "");
    if (heading === undefined) continue;
    const name = slugOf(heading);
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    anchors.add(times ? `${name}-${times}` : name);
  }
}

/** As GitHub does: the text of the heading in small letters, without punctuation, with hyphens for spaces. */
const slugOf = (heading: string): string =>
  heading
    .replace(/!?\[([^\][]{0,500})\]\([^()]{0,1000}\)/g, "$1")
    .replace(/<[^<>]{0,500}>/g, "")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");

/** Line by line, so that a fence that is never closed costs no more than the text. */
function withoutFences(text: string): string {
  let fence = "";
  return text
    .split("\n")
    .map((line) => {
      const mark = /^ {0,3}(`{3,100}|~{3,100})/.exec(line)?.[1];
      if (!fence && mark) {
        fence = mark;
        return "";
      }
      if (fence && mark?.startsWith(fence) && line.trim() === mark) {
        fence = "";
        return "";
      }
      return fence ? "" : line;
    })
    .join("\n");
}

const withoutCode = (text: string): string =>
  withoutFences(text)
    .replace(/``[^`\n]{1,2000}``/g, "")
    .replace(/`[^`\n]{1,2000}`/g, "");

const unescaped = (text: string): string => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').trim();
