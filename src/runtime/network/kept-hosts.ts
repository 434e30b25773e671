/**
 * Hosts that the human allowed for good: written to the config, once, by whoever opened the home (RuntimeOptions.allowAlways).
 *
 * Level-triggered: what was allowed and is not in the config yet (`state.hosts.unkept`) is written after the answer is durable, and after a restart
 * that came in between. If it cannot be written people are told; the answer then holds for the run, and the next start tries again.
 */
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";

export interface KeptHosts {
  /** Looks whether there is something to write. */
  look(): void;
}

export interface KeptHostsOptions {
  live: Live;
  allowAlways: ((subject: string) => Promise<void>) | undefined;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

export function createKeptHosts({ live, allowAlways, track, notice }: KeptHostsOptions): KeptHosts {
  const tried = new Set<string>();

  async function keep(subject: string): Promise<void> {
    try {
      await allowAlways?.(subject);
      await live.dispatch({ type: "host.keep", subject }, { actor: "system" });
    } catch (error) {
      if (live.signal.aborted) return;
      notice(
        error instanceof Problem
          ? error
          : new Problem("storage_failed", `${subject} was not written to config.yaml: ${String(error)}`),
      );
    }
  }

  return {
    look() {
      for (const subject of live.state().hosts.unkept) {
        if (!allowAlways || tried.has(subject)) continue;
        tried.add(subject);
        track(keep(subject));
      }
    },
  };
}
