/** Logs that nobody's agiraph wrote: a checksum is no secret. */
import type { Event, EventType } from "../../src/schema/event.ts";
import { encode } from "../../src/store/log-line.ts";

export type Forged = { type: EventType; data: unknown; run?: string; actor?: string };

export const made = (agent: string, more: object = {}): Forged => ({
  type: "agent.created",
  data: { agent, goal: "Read everything", mode: "finite", model: "ollama/test", version: 1, start: true, ...more },
});

/** As the lines of an events.jsonl, numbered as they come. */
export const forged = (events: readonly Forged[], from = 1): string =>
  events
    .map((event, index) =>
      encode({
        seq: from + index,
        id: `f${from + index}`,
        ts: "2026-01-02T03:04:05.006Z",
        actor: "human",
        ...event,
      } as Event),
    )
    .join("");
