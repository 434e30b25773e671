/**
 * Reasons to wake a participant that only checks for news: a change on the board, a file that people edited, a message to it. Heartbeats
 * (trigger.ts) and cycles (cycle.ts) are skipped while there is none.
 */
import type { Event } from "../../schema/event.ts";
import type { ParticipantId } from "../../schema/ids.ts";

const nouns = new Set(["node", "stage", "document", "resource"]);
const types = new Set(["file.edited", "proposal.settled", "worker.spawned", "worker.retired", "budget.set"]);

export function isWakeReason(event: Event, reader: ParticipantId): boolean {
  switch (event.type) {
    case "message.posted":
      return event.data.to.includes(reader) && event.data.from !== reader;
    case "question.answered":
      return true;
    case "question.expired":
      return event.data.over === undefined;
    default:
      return types.has(event.type) || nouns.has(event.type.slice(0, event.type.indexOf(".")));
  }
}
