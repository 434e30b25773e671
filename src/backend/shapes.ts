/**
 * Tool schemas in the form that a provider accepts. JSON schema has more features than providers support: an object at the top for all of them, and
 * for Gemini only a subset. Only hints for the model are lost: every input is validated by our own schema anyway.
 */
import type { LanguageModelV4FunctionTool, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ToolShape } from "../schema/tool.ts";
import { plainName } from "./names.ts";

export type Dialect = "anthropic" | "openai" | "google" | "chat";
type Schema = Record<string, unknown>;
type WireTool = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool;

/** Our tool that a provider's own search replaces. */
export const searchTool = "web_search";

/** `names` maps the wire's names to ours. Where the provider's search is not allowed, our own takes its place. */
export function toolsFor(
  tools: readonly ToolShape[],
  dialect: Dialect,
  searches: number,
): { tools: WireTool[]; names: Map<string, string> } {
  const names = new Map<string, string>();
  const wire: WireTool[] = [];
  for (const tool of tools) {
    const name = plainName(tool.name);
    if (names.has(name)) continue;
    names.set(name, tool.name);
    if (tool.name === searchTool && searches > 0 && dialect !== "chat") wire.push(native[dialect](searches));
    else wire.push(offered(tool, name, dialect));
  }
  return { tools: wire, names };
}

/** OpenAI takes its limit beside the tools (model.ts); Google takes none. */
const native: Record<Exclude<Dialect, "chat">, (searches: number) => LanguageModelV4ProviderTool> = {
  anthropic: (maxUses) => ({
    type: "provider",
    id: "anthropic.web_search_20250305",
    name: searchTool,
    args: { maxUses },
  }),
  openai: () => ({ type: "provider", id: "openai.web_search", name: searchTool, args: {} }),
  google: () => ({ type: "provider", id: "google.google_search", name: searchTool, args: {} }),
};

function offered(tool: ToolShape, name: string, dialect: Dialect): LanguageModelV4FunctionTool {
  const top = objectAtTop(tool.input);
  return {
    type: "function",
    name,
    description: tool.about,
    inputSchema: dialect === "google" ? forGemini(top, top) : top,
    // Strict schemas allow no optional field.
    ...(dialect === "openai" ? { strict: false } : {}),
  };
}

/** A union of objects becomes one object with the fields of all, of which only the common ones are required. */
export function objectAtTop(given: Schema): Schema {
  const { $schema: _, ...schema } = given;
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as Schema[] | undefined;
  if (!choices) return { ...schema, type: "object", properties: schema.properties ?? {} };
  const { anyOf: _a, oneOf: _o, allOf, ...rest } = schema;
  const all = choices.map((choice) => objectAtTop(resolve(choice, schema)));
  const required = all.map(({ required }) => new Set((required as string[]) ?? []));
  const common = allOf
    ? [...new Set(required.flatMap((one) => [...one]))]
    : [...(required[0] ?? [])].filter((field) => required.every((one) => one.has(field)));
  const properties: Schema = {};
  for (const one of all)
    for (const [field, shape] of Object.entries(one.properties as Schema)) {
      const before = properties[field];
      properties[field] = before && JSON.stringify(before) !== JSON.stringify(shape) ? either(before, shape) : shape;
    }
  return { ...rest, type: "object", properties, ...(common.length ? { required: common } : {}) };
}

const either = (a: unknown, b: unknown): Schema => ({
  anyOf: [...((a as Schema).anyOf ? ((a as Schema).anyOf as unknown[]) : [a]), b],
});

const geminiWords = new Set(
  "type format title description nullable enum items prefixItems minItems maxItems minimum maximum properties required anyOf additionalProperties".split(
    " ",
  ),
);

/** Depth is bounded, because a schema may refer to itself. */
function forGemini(given: Schema, top: Schema, depth = 0): Schema {
  if (depth > 12) return {};
  const schema = resolve(given, top);
  const inner = (one: unknown): unknown =>
    typeof one === "object" && one !== null && !Array.isArray(one) ? forGemini(one as Schema, top, depth + 1) : one;
  const made: Schema = {};
  for (const [word, value] of Object.entries(schema)) {
    if (word === "properties")
      made.properties = Object.fromEntries(Object.entries(value as Schema).map(([field, one]) => [field, inner(one)]));
    else if ((word === "anyOf" || word === "oneOf" || word === "prefixItems") && Array.isArray(value))
      made[word === "oneOf" ? "anyOf" : word] = value.map(inner);
    else if (word === "allOf" && Array.isArray(value)) Object.assign(made, ...value.map(inner));
    else if (word === "const") Object.assign(made, oneOf([value]));
    else if (word === "enum" && Array.isArray(value)) Object.assign(made, oneOf(value));
    else if (word === "exclusiveMinimum" && typeof value === "number") made.minimum ??= value;
    else if (word === "exclusiveMaximum" && typeof value === "number") made.maximum ??= value;
    else if (word === "type" && Array.isArray(value)) made.anyOf = value.map((type) => ({ type }));
    else if (geminiWords.has(word)) made[word] = inner(value);
  }
  if (Array.isArray(schema.type)) delete made.type;
  return made;
}

/** Gemini accepts only strings in an enum; others are described in text. */
const oneOf = (values: unknown[]): Schema =>
  values.every((value) => typeof value === "string")
    ? { type: "string", enum: values }
    : { description: `one of ${JSON.stringify(values)}` };

function resolve(schema: Schema, top: Schema): Schema {
  let now = schema;
  for (let steps = 0; typeof now.$ref === "string" && steps < 20; steps++) {
    const path = now.$ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    let found: unknown = top;
    for (const step of path)
      found = (found as Schema | undefined)?.[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")];
    const { $ref: _, ...beside } = now;
    now = { ...(typeof found === "object" && found !== null ? (found as Schema) : {}), ...beside };
  }
  return now;
}
