import { expect, test } from "vitest";
import { neededFields, neededInList, pageModule } from "./page-declarations.ts";

/** What the module exports when it is run, with declarations that return what they are given. */
function run(code: string): Record<string, unknown> {
  const names = [...code.matchAll(/export const (\w+)/g)].map(([, name]) => name);
  const body = `${code.replaceAll("export const", "const")}\nreturn { ${names.join(", ")} };`;
  const same = (given: unknown) => given;
  return new Function("route", "defineNoun", "defineBehaviour", "z", body)(same, same, same, undefined);
}

test("a route keeps what a call needs, also of what is spread into it; its schemas are never made", () => {
  const code = `const read = { method: "GET", kind: "file", answer: z.string() };
export const routes = { look: route({ ...read, path: "/look", summary: "Look", params: z.object({}) }) };`;
  const cut = pageModule(code, neededFields);
  expect(cut).not.toMatch(/params|summary/);
  expect(run(cut.replace(/^const read.*$/m, "")).routes).toEqual({
    look: { method: "GET", kind: "file", path: "/look" },
  });
});

test("a behaviour keeps its reducers", () => {
  const code =
    "export const node = defineBehaviour({ decide: { a: z.b }, reduce: [{ phase: 'own' }], settle: [z.c] });";
  expect(run(pageModule(code, neededFields)).node).toEqual({ reduce: [{ phase: "own" }] });
});

test("a noun is whole for pages, and a name with the names of its events in the list of nouns", () => {
  const code = `const nodeEvents = { "node.created": z.object({}), "node.ended": z.object({}) };
export const node = defineNoun({ name: "node", events: nodeEvents, commands: z.x, state: () => ({}) });`;
  expect(pageModule(code, neededFields)).toContain("commands: z.x");
  const cut = pageModule(code, neededInList).replace(/^const nodeEvents.*$/m, "");
  expect(run(cut).node).toMatchObject({ name: "node", events: { "node.created": true, "node.ended": true } });
  expect(cut).not.toContain("commands");
});

test("a constant is marked as free of effects, so that it is dropped where nothing uses it", () => {
  const code =
    'export const Name = z.string().max(3);\nexport const most = 3;\nexport const isName = () => Name.parse("x");';
  expect(pageModule(code, neededFields)).toBe(
    'export const Name = /* @__PURE__ */ (() => (z.string().max(3)))();\nexport const most = 3;\nexport const isName = () => Name.parse("x");',
  );
});

test("what is spread into a declaration from elsewhere is refused: what of it is needed cannot be seen", () => {
  expect(() => pageModule("export const a = route({ ...other.read, path: '/' });", neededFields)).toThrow(
    "...other.read",
  );
});
