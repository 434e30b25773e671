/**
 * Mail as models are shown it: each entry stands in a <message> with its sender, its kind and how far it is to be trusted.
 *
 * Always holds: the text cannot end its wrapper or open another one, also not with invisible signs or look-alikes in between. The human's
 * words are the only ones with trust="human".
 */
import type { Entry } from "../schema/worker.ts";

const trusts: Record<string, string> = { human: "human", system: "system" };

export function letter({ from, kind, text, seq }: Entry): string {
  const trust = Object.hasOwn(trusts, from) ? trusts[from] : "agent";
  const head = `<message id="${seq}" from="${attribute(from)}" kind="${attribute(kind)}" trust="${trust}">`;
  return `${head}\n${unwrapped(text)}\n</message>`;
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

/** Only what looks like a wrapper of ours is escaped: code and markup in a message stay readable. */
export const unwrapped = (text: string): string => text.replaceAll(wrapper, "&lt;");
