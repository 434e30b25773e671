/** Which events of the log are conversation. The one list of them: the API's pages, the human's `conversation.jsonl` and the index use it. */

import type { Event } from "../../schema/event.ts";
import type { Utterance } from "../../schema/utterance.ts";
import { defaultLead } from "../run/lead.ts";

export function utteranceIn(event: Event): Utterance | undefined {
  const shared = { seq: event.seq, at: event.ts, run: event.run ?? "" };
  switch (event.type) {
    case "run.started":
      return {
        kind: "goal",
        ...shared,
        from: "human",
        to: event.data.team?.lead === false ? [] : [defaultLead.id],
        text: event.data.goal,
      };
    case "message.posted": {
      const { message: id, ...given } = event.data;
      return { kind: "message", id, ...shared, ...given };
    }
    case "question.asked": {
      const { question, by, text, options } = event.data;
      return { kind: "question", ...shared, question, from: by, to: ["human"], text, ...(options ? { options } : {}) };
    }
    case "question.answered": {
      const { question, answer, message } = event.data;
      return {
        kind: "answer",
        ...shared,
        question,
        from: "human",
        to: [],
        text: answer,
        ...(message ? { message } : {}),
      };
    }
    case "run.completed":
      return {
        kind: "result",
        ...shared,
        from: event.actor === "system" ? "system" : defaultLead.id,
        to: ["human"],
        text: event.data.summary,
      };
    default:
      return undefined;
  }
}

/** For callers that only need the position. */
export const isUtterance = (event: Event): boolean => utteranceIn(event) !== undefined;
