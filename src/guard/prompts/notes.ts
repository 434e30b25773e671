/** Short notes for one call only, after everything else. */

export const flush = `Your context is nearly full and will be shortened after this turn: everything but your instructions, your memory and the last few turns goes. Write down now, with your tools, what you would miss: results into files, where you are and what comes next into a file of your own, lasting insights into memory. Do nothing else in this turn.`;

export const shortened = `Your conversation was shortened: {turns} earlier turns are gone from your sight. Your spec, your memory and your own files are the truth about what you have done. Look at them before you go on.`;

export const cut = `Your last answer was cut off at the longest an answer may be, and what it had begun to call was not run. Go on in smaller steps: write long things into files piece by piece.`;
