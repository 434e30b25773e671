/**
 * What an agent CLI does by itself right now: the command of its own that wants to reach a host, so that people are asked about that command and
 * *this time* holds for no other.
 *
 * It is what the program has reported, so it may come a moment after the command has begun; it is waited for, briefly. If several run at once it is the newest.
 */

import { callKey } from "../../core/turn/call-key.ts";
import { isReportedCall } from "../../core/turn/own-call.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { anySignal } from "../../lib/time/abort.ts";
import type { World } from "../../lib/world.ts";
import type { Live } from "../live.ts";
import type { Command } from "../network/host-gate.ts";

interface DoingOptions {
  live: Live;
  world: Pick<World, "clock">;
  changed(signal: AbortSignal): Promise<void>;
}

/** How long a program may take to say what it does. */
const saidWithinMs = 5_000;

export function createDoing(
  id: string,
  turn: string,
  title: string,
  { live, world, changed }: DoingOptions,
): Pick<Command, "now" | "known"> {
  function latest() {
    const one = live.state().participants.get(id);
    const now = one && one.kind !== "human" ? one.turn : undefined;
    return now?.id === turn && now.status === "calling"
      ? now.own?.open.findLast(({ id }) => isReportedCall(id))
      : undefined;
  }
  return {
    now() {
      const call = latest();
      return {
        call: callKey(live.state(), turn, call?.id ?? "program"),
        text: call ? `${title}, ${call.tool}: ${commandIn(call.input)}` : `${title} itself, outside of its commands`,
      };
    },
    async known(signal) {
      const late = new AbortController();
      const cancel = world.clock.after(saidWithinMs, () => late.abort());
      const waiting = anySignal(signal, late.signal, live.signal);
      while (!latest() && !waiting.signal.aborted) await changed(waiting.signal);
      cancel();
      waiting.release();
    },
  };
}

/** Programs name it differently, and some give its words one by one. */
function commandIn(input: unknown): string {
  const { command, cmd = command } = (input ?? {}) as { command?: unknown; cmd?: unknown };
  if (typeof cmd === "string") return cmd;
  return Array.isArray(cmd) && cmd.every((word) => typeof word === "string") ? cmd.join(" ") : visibleJson(input);
}
