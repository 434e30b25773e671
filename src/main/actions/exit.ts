/** How a command ends; main.ts says what the codes mean. */
export const exit = { done: 0, problem: 1, usage: 2, locked: 3, waiting: 4 } as const;
