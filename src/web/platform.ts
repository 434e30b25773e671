/** What the page needs of the browser besides the document: the clock, and a call that comes later. The one place where it reaches them. */
import { platform } from "../client/platform.ts";

export const now = (): number => Date.now();

/** Calls back once, after `ms`. Returns a function that cancels. */
export const after = platform.after;

export const unique = platform.unique;
