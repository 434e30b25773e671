/** Untrusted text that a run has read; see core/turn/taint.ts. */
import { defineNoun } from "./noun.ts";

export interface Taint {
  /** Where it came from, in the order it was read. */
  sources: string[];
  /** Hosts that the human named, hosts and tools of MCP servers that the human allowed. */
  known: string[];
  /** URLs that a search found. */
  links: string[];
  /** Notes of the agent's memory. */
  notes: string[];
  /** Other agents whose messages were read in this run. */
  mail: string[];
  /** It began tainted: what was said in an earlier run that was is shown to it. */
  inherited?: true;
}

export const noTaint = (): Taint => ({ sources: [], known: [], links: [], notes: [], mail: [] });

export const taint = defineNoun({
  name: "taint",
  events: {},
  commands: {},
  /** Who was read from outside, and what is not new since. */
  state: () => ({ taint: noTaint() }),
});
