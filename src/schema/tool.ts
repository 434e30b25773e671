/** A tool as a model sees it. */
export interface ToolShape {
  name: string;
  about: string;
  /** JSON schema of an object. */
  input: Record<string, unknown>;
}

/** The two tools through which every other one is reached. */
export const discovery = { find: "find_tools", use: "use_tool" } as const;
