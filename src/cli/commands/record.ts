/** Prints a recording of a run, one JSON object per line; made from the agent's events. */
import { type RecordingChoice, recordingOf } from "../../core/run/recording.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import type { Event } from "../../schema/event.ts";
import { pickAgent, type Shell } from "./shell.ts";

/** What a recording is made of. */
const types = "run.started,turn.answered,tool.called,tool.ended,program.reported";

export async function printRecording(shell: Shell, wanted: string | undefined, choice: RecordingChoice): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const events: Event[] = [];
  for (let after: string | null = "0"; after !== null; ) {
    const page = await shell.client.listEvents({ params: { agent }, query: { after, limit: 500, types } });
    events.push(...(page.items as Event[]));
    after = page.next;
  }
  const { head, answers } = recordingOf(agent, events, choice);
  for (const line of [head, ...answers]) shell.write(`${visibleJson(line)}\n`);
}
