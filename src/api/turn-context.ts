/** What a turn was shown: every part of its prompt with source, reason and tokens, and what was left out. From the log alone. */
import { z } from "zod";
import type { ShownContext } from "../schema/context.ts";
import type { Event } from "../schema/event.ts";
import { ParticipantId, RunId, Time } from "../schema/ids.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const tokens = z.number().int().nonnegative().describe("Estimated");

const TurnPart = z.object({
  name: z.string(),
  source: z.string(),
  why: z.string(),
  value: z.enum(["always", "task", "call"]),
  tokens,
  brief: z.literal(true).optional().describe("Only how to get it was shown"),
});
export type TurnPart = z.infer<typeof TurnPart>;

export const TurnContext = z
  .object({
    turn: z.string(),
    participant: ParticipantId,
    run: RunId.optional(),
    node: z.string().optional(),
    at: Time,
    tokens: tokens.describe("Of the whole prompt, estimated"),
    budget: tokens.describe("For what the task needs"),
    parts: z.array(TurnPart),
    left_out: z.array(TurnPart).describe("What the task might have used and had no room"),
    tools: z.array(z.object({ name: z.string(), why: z.string() })).describe("In the prompt, in their order"),
    further: z.array(z.string()).describe("Tools that were one call away (find_tools)"),
  })
  .describe("What a turn was shown, from where and why, and what was left out");
export type TurnContext = z.infer<typeof TurnContext>;

/** `turn` may be a participant: then its last one. */
export interface Sought {
  turn?: string | undefined;
  run?: string | undefined;
}

type Started = Event & { type: "turn.started" };

/** Folds the log; the last turn that was sought is the answer. Turns from before this was recorded have tokens only. */
export function createContextFinder({ turn, run }: Sought) {
  const contexts = new Map<string, ShownContext>();
  const offered = new Map<string, Map<string, string>>();
  let found: TurnContext | undefined;
  const isSought = ({ data, run: of }: Started) =>
    (run === undefined || of === run) && (turn === undefined || data.turn === turn || data.participant === turn);
  return {
    take(event: Event): void {
      if (event.type === "run.started") {
        contexts.clear();
        offered.clear();
      }
      if (event.type !== "turn.started") return;
      const { participant, context, offered: news = {} } = event.data;
      if (context) contexts.set(participant, context);
      const reasons = offered.get(participant) ?? new Map<string, string>();
      for (const [tool, why] of Object.entries(news)) reasons.set(tool, why);
      offered.set(participant, reasons);
      if (isSought(event)) found = viewOf(event, contexts.get(participant), reasons);
    },
    found: () => found,
  };
}

const unknown: ShownContext = { parts: [], tools: [], budget: 0 };

function viewOf(
  { data, run, ts }: Started,
  context: ShownContext = unknown,
  reasons: ReadonlyMap<string, string>,
): TurnContext {
  const { turn, participant, node, bill = {} } = data;
  const known = new Set(context.parts.map(({ name }) => name));
  const parts = context.parts.flatMap(({ shown, ...part }): TurnPart[] =>
    shown === "no" ? [] : [shown === "brief" ? { ...part, brief: true } : part],
  );
  const rest = Object.entries(bill).filter(([name]) => !known.has(name));
  return {
    ...{ turn, participant, at: ts, budget: context.budget },
    ...(run ? { run } : {}),
    ...(node ? { node } : {}),
    tokens: Object.values(bill).reduce((sum, count) => sum + count, 0),
    parts: [...parts, ...rest.map(([name, count]) => ofBill(name, count))],
    left_out: context.parts.flatMap(({ shown, ...part }) => (shown === "no" ? [part] : [])),
    tools: context.tools.map((name) => ({ name, why: reasons.get(name) ?? "always" })),
    further: context.further ?? [],
  };
}

/** Parts that change with every turn, or with the tools. */
const ofBill = (name: string, tokens: number): TurnPart => {
  const [source, why] = {
    schemas: ["the tools it is offered", "the provider needs them"],
    conversation: ["the log", "what was said and done"],
    note: ["the moment", "time, turns and money left"],
  }[name] ?? ["the log", ""];
  return { name, source: source!, why: why!, value: "always", tokens };
};

export const turnContextRoutes = {
  getContext: route({
    method: "GET",
    path: "/agents/{agent}/context",
    tag: "talk",
    summary: "Get what a turn was shown, and what was left out",
    about:
      "Every part of the prompt with its source, the reason and its tokens, the tools that were in it, and those that were one call away. It comes from the log, so it is there for every turn.",
    params: OfAgent,
    query: z.object({
      turn: z
        .string()
        .max(200)
        .optional()
        .describe("A turn such as coordinator.3, or a participant for its last one; default: the last turn of all"),
      run: RunId.optional().describe("Default: the last run that has such a turn"),
    }),
    ok: 200,
    answer: TurnContext,
    errors: ["not_found"],
  }),
};
