/** Notes by topic: their folder below memory/. The freshest topic first, as its notes are. */
import type { Note } from "./known.tsx";

export interface Topic {
  name: string;
  notes: Note[];
}

export function topicsOf(notes: readonly Note[], query: string): Topic[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ path, subject = "", source = "" }: Note): boolean => {
    const text = `${path} ${subject} ${source}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const topics = new Map<string, Note[]>();
  for (const note of notes) {
    if (!has(note)) continue;
    const name = topicOf(note.path);
    topics.set(name, [...(topics.get(name) ?? []), note]);
  }
  return [...topics].map(([name, notes]) => ({ name, notes }));
}

function topicOf(path: string): string {
  const steps = path.split("/");
  if (steps.length === 1) return "Always known";
  if (/^\d{4}-\d{2}-\d{2}\.md$/.test(steps[1]!)) return "Daily log";
  const [first = "Notes"] = steps.length > 2 ? steps.slice(1) : ["notes"];
  return first.charAt(0).toUpperCase() + first.slice(1);
}
