/** Which messages of a channel somebody looks for: by words, all of which a text must have, in any case; and by who wrote it. */
import type { Message } from "../../schema/message.ts";
import { foldCase } from "../team/names.ts";
import { wholeText } from "./attachments.ts";

export interface ChannelQuery {
  query?: string | undefined;
  /** An address. */
  from?: string | undefined;
}

export interface ChannelWish extends ChannelQuery {
  /** Messages before this seq. */
  before?: number | undefined;
  limit: number;
  /** The current one if missing. */
  run?: string | undefined;
}

/** A page of one run's channel, newest first; `more`: there are matching ones before them. */
export interface ChannelPage {
  run: string;
  messages: Message[];
  more: boolean;
}

/** `text`: the whole of a long message, of which the message has only the beginning. */
export function matchesQuery(message: Message, { query, from }: ChannelQuery, text = wholeText(message)): boolean {
  if (from !== undefined && message.from !== from) return false;
  if (query === undefined) return true;
  const folded = foldCase(text);
  return query.split(/\s+/).every((word) => folded.includes(foldCase(word)));
}
