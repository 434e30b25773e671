/** What an agent knows and what is proposed for its memory, from the command line. */

import type { z } from "zod";
import type { KnownNote } from "../../api/insights.ts";
import { shellLine } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import type { Insight } from "../../schema/insight.ts";
import type { Tier, Visibility } from "../../schema/note.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { ago } from "../terminal/words.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

type Note = z.infer<typeof KnownNote>;

export async function listNotes(shell: Shell, wanted: string, given: { tier?: Tier; limit: number }): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const all = await shell.client.listNotes({ params: { agent }, query: given });
  show(shell, all, () => {
    if (!all.items.length) return [`${agent} has no notes.`];
    const rows = all.items.map((note) => [
      clean(note.subject ?? note.path),
      note.visibility,
      fadingWord(note, shell.now()),
      clean([note.noted, note.source].filter(Boolean).join(", ")),
      ago(shell.now() - Date.parse(note.used_at)),
    ]);
    const columns = [
      { title: "note", wide: true },
      { title: "for" },
      { title: "opening" },
      { title: "from" },
      { title: "used", right: true },
    ];
    const { calls, usd } = all.reflections;
    const cost = calls ? `; ${calls} reflections have cost ${money(usd)}` : "";
    return [...table(columns, rows, shell.terminal.width()), "", `${all.files} notes, ${all.faded} faded${cost}`];
  });
}

/** Whether it is in the opening, and for how long. */
function fadingWord({ tier, fading, fades_at }: Note, now: number): string {
  if (fading === "stays" || tier === "archive") return tier;
  if (fading !== "fading" || !fades_at) return fading === "faded" ? "faded" : "yes";
  return `fades in ${Math.max(1, Math.ceil((Date.parse(fades_at) - now) / 86_400_000))} d`;
}

export async function listInsights(shell: Shell, wanted: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const { items } = await shell.client.listInsights({ params: { agent } });
  show(shell, items, () => {
    const open = items.filter(({ status }) => status === "open");
    if (!open.length) return [`Nothing is proposed for the memory of ${agent}.`];
    return open.flatMap((one, at) => [...(at ? [""] : []), ...insightLines(shell, agent, one)]);
  });
}

export async function acceptInsight(shell: Shell, wanted: string, insight: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const kept = await shell.client.acceptInsight({ params: { agent, insight }, body: {} });
  show(shell, kept, () => [`${insight} is in the memory of ${agent}: ${clean("path" in kept ? kept.path : "")}`]);
}

export async function declineInsight(shell: Shell, wanted: string, insight: string, reason?: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const body = reason ? { reason } : {};
  const declined = await shell.client.declineInsight({ params: { agent, insight }, body });
  show(shell, declined, () => [`${insight} is declined.`]);
}

export async function setNote(
  shell: Shell,
  wanted: string,
  path: string,
  given: { tier?: Tier; visibility?: Visibility; trusted?: true },
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const note = await shell.client.setNoteHead({ params: { agent }, body: { path, ...given } });
  show(shell, note, () => [`${clean(note.path)} is ${note.tier} and ${note.visibility}.`]);
}

function insightLines(
  { terminal }: Shell,
  agent: string,
  { id, by, subject, text, file, outside, run, node }: Insight,
) {
  const width = terminal.width();
  const from = [by === "guard" ? "a reflection" : by, run, node].filter(Boolean).join(", ");
  const why = outside ? `, after the run had read ${clean(outside)}` : "";
  return [
    ...wrap(`${terminal.colors.bold(id)} ${clean(file ? `a new version of ${file.path}` : subject)}`, width),
    ...wrap(`  ${clean(text)}`, width),
    terminal.colors.dim(`  by ${from}${why}`),
    `  ${terminal.colors.dim("→")} ${shellLine(`memory accept ${agent} ${id}`)}`,
  ];
}
