import { commands } from "../src/schema/command.ts";
import { events } from "../src/schema/event.ts";
import { tools } from "../src/tool/index.ts";

/** The faults and points that must each happen in a run of the simulation; otherwise it proved nothing about them. */
export const sureFaults = [
  "overflow",
  "shortened",
  "asked",
  "post sent",
  "post down",
  "post unheard",

  "crash",
  "stop",
  "edited",
  "uploaded",
  "by the door",
  "looked",
  "window left",
  "imported",
  "own call",
  "verified",
  "reviewed",
  "cli resumed",
  "cli call",
  "rerouted",
  "event agent.archived",
  "poisoned",
  "takeover",
  "zombie",
  "fenced",
  "store_failed",
  "power",
  "torn",
  "lost_tail",
  "enospc",
  "eio",
  "erofs",
  "slow_sync",
  "edit",
  "clock_jump",
  "notice storage_failed",
  "point log.appended",
  "point log.synced",
  "point snapshot.written",
  "point turn.started",
  "point turn.streaming",
  "point turn.heard",
  "point turn.answered",
  "point tool.started",
  "point tool.ran",
  "point tool.ended",
  "point publish.written",
  "point publish.renamed",
  "point publish.ready",
  "point publish.judged",
  "point check.laid",
  "point check.done",
  "point check.recorded",
  "point check.asked",
  "point check.heard",
  "point agent.rested",
  "point delivery.tried",
  "point outbox.sending",
  "point outbox.sent",
  "point outbox.recorded",
  "letter received",
  "letter refused",
  "news of a team",
  "word of a guest",
  "guest handled",
  "changed by document_append",
  "proposal voted",
];

/** Events that no log had, tools that no model called, and commands that no human sent although people may. */
export const unreached = (counts: Record<string, number>): string[] =>
  [
    ...Object.keys(events).map((type) => `event ${type}`),
    ...tools.map(({ name }) => `tool ${name}`),
    ...Object.keys(commands)
      .filter((type) => !ownCommands.test(type))
      .map((type) => `command ${type}`),
  ].filter((name) => !counts[name]);

/** What the runtime, the loop and the calendar record; people have no way to send it. */
const ownCommands =
  /^(turn|tool|context|delivery|log|file|memory|cycle|program|check|outbox|inbox)\.|^message\.receive$|^node\.attempt$|\.(expire|fire|wake|unpark|retry|start_turn)$/;
