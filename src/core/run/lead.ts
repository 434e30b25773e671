/**
 * Who leads a run: the participant that is the agent itself. It is a query on the state, and there may be no lead (a declared team without one): then
 * what concerns the whole run goes to the human, and the run ends when everybody is idle (idle-end.ts).
 *
 * The default id of a lead is here and nowhere else in the core.
 */
import type { ParticipantId } from "../../schema/ids.ts";
import type { Participant, Thinker } from "../../schema/worker.ts";
import type { State } from "../state.ts";

export const defaultLead = { id: "coordinator", name: "Coordinator" } as const;

export const isLead = (one: Participant | undefined): one is Extract<Participant, { kind: "coordinator" }> =>
  one?.kind === "coordinator";

/** The lead of the open run, if it has one. */
export function lead({ participants }: State): Thinker | undefined {
  for (const one of participants.values()) if (isLead(one)) return one;
  return undefined;
}

/** The coordinator, or whoever was elected where there is none. */
export const leads = (state: State, id: ParticipantId): boolean =>
  isLead(state.participants.get(id)) || elected(state)?.id === id;

/** Who was voted to lead a run without a coordinator: it hears what concerns the whole run, and has a coordinator's say. The run still ends when idle. */
function elected({ run, participants }: State): Thinker | undefined {
  const one = run?.status === "open" && run.elected !== undefined ? participants.get(run.elected) : undefined;
  return one && one.kind !== "human" && !one.retired ? one : undefined;
}

/** The recipients of what concerns the whole run. */
export function toLead(state: State): ParticipantId[] {
  return [nextMover(state)];
}

/** Who must act on a failure that nobody else is responsible for. */
export const nextMover = (state: State): string => lead(state)?.id ?? elected(state)?.id ?? "human";
