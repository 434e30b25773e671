/**
 * Search through everything that was ever said to or by a participant, from the log: for the agent itself the conversation of all runs, for a worker
 * that of this run; and what it wrote itself. Each long text is searched piece by piece, and a piece is what is found.
 */
import { createRanking } from "../../core/message/conversation-search.ts";
import { utteranceIn } from "../../core/message/utterance.ts";
import { leads } from "../../core/run/lead.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import type { ConversationSearch, FoundSaying } from "../../toolkit/tool.ts";

export interface ConversationSearchOptions {
  state(): State;
  durable(): Promise<void>;
  past(after: number): AsyncIterable<Event[]>;
  /** The whole of a message of which the log has only the beginning. */
  blob(sha256: string): Promise<Buffer | null>;
}

/** Characters of one piece. */
const piece = 700;

export const createConversationSearch =
  ({ state, durable, past, blob }: ConversationSearchOptions) =>
  async (me: string, { query, run, limit }: Parameters<ConversationSearch>[0]): Promise<FoundSaying[]> => {
    const { run: current, past: ended } = state();
    const only = leads(state(), me) ? run : current?.id;
    const runs = [...ended, ...(current ? [current] : [])];
    const from = runs.find(({ id }) => id === only)?.first_seq ?? 1;
    await durable();
    const ranking = createRanking<FoundSaying>(query, limit);
    for await (const events of past(from - 1))
      for (const event of events) {
        if (only !== undefined && event.run !== only) continue;
        const said = sayingIn(event, me);
        if (!said) continue;
        const whole = said.resource === undefined ? null : await blob(said.resource);
        const { resource: _, ...rest } = said;
        for (const text of piecesOf(whole ? String(whole) : said.text)) ranking.add({ ...rest, text });
      }
    return ranking.best();
  };

function sayingIn(event: Event, me: string): (FoundSaying & { resource?: string | undefined }) | undefined {
  const said = utteranceIn(event);
  if (said) {
    const { seq, at, run, from, text } = said;
    const id = said.kind === "message" ? said.id : "question" in said ? said.question : said.kind;
    return {
      seq,
      at,
      run,
      id,
      from,
      to: said.to,
      text,
      ...(said.kind === "message" ? { resource: said.resource } : {}),
    };
  }
  if (event.type !== "turn.answered" || event.data.participant !== me || !event.data.text.trim()) return undefined;
  const { turn, text } = event.data;
  return { seq: event.seq, at: event.ts, run: event.run ?? "", id: turn, from: me, to: [], text };
}

/** After whole lines or sentences, where that is possible. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest; ) {
    const near = Math.max(
      rest.lastIndexOf("\n", piece),
      rest.lastIndexOf(". ", piece) + 1,
      rest.lastIndexOf(" ", piece),
    );
    const end = rest.length <= piece ? rest.length : near > piece / 3 ? near : piece;
    pieces.push(rest.slice(0, end).toWellFormed());
    rest = rest.slice(end).trimStart();
  }
  return pieces;
}
