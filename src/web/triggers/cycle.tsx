/** An infinite agent's own rhythm: what wakes it although no trigger is set. */

import type { State } from "../../core/state.ts";
import { nextBeat, skippedHeartbeats } from "../../core/time/cycle.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import { useNow } from "../store/hooks.ts";
import { Countdown } from "./countdown.tsx";
import { kinds, whenOf } from "./words.ts";

export function Cycle({ state }: { state: State }) {
  const time = useNow(1_000);
  const { agent, cycle } = state;
  if (!agent?.cycle_seconds || !cycle) return null;
  const next = nextBeat(state, time);
  const skipped = skippedHeartbeats(state, time);
  return (
    <div className="tg">
      <span className={`ny-kind ${next === undefined ? "neutral" : "waiting"}`}>
        <Icon name={kinds.heartbeat.icon} />
      </span>
      <b>{whenOf({ type: "heartbeat", interval_seconds: agent.cycle_seconds })}</b>
      <span className="r num">
        {next === undefined ? agent.status : <Countdown at={new Date(next).toISOString()} />}
      </span>
      <p>Wakes the coordinator for its next cycle</p>
      <p className="dim">
        {cycle.number ? `${plural(cycle.number, "cycle")} in this run` : "No cycle in this run yet"}
        {skipped ? `, skipped ${plural(skipped, "time")} with nothing new` : ""}, set when the agent was created
      </p>
    </div>
  );
}
