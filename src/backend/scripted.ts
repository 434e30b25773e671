/**
 * Plays a script instead of calling a model: for tests, the simulation and the demo. Deterministic: the same request gives the same answer, so a
 * call that was lost in a crash and retried changes nothing.
 *
 * A script lists, per participant, one step for each turn. After the last step the participant says nothing and rests.
 */
import { parseDocument } from "yaml";
import { z } from "zod";
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import type { Backend, Request } from "./backend.ts";

export const Step = z.object({
  say: z.string().default(""),
  seconds: z.number().nonnegative().default(0).describe("How long the answer takes"),
  usd: z.number().nonnegative().default(0),
  calls: z
    .array(z.object({ tool: z.string().min(1), input: z.record(z.string(), z.unknown()).default({}) }))
    .default([]),
});
export const Script = z.object({
  about: z.string().default(""),
  goal: z.string().default(""),
  participants: z.record(z.string(), z.array(Step)),
});
export type Script = z.infer<typeof Script>;
export type ScriptInput = z.input<typeof Script>;

export function parseScript(text: string, name: string): Script {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault) throw new Problem("invalid", `the script ${name} is invalid: ${fault.message}`);
  const read = Script.safeParse(document.toJS());
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Problem(
    "invalid",
    `the script ${name} is invalid at ${issue?.path.join(".") || "the top"}: ${issue?.message}`,
  );
}

export function createScripted(script: ScriptInput, clock: Clock): Backend {
  const { participants } = Script.parse(script);
  const stepOf = ({ participant, turns }: Request) => participants[participant]?.[turns - 1] ?? Step.parse({});
  return {
    worst: (request) => ({ usd: participants[request.participant]?.[request.turns]?.usd ?? 0, tokens: 0 }),
    async *call(request, signal) {
      const step = stepOf(request);
      if (step.seconds)
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
          clock.after(step.seconds * 1000, resolve);
        });
      signal.throwIfAborted();
      if (step.say) yield { type: "text", text: step.say };
      for (const [index, { tool, input }] of step.calls.entries())
        yield { type: "call", id: `c${index + 1}`, tool, input };
      yield { type: "end", cost: { usd: step.usd, tokens: 0 } };
    },
  };
}
