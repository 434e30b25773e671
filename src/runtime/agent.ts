/**
 * One open agent, and how it is opened: the lease first, then its log, then the state from the log (snapshots.ts), then its parts
 * (assembly.ts). Opening is recovery: there is no other kind of start.
 */
import type { State } from "../core/state.ts";
import type { Lease } from "../engine/engine.ts";
import type { Delta } from "../loop/participant-context.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Log } from "../store/store.ts";
import type { ConsultAnswer, ConsultWish } from "../toolkit/consult.ts";
import type { TeamCall } from "../toolkit/in-team.ts";
import type { Result } from "../toolkit/tool.ts";
import { assembleAgent } from "./assembly.ts";
import type { Indexing } from "./events/index-follower.ts";
import type { Streams } from "./events/stream.ts";
import type { Live } from "./live.ts";
import type { Consult } from "./memory/consult.ts";
import type { RuntimeOptions } from "./options.ts";
import type { Suspects } from "./participant/suspects.ts";
import type { AnswerGuest } from "./participant/team-call.ts";
import type { ProgramHomes } from "./program/homes.ts";
import type { Metering } from "./program/metering.ts";
import type { OwnCalls } from "./program/tool-calls.ts";
import type { Projector } from "./projection/projection.ts";
import type { Reading } from "./queries.ts";
import { restore } from "./snapshots.ts";
import type { Edits } from "./workspace/edits.ts";

export interface OpenAgent {
  live: Live;
  streams: Streams;
  edits: Edits;
  projector: Projector;
  indexing: Indexing | undefined;
  /** For people who look. */
  reading: Reading;
  /** What participants may do from outside their loops. */
  own: OwnCalls;
  metering: Metering;
  /** What it tells another agent that asks. */
  consult: Consult;
  /** A call of a lasting agent that takes part in its team. */
  answerGuest: AnswerGuest;
  /** Something may have become due. */
  tick(): void;
  /** Work in the background that an orderly end waits for. */
  track(job: Promise<void>): void;
  /** What goes on in the background now is over. */
  settled(): Promise<void>;
  close(reason: Problem): Promise<void>;
  /** Nobody runs, could run, writes or reads along: it can be closed without anyone noticing. */
  atRest(): boolean;
  /** Closes it, but keeps the lease and the wake-up: the next command or appointment opens it again. */
  rest(reason: Problem): Promise<Lease>;
  /** Loops under way, for tests and for an orderly stop. */
  running(): ReadonlySet<string>;
  /** Workspaces that may have changed and are not saved yet. */
  unsaved(): string[];
}

export interface Opening {
  create?: boolean;
  /** The log refused or the lease was lost; the agent is closed. May come before the opening has resolved. `gone`: nothing of it touches a file any more. */
  broken(problem: Problem, gone: Promise<void>): void;
  /** Something was written. */
  healthy(): void;
  /** A piece of an answer that is still coming. */
  hear(delta: Delta): void;
  /** In order, each event once, after it is durable. */
  told(events: readonly Event[]): void;
  /** Whether there is an agent of this name. */
  exists(agent: string): Promise<boolean>;
  /** What an agent tells another one, from notes that are for others. */
  consult(agent: string, by: string, wish: ConsultWish): Promise<ConsultAnswer>;
  /** What a guest does in the team of an agent. */
  callInTeam(team: string, by: string, call: TeamCall): Promise<Result>;
  /** Shared by all agents of the process, both. */
  suspects: Suspects;
  programHomes: ProgramHomes;
}

export async function openAgent(options: RuntimeOptions, agent: string, opening: Opening): Promise<OpenAgent> {
  const { store, engine } = options;
  const lease = await engine.own(agent);
  let log: Log | undefined;
  try {
    log = await store.open(agent, { fence: lease.fence, ...(opening.create ? { create: true } : {}) });
    const restored = await restore(store, agent, log);
    // The events of a creation that failed may have been cut off by this very opening.
    if (!opening.create && restored.state.seq === 0)
      throw new Problem("not_found", `there is no agent ${agent}; create it first`);
    if (lease.lost.aborted)
      throw new Problem("owned_elsewhere", `${agent} was taken over by another process while it was being opened`);
    const withheld = await withheldFolder(options, agent, restored.state);
    return assembleAgent(options, agent, lease, log, { ...restored, withheld }, opening);
  } catch (error) {
    await log?.close();
    await lease.release();
    throw error;
  }
}

/** What was right when the agent was made may be wrong now, and a log may say what nobody ever checked. Empty if its folder may be read. */
async function withheldFolder({ folder, notice }: RuntimeOptions, agent: string, state: State): Promise<string> {
  if (state.agent?.folder === undefined) return "";
  try {
    await folder?.(state.agent.folder);
    return "";
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("invalid", String(error));
    notice(agent, new Problem("invalid", `its project folder is not used. ${problem.message}`));
    return problem.message;
  }
}
