/**
 * How much of what a program reports is recorded in one turn, so that no program fills the disk or our memory: texts are shortened, more once there
 * are many, and a program that reports without end is ended.
 */
import { shortenMiddle } from "../../lib/text/text.ts";

export interface Ration {
  /** The text as it is recorded. */
  cut(text: string): string;
  /** Counts something that is recorded. */
  spend(recorded: object): void;
  isOver(): boolean;
}

/** Characters of one text; of one when so much is recorded that texts are kept short; and of all. */
const mostText = 20_000;
const shortText = 500;
const shortFrom = 4_000_000;
const mostOfAll = 12_000_000;
/** What an event has besides its texts. */
const overhead = 300;

export function createRation(): Ration {
  let spent = 0;
  return {
    cut: (text) => shortenMiddle(text, spent < shortFrom ? mostText : shortText),
    spend(recorded) {
      spent += JSON.stringify(recorded).length + overhead;
    },
    isOver: () => spent > mostOfAll,
  };
}
