/** What was written and chosen for a new agent and is not used yet. Kept in this browser until it is. */
import { useState } from "react";

export interface Draft {
  goal: string;
  /** Empty: the one that is taken if nobody says more. */
  model: string;
  /** Empty: what the config says; none: no limit. */
  usd: string;
  mode: "finite" | "infinite";
  /** Seconds. */
  every: number;
  /** Empty: the agent decides if it needs a team. */
  workflow: string;
  folder: string;
  /** With commas; empty: all. */
  tools: string;
  /** Tokens; empty: the model's own. */
  window: string;
  name: string;
}

const kept = "agiraph.new";
const folders = "agiraph.folders";
const empty: Draft = {
  goal: "",
  model: "",
  usd: "",
  mode: "finite",
  every: 21_600,
  workflow: "",
  folder: "",
  tools: "",
  window: "",
  name: "",
};

function read<T>(key: string, missing: T): T {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "null") as T) ?? missing;
  } catch {
    return missing;
  }
}
const write = (key: string, value: unknown) => localStorage.setItem(key, JSON.stringify(value));

export function useDraft(): { draft: Draft; change(next: Partial<Draft>): void; used(): void } {
  const [draft, setDraft] = useState<Draft>(() => ({ ...empty, ...read<Partial<Draft>>(kept, {}) }));
  return {
    draft,
    change(next) {
      const changed = { ...draft, ...next };
      setDraft(changed);
      write(kept, changed);
    },
    used() {
      write(kept, { ...draft, goal: "", workflow: "", folder: "", name: "" });
      if (draft.folder)
        write(folders, [draft.folder, ...recentFolders().filter((one) => one !== draft.folder)].slice(0, 5));
    },
  };
}

/** Those that agents were given last, newest first. */
export const recentFolders = (): string[] => read<string[]>(folders, []).filter((one) => typeof one === "string");
