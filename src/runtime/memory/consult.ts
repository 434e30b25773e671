/**
 * What an agent tells another one that asks what it knows: from notes that are for others, with their sources, and from nothing else. No model is
 * asked. Who asked what, and what it was told, is in the log of the agent that was asked before the answer is given.
 */
import type { Memories } from "../../guard/memory.ts";
import { agentPlace } from "../../guard/memory-place.ts";
import { splitPast } from "../../guard/note-head.ts";
import type { Visibility } from "../../schema/note.ts";
import type { ConsultAnswer, ConsultWish } from "../../toolkit/consult.ts";
import type { Live } from "../live.ts";

export type Consult = (by: string, wish: ConsultWish) => Promise<ConsultAnswer>;

/** Notes in one answer. */
const most = 4;
/** What fits less is not about the question. */
const leastFit = 0.3;

export function createConsult({ home, live, memories }: { home: string; live: Live; memories: Memories }): Consult {
  return async (by, { participant, isWorker, question }) => {
    const visible: Visibility[] = isWorker ? ["public"] : ["shareable", "public"];
    const { found } = await memories.of(agentPlace(home, live.agent)).find(question, most, visible);
    const notes = found.filter(({ fit }) => fit >= leastFit);
    const paths = [...new Set(notes.map(({ path }) => path))];
    await live.dispatch({ type: "memory.ask", by, participant, question, notes: paths }, { actor: `agent:${by}` });
    await live.durable();
    const foreign = new Set(live.state().taint.notes);
    return {
      notes: notes.map(({ path, text, noted, source, origin }) => ({
        path,
        text: splitPast(text).now,
        ...(noted ? { noted } : {}),
        ...(source ? { source } : {}),
        ...(foreign.has(path) || origin !== undefined ? { outside: true } : {}),
      })),
    };
  };
}
