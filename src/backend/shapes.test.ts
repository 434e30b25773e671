import { expect, test } from "vitest";
import { z } from "zod";
import { plainName } from "./names.ts";
import { toolsFor } from "./shapes.ts";

const schemaFor = (dialect: "anthropic" | "google" | "openai" | "chat", input: z.ZodType) => {
  const [tool] = toolsFor([{ name: "t", about: "", input: z.toJSONSchema(input, { io: "input" }) }], dialect, 0).tools;
  return tool?.type === "function" ? tool.inputSchema : undefined;
};

test("a choice between objects is one object at the top, because no provider takes anything else there", () => {
  const choice = z.discriminatedUnion("type", [
    z.object({ type: z.literal("at"), at: z.string(), zone: z.string().optional() }),
    z.object({ type: z.literal("delay"), seconds: z.number() }),
  ]);
  for (const dialect of ["anthropic", "google", "openai", "chat"] as const) {
    const schema = schemaFor(dialect, choice)!;
    expect(schema).toMatchObject({ type: "object", required: ["type"] });
    expect(Object.keys(schema.properties!)).toEqual(["type", "at", "zone", "seconds"]);
    expect(schema).not.toHaveProperty("oneOf");
    expect(schema).not.toHaveProperty("$schema");
  }
});

test("Gemini is shown only words that it knows", () => {
  const tree: z.ZodType = z.lazy(() => z.object({ name: z.string(), inner: tree.optional() }));
  const odd = z.object({
    kind: z.literal("a"),
    level: z.union([z.literal(1), z.literal(2)]),
    count: z.number().gt(0).lt(9),
    some: z.record(z.string(), z.string()),
    word: z.string().regex(/^a/).min(1).nullable().default("a"),
    pair: z.tuple([z.string(), z.number()]),
    tree,
  });
  const text = JSON.stringify(schemaFor("google", odd));
  expect(text).not.toMatch(
    /"(\$ref|\$defs|const|pattern|exclusiveMinimum|exclusiveMaximum|propertyNames|default|minLength|oneOf|allOf|not)":/,
  );
  expect(JSON.parse(text)).toMatchObject({
    type: "object",
    required: ["kind", "level", "count", "some", "pair", "tree"],
    properties: { kind: { type: "string", enum: ["a"] }, count: { type: "number", minimum: 0, maximum: 9 } },
  });
});

test("names are made plain, stay apart, and are the same each time", () => {
  const names = ["mcp.git.x", "mcp_git_x", "mcp git x", "9x", "", "x".repeat(80), `${"x".repeat(79)}y`];
  const plain = names.map(plainName);
  for (const name of plain) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  expect(new Set(plain).size).toBe(names.length);
  expect(names.map(plainName)).toEqual(plain);
  expect(plainName("write_file")).toBe("write_file");
});
