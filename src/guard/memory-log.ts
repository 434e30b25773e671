/** The daily log: `memory/YYYY-MM-DD.md` in UTC. Append-only; each entry is a section with its time, and the same text is kept once. */

/** The day's log, or the one of the day before. */
export const logName = (now: number, before = 0): string => `memory/${iso(now - before * 86_400_000).slice(0, 10)}.md`;

export const isLog = (name: string): boolean => /^memory\/\d{4}-\d{2}-\d{2}\.md$/.test(name);

/** The log with one more entry; unchanged if it has it already, so that a write that a crash interrupted may be repeated (idempotent). */
export function withEntry(log: string | null, content: string, now: number): string {
  const said = content.trim();
  const before = log?.trimEnd() || `# ${iso(now).slice(0, 10)}`;
  const entry = `## ${iso(now).slice(11, 16)}\n\n${said}`;
  if (!said || (log && has(log, said))) return log ?? "";
  return `${before}\n\n${entry}\n`;
}

/** Whether an entry says exactly this. */
function has(log: string, said: string): boolean {
  for (let at = log.indexOf(said); at !== -1; at = log.indexOf(said, at + 1)) {
    const after = log.slice(at + said.length).trimStart();
    if (
      /\n## \d{2}:\d{2}\n\n$/.test(log.slice(Math.max(0, at - 12), at)) &&
      (!after || /^## \d{2}:\d{2}\n/.test(after))
    )
      return true;
  }
  return false;
}

const iso = (now: number): string => new Date(now).toISOString();
