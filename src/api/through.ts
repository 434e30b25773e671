/** A program that speaks for the human by another protocol says so with each request. It can only lose rights by it, so it is taken at its word. */
export const throughHeader = "agiraph-through";

export const ways = ["mcp", "a2a"] as const;
export type Way = (typeof ways)[number];
