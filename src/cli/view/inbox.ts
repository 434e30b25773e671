/**
 * The human's inbox over all agents of a home, as lines: first what waits for an answer, with the command that gives it, then what is new.
 * Pure. All text that comes from an agent is data and is cleaned before it is drawn.
 */

import type { InboxItem } from "../../api/asking.ts";
import { shellLine } from "../../lib/command-line.ts";
import { clean, truncate, wrap } from "../terminal/text.ts";
import type { Colors } from "./mark.ts";
import { questionLines } from "./question-lines.ts";

export interface InboxLook {
  width: number;
  colors: Colors;
  now: number;
}

export function inboxLines(items: readonly InboxItem[], look: InboxLook): string[] {
  const newest = items.toSorted((a, b) => ((a.at ?? "") < (b.at ?? "") ? 1 : -1));
  const waits = newest.filter((item) => item.waiting_since !== undefined);
  const news = newest.filter((item) => item.waiting_since === undefined && item.unread);
  if (waits.length + news.length === 0) return ["Nothing needs you."];
  const { colors } = look;
  return [
    ...(waits.length ? [colors.bold(`Needs you (${waits.length})`)] : []),
    ...waits.flatMap((item) => ["", ...waitingLines(item.agent, item, look)]),
    ...(waits.length && news.length ? [""] : []),
    ...(news.length ? [colors.bold(`New (${news.length})`), ""] : []),
    ...news.map((item) => truncate(`  ${heading(item.agent, item)}: ${clean(item.text)}`, look.width)),
  ];
}

function waitingLines(agent: string, item: InboxItem, { width, colors, now }: InboxLook): string[] {
  const since = `  ${ago(now - Date.parse(item.waiting_since!))}${item.node ? `, about ${item.node}` : ""}`;
  const choices = item.options?.length ? [`  choices: ${item.options.map(clean).join(" / ")}`] : [];
  const limit = item.deadline
    ? [`  until ${item.deadline}${item.default === undefined ? "" : `, then: ${clean(item.default)}`}`]
    : [];
  return [
    colors.yellow(heading(agent, item)) + colors.dim(since),
    ...questionLines({ text: item.text, approves: item.kind === "approval" }, width - 2).map((line) => `  ${line}`),
    ...[...choices, ...limit].flatMap((line) => wrap(line, width)),
    `  ${colors.dim("→")} ${remedy(agent, item)}`,
  ];
}

const heading = (agent: string, { kind, from, id }: InboxItem): string => {
  const who = from === "system" || from === "coordinator" ? agent : `${from} of ${agent}`;
  if (kind === "question") return `${who} asks (${id})`;
  if (kind === "approval") return `Approval: ${who} asks (${id})`;
  return kind === "message" ? `${who} writes` : `${who}${/^[a-z]+$/.test(id) ? ` is ${id}` : ""}`;
};

function remedy(agent: string, { kind, id, options = [] }: InboxItem): string {
  if (kind === "question") return shellLine(`answer ${agent} ${id} "…"`);
  if (kind === "approval" && !options.includes("allow"))
    return `${shellLine(`answer ${agent} ${id} "${options[0]}"`)}   (or ${options
      .slice(1)
      .map((option) => `"${clean(option)}"`)
      .join(", ")})`;
  if (kind === "approval")
    return `${shellLine(`answer ${agent} ${id} allow`)}   (or "deny: reason"; --remember: for the whole run)`;
  return shellLine(`resume ${agent}`);
}

function ago(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `for ${minutes} min`;
  return minutes < 48 * 60 ? `for ${Math.floor(minutes / 60)} h` : `for ${Math.floor(minutes / 1440)} days`;
}
