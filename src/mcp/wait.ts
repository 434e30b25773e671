/**
 * Waiting for an agent: until its run is finished, it stands still, it asks something, or nothing is left to do; but never longer than was
 * asked for. Whoever waits is told from time to time how far it is, if the client wants that.
 */
import { z } from "zod";
import { summaryOf } from "../api/summary.ts";
import type { State } from "../core/state.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { openQuestions } from "./open-questions.ts";
import type { Use } from "./tool.ts";

export const Why = z
  .enum(["finished", "paused", "question", "idle", "timeout"])
  .describe(
    "finished: its result is there, or it was stopped; paused: it stands still, see reason; question: it asks the human; idle: it has answered, see said, or waits for a time or an event; timeout: it still works",
  );

export async function wait(
  agent: string,
  ms: number,
  { house: { runtime, clock }, signal, progress }: Use,
): Promise<z.infer<typeof Why>> {
  const over = new AbortController();
  const stop = () => over.abort();
  const cancel = clock.after(ms, stop);
  signal.addEventListener("abort", stop, { once: true });
  let told = Number.NEGATIVE_INFINITY;
  try {
    const { rest, seq } = await look(runtime, agent);
    if (rest) return rest;
    for await (const _events of runtime.follow(agent, seq, over.signal)) {
      const { rest: now, where } = await look(runtime, agent);
      if (now) return now;
      if (clock.mono() - told < 1_000) continue;
      told = clock.mono();
      progress(where);
    }
    return (await look(runtime, agent)).rest ?? "timeout";
  } finally {
    cancel();
    over.abort();
    signal.removeEventListener("abort", stop);
  }
}

const look = (runtime: Runtime, agent: string) =>
  runtime.read(agent, (state) => ({ rest: atRest(state), where: where(state), seq: state.seq }));

/** Why there is nothing to wait for, if so. */
function atRest(state: State): Exclude<z.infer<typeof Why>, "timeout"> | undefined {
  const { status } = summaryOf(state);
  if (status === "completed" || status === "failed" || status === "stopped" || status === "archived") return "finished";
  if (status === "paused") return "paused";
  if (openQuestions(state).length) return "question";
  return status === "idle" ? "idle" : undefined;
}

function where({ nodes, participants }: State): string {
  const all = [...nodes.values()];
  const done = all.filter(({ status }) => status === "completed").length;
  const busy = [...participants.values()].filter((one) => one.kind !== "human" && one.turn).map(({ name }) => name);
  return `${done} of ${all.length} nodes completed; at work: ${busy.join(", ") || "nobody"}`;
}
