/** Explains invalid input of a call so that the model can act on it: which field, why, and what the tool accepts. */
import type { z } from "zod";
import type { Tool } from "./tool.ts";
import { shapeOf } from "./tool.ts";

export function explain(tool: Tool, error: z.ZodError): string {
  const issues = error.issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "input"}: ${message}`);
  return `${tool.name}: ${issues.join("; ")}. It takes ${parameters(tool)}.`;
}

interface Property {
  type?: string;
  enum?: unknown[];
}

/** e.g. `{to: string, content: string, priority?: "low" | "high"}`. */
function parameters(tool: Tool): string {
  const { properties = {}, required = [] } = shapeOf(tool).input as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  const fields = Object.entries(properties).map(([name, { type, enum: values }]) => {
    const what = values ? values.map((value) => JSON.stringify(value)).join(" | ") : (type ?? "any");
    return `${name}${required.includes(name) ? "" : "?"}: ${what}`;
  });
  return `{${fields.join(", ")}}`;
}
