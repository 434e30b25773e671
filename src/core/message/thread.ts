/**
 * The conversation with the human over all runs, as far as the state keeps it: the latest of what was said before this run and in it, and what is
 * still open. What a run is shown of earlier ones is `before`, which is the same from its start to its end.
 *
 * Always holds: bounded, whatever is said. The log has all of it.
 * Not here: what is conversation (utterance.ts), what stays open (statement.ts).
 */
import { shorten } from "../../lib/text/text.ts";
import type { Event } from "../../schema/event.ts";
import type { Spoken, Talk } from "../../schema/statement.ts";
import type { Utterance } from "../../schema/utterance.ts";
import { defineBehaviour, type Reduce } from "../noun.ts";
import { statementsIn, withStatements } from "./statement.ts";
import { utteranceIn } from "./utterance.ts";

/** Things that were said, and characters of each. */
const mostSpoken = 24;
const longest = 600;

const reduceThread: Reduce = (state, event) => {
  if (event.type === "run.started") state.thread = { before: joined(state.thread.before, state.thread.now), now: none };
  const said = withHuman(event);
  if (!said) return;
  const { now } = state.thread;
  const { from, text, seq, run } = said;
  state.thread = {
    ...state.thread,
    now: {
      spoken: [...now.spoken, spokenOf(said)].slice(-mostSpoken),
      open: withStatements(now.open, statementsIn({ from, text, seq, run })),
    },
  };
};

const none: Talk = { spoken: [], open: [] };

const joined = (before: Talk, now: Talk): Talk => ({
  spoken: [...before.spoken, ...now.spoken].slice(-mostSpoken),
  open: withStatements(before.open, now.open),
});

/** Said by the human or to them. */
function withHuman(event: Event): Utterance | undefined {
  const said = utteranceIn(event);
  if (!said || (said.from !== "human" && !said.to.includes("human"))) return undefined;
  // An answer that came as a message is that message.
  return said.kind === "answer" && said.message ? undefined : said;
}

function spokenOf(said: Utterance): Spoken {
  const { run, seq, at, kind, from, text } = said;
  const id = said.kind === "message" ? said.id : "question" in said ? said.question : undefined;
  return { run, seq, at, kind, from, text: shorten(text, longest), ...(id ? { id } : {}) };
}

export const thread = defineBehaviour({
  reduce: [
    {
      phase: "own",
      looksAt: ["run.started", "run.completed", "message.posted", "question.asked", "question.answered"],
      reduce: reduceThread,
    },
  ],
});
