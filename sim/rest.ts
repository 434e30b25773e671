/** Liveness: what must be so between any two events, and what must come to be so when nothing goes wrong any more. */
import { isIntended } from "../src/core/agent/pause.ts";
import { canRun } from "../src/core/team/worker.ts";
import { retryWait, startable } from "../src/runtime/participant/schedule.ts";
import type { Fleet } from "./fleet.ts";
import { limits } from "./host.ts";
import type { Human } from "./human.ts";
import { checkWhole } from "./outcome.ts";
import type { Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";

/** Between any two events: nobody who could run is left lying, no budget is overdrawn, nothing is half published, nobody owns what another owns. */
export function checkAlways(fleet: Fleet, setup: Setup, agents: readonly string[], witness: Witness): void {
  fleet.check(agents, false);
  const bounds = limits(setup);
  for (const host of fleet.hosts) {
    for (const agent of agents) {
      const open = host.up()?.runtime.opened(agent);
      if (!open || open.live.signal.aborted) continue;
      const state = open.live.state();
      const idle = startable(state, open.running(), bounds, (one) => retryWait(one, 0) === 0);
      checkWhole(host.disk, state, witness);
      if (idle.length && !host.up()?.stopping)
        witness.violated("I3", `${agent}: ${idle.join(", ")} could run and nobody lets them`);
      const account = state.accounts.get("agent");
      // What a program on its own login used is known when it says so.
      if (account?.limit.usd === undefined || setup.cli?.gateway === false) continue;
      const { limit, spent, reserved } = account;
      if (spent.usd + reserved.usd > limit.usd! + 1e-9)
        witness.violated("I9", `${agent}: ${spent.usd} spent and ${reserved.usd} reserved of ${limit.usd}`);
      if (!losesCalls(setup) && witness.bill(agent) > limit.usd! + 1e-7)
        witness.violated("I9", `${agent}: the provider counts ${witness.bill(agent)} of ${limit.usd}`);
    }
  }
}

/** Of a call that died with its process nobody knows the end: what it cost beyond what was heard is in no log. */
const losesCalls = ({ crashes, stops, poison, hosts, moves, world: { disk } }: Setup): boolean =>
  crashes + stops > 0 || poison !== undefined || hosts > 1 || moves || disk.eio + disk.enospc + disk.erofs > 0;

/** Why it is not over yet, if so: a request without an answer, an agent without an owner, someone who has something to do. */
export function restless(fleet: Fleet, human: Human, agents: readonly string[]): string | undefined {
  const awaited = human.awaits();
  if (awaited) return awaited;
  for (const agent of agents) {
    const open = fleet.opened(agent);
    const up = fleet.owner(agent)?.up();
    if (!up) return `${agent} has no owner that is up`;
    if (!open) return `${agent} is not open: ${up.runtime.fault(agent)?.message}`;
    const state = open.live.state();
    const status = state.agent?.status;
    if (open.running().size) return `${agent} is ${status}, running ${[...open.running()].join(", ")}`;
    if (open.live.durableSeq() !== state.seq) return `${agent} has written ${open.live.durableSeq()} of ${state.seq}`;
    if (open.indexing?.isIdle() === false) return `${agent} is being indexed`;
    const unsaved = open.unsaved();
    if (unsaved.length) return `${agent}: ${unsaved.join(", ")} is not saved`;
    if (state.agent?.status === "paused" && isIntended(state.agent.reason.code)) return `${agent} is paused`;
    if (state.deliveries.size) return `${agent} has ${[...state.deliveries.keys()].join(", ")} to send`;
    if (state.outbox.size) return `${agent} has ${[...state.outbox.keys()].join(", ")} to send`;
    if (status === "stopped") return `${agent} is stopped`;
    if (status === "active" && state.agent?.mode === "infinite") return `${agent} is not finished yet`;
    if (status !== "active") continue;
    if (state.preparation) return `${agent}: ${state.preparation.run} is being prepared`;
    const busy = [...state.participants.values()].filter(canRun);
    if (busy.length) return `${agent}: could run ${busy.map((one) => `${one.id} ${JSON.stringify(one)}`).join(", ")}`;
    for (const { id, status } of state.questions.values()) if (status === "open") return `${agent}: ${id} is open`;
  }
  return undefined;
}
