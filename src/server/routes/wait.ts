/** Waiting for an agent over HTTP: the one place where callers wait. What there is to wait for is in core/agent/standing.ts. */
import { progressOf, standingView, type waitRoutes } from "../../api/wait.ts";
import { isAtRest, type Standing, standingOf } from "../../core/agent/standing.ts";
import { anySignal } from "../../lib/time/abort.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { inPieces, wantsPieces } from "../pieces.ts";
import { assertKnown } from "./agents.ts";

type Needs = Pick<Served, "runtime" | "clock">;

interface Waiting {
  agent: string;
  ms: number;
  until: Until;
  signal: AbortSignal;
  /** Reports progress, at most once a second. */
  progress?(text: string): void;
}

type Until = "anything" | "question" | "rest";

function isOver(standing: Standing, until: Until): boolean {
  if (until === "anything") return standing.is !== "working";
  return isAtRest(standing) || (until === "question" && standing.is === "question");
}

const everyMs = 1_000;

export const waitHandlers = (needs: Needs): Handlers<typeof waitRoutes> => ({
  async waitForAgent({ params: { agent }, query: { seconds, until }, request, signal }) {
    const { runtime, clock } = needs;
    assertKnown(runtime, agent);
    const waiting = { agent, ms: seconds * 1000, until };
    if (!wantsPieces(request)) return await awaitStanding(needs, { ...waiting, signal });
    // A read error becomes an error response, not the middle of a stream.
    const now = await runtime.read(agent, standingView);
    return inPieces({
      clock,
      signal,
      async work(say, gone) {
        const progress = (text: string) => say("progress", { text });
        const data = await awaitStanding(needs, { ...waiting, signal: gone, progress }).catch(() => now);
        return { event: "standing", data };
      },
    });
  },
});

async function awaitStanding({ runtime, clock }: Needs, { agent, ms, until, signal, progress }: Waiting) {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  const over = anySignal(signal, late.signal);
  let told = Number.NEGATIVE_INFINITY;
  const look = () =>
    runtime.read(agent, (state) => {
      const standing = standingOf(state);
      if (isOver(standing, until)) return { seq: state.seq, given: standingView(state) };
      return { seq: state.seq, where: progress && progressOf(state) };
    });
  try {
    const first = await look();
    if (first.given) return first.given;
    if (ms > 0)
      for await (const _events of runtime.follow(agent, first.seq, over.signal)) {
        const { given, where } = await look();
        if (given) return given;
        if (!progress || clock.mono() - told < everyMs) continue;
        told = clock.mono();
        progress(where!);
      }
    return await runtime.read(agent, standingView);
  } finally {
    cancel();
    over.release();
  }
}
