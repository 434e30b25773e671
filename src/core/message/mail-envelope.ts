/**
 * Mail as models see it: each entry is in a <message> with its sender, its kind and its trust. The defence against prompt injection by format.
 *
 * Foreign text that comes with a message follows it, in its own marks (toolkit/data.ts).
 *
 * Always holds: the text cannot close its wrapper or open another one, not even with invisible characters or look-alikes. Only the human's text has
 * trust="human".
 */
import type { Entry } from "../../schema/worker.ts";

const trusts: Record<string, string> = { human: "human", system: "system" };

export function wrapEntry({ from, kind, text, seq, quotes, deferred }: Entry): string {
  const trust = Object.hasOwn(trusts, from) ? trusts[from] : "agent";
  const again = deferred ? ` put_off="${deferred}"` : "";
  const head = `<message id="${seq}" from="${attribute(from)}" kind="${attribute(kind)}" trust="${trust}"${again}>`;
  const message = `${head}\n${escapeWrapper(text)}\n</message>`;
  return quotes ? `${message}\n${quotes}` : message;
}

const attribute = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\r\n]+/g, " ");

const unseen = "[\\p{Cf}\\p{Mn}]*";
const between = "[\\s/\\p{Cf}\\p{Mn}]*";
const names = ["message", "note", "tool_call", "tool_result", "outside_data"];
const wrapper = new RegExp(
  `[<＜﹤](?=${between}(?:${names.map((name) => [...name].join(unseen)).join("|")})(?!\\w))`,
  "giu",
);

/** Only text that looks like such a wrapper is escaped: code and markup in a message stay readable. */
export const escapeWrapper = (text: string): string => text.replaceAll(wrapper, "&lt;");
