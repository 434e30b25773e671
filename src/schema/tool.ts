/** A tool as a model sees it. */
export interface ToolShape {
  name: string;
  about: string;
  /** JSON schema of an object. */
  input: Record<string, unknown>;
}
