/** Short notes for one call only, after everything else. */

export const flush = `Your context is nearly full and will be shortened after this turn: everything but your instructions, your memory and the last few turns is dropped. Write down now, with your tools, what you will need later: results into files, where you are and what comes next into a file of your own, lasting insights into memory. Do nothing else in this turn.`;

export const shortened = `Your conversation was shortened: {turns} earlier turns are no longer visible to you. Your spec, your memory and your own files are the truth about what you have done. Look at them before you go on.`;

export const cut = `Your last answer was cut off at the maximum length, and the tool calls it had begun were not run. Continue in smaller steps: write long texts into files piece by piece.`;
