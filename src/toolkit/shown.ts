import { escapeWrapper } from "../core/message/mail-envelope.ts";
import { asData } from "./data.ts";
import type { Result } from "./tool.ts";

/** The one place where results become what a model sees: untrusted text stands between marks, and no text can impersonate another author. */
export function shownOf(given: string | Result): string {
  const { data, mail, text }: Result = typeof given === "string" ? { text: given } : given;
  return [data && asData(data), mail, escapeWrapper(text)].filter(Boolean).join("\n");
}
