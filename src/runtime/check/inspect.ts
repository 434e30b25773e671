/** Looks at a text in a worker thread (inspect-thread.ts) that is ended when it takes too long. A failure of the thread itself is an answer. */
import type { World } from "../../lib/world.ts";
import type { Answer, Job } from "./inspect-thread.ts";

const timeoutMs = 10_000;
const memoryMb = 256;

export async function inspect({ threads }: World, job: Job, signal: AbortSignal): Promise<Answer> {
  try {
    return (await threads.run({ module, input: job, signal, timeoutMs, memoryMb })) as Answer;
  } catch (error) {
    signal.throwIfAborted();
    const what = { schema: "the JSON schema", pattern: "the pattern", links: "the text" }[job.do];
    return { broken: `${what} could not be worked through: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const module = new URL(
  import.meta.url.endsWith(".ts") ? "./inspect-thread.ts" : "./inspect-thread.mjs",
  import.meta.url,
);
