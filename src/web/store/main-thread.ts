/** The thread that is the conversation with the agent itself: the coordinator's; where nobody leads, the channel. An address that names no thread means it. */
import { lead } from "../../core/run/lead.ts";
import type { State } from "../../core/state.ts";

type Main = "coordinator" | "channel";

/** Whether nobody leads the run; before the first one, whether nobody will. */
export function isLeaderless(state: State | undefined): boolean {
  return state?.run ? lead(state) === undefined : state?.agent?.team?.lead === false;
}

export const mainThread = (state: State | undefined): Main => (isLeaderless(state) ? "channel" : "coordinator");

/** What an address says of whose thread it is. */
export const threadSearch = (state: State | undefined, of: string): { with?: string } =>
  of === mainThread(state) ? {} : { with: of };
