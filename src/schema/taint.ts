/** What strangers wrote and a run has read; see core/taint.ts. */
import { defineNoun } from "./noun.ts";

export interface Taint {
  /** Whose words were read, the first first. */
  sources: string[];
  /** Hosts that the human named, hosts and tools of MCP servers that the human allowed. */
  known: string[];
  /** Addresses that a search found. */
  links: string[];
  /** Notes of the agent's memory. */
  notes: string[];
}

export const untainted = (): Taint => ({ sources: [], known: [], links: [], notes: [] });

export const taint = defineNoun({
  name: "taint",
  events: {},
  commands: {},
  /** Who was read from outside, and what is not new since. */
  state: () => ({ taint: untainted() }),
});
