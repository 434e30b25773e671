/** The draft of a new agent, kept in this browser until it is started. */
import { useState } from "react";
import { createKept, json, stringsIn } from "../store/persisted-state.ts";

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
  /** Empty: the default. */
  soul: string;
}

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
  soul: "",
};

const kept = createKept(
  "agiraph.new",
  json((found): Draft => ({ ...empty, ...(found as Partial<Draft> | undefined) })),
);
/** Those that agents were given last, newest first. */
const folders = createKept("agiraph.folders", json(stringsIn));

export function useDraft(): { draft: Draft; change(next: Partial<Draft>): void; used(): void } {
  const [draft, setDraft] = useState<Draft>(() => kept.read());
  return {
    draft,
    change(next) {
      const changed = { ...draft, ...next };
      setDraft(changed);
      kept.write(changed);
    },
    used() {
      kept.write({ ...draft, goal: "", workflow: "", folder: "", name: "", soul: "" });
      if (draft.folder)
        folders.write([draft.folder, ...recentFolders().filter((one) => one !== draft.folder)].slice(0, 5));
    },
  };
}

export const recentFolders = (): string[] => folders.read();
