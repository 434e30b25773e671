/**
 * What the page needs of the declarations that the whole system shares. A route is declared once, with its schemas and examples; a noun once, with the
 * shapes of its events and how its commands are decided. A browser only calls the one and folds with the other. While the page is built, the rest is cut
 * out of these declarations, and what only the rest used falls away with it: zod, the schemas, the rules. The sources and every other program are whole.
 *
 * It relies on what holds in these layers anyway: to load a module of them has no effect, and nothing in the page reads a field that is cut.
 */
import { dirname, resolve } from "node:path";
import { type ESTree, type Plugin, parseAst } from "vite";

/** By the function that declares: the fields that stay. */
type Needed = Readonly<Record<string, readonly string[]>>;

export const neededFields: Needed = {
  // By client/call.ts.
  route: ["method", "path", "kind", "last", "upload"],
  // By core/reduce.ts.
  defineBehaviour: ["reduce"],
};
/** In the list of nouns: by core/nouns.ts, core/state.ts and schema/event.ts, which look at no more of `events` than the names. */
export const neededInList: Needed = { ...neededFields, defineNoun: ["name", "events", "state"] };

export const pageDeclarations = (): Plugin => ({
  name: "page-declarations",
  enforce: "post", // When the types are gone.
  /** The list of nouns gets modules of its own: a schema that one page does use then comes with that page, and is whole. */
  resolveId: {
    order: "pre",
    filter: { id: /^\.\// },
    handler(source, importer) {
      if (importer?.endsWith("/src/schema/nouns.ts")) return `${resolve(dirname(importer), source)}?noun`;
    },
  },
  transform: {
    filter: { id: /\/src\/(api|core|schema)\/[^?]+\.ts(\?noun)?$/ },
    handler: (code, id) => ({
      code: pageModule(code, id.endsWith("?noun") ? neededInList : neededFields),
      map: null,
      moduleSideEffects: false,
    }),
  },
});

interface Edit {
  start: number;
  end: number;
  text: string;
}
interface Module {
  constants: ReadonlyMap<string, ESTree.Expression>;
  text(node: ESTree.Node): string;
}

/** The module with what the page needs of its declarations. Its constants are marked as free of effects, so that those that nothing uses are dropped. */
export function pageModule(code: string, needed: Needed): string {
  const constants = new Map(parseAst(code).body.flatMap(constantsOf));
  const module = { constants, text: ({ start, end }: ESTree.Node) => code.slice(start, end) };
  const edits = [...constants.values()].flatMap((value): Edit[] => {
    if (isPlain(value)) return [];
    return [
      { start: value.start, end: value.start, text: "/* @__PURE__ */ (() => (" },
      ...callsIn(value).flatMap((call) => cutsIn(call, needed, module)),
      { start: value.end, end: value.end, text: "))()" },
    ];
  });
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), code);
}

function constantsOf(statement: ESTree.Statement): [name: string, value: ESTree.Expression][] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declared?.type !== "VariableDeclaration" || declared.kind !== "const") return [];
  return declared.declarations.flatMap(({ id, init }) => (id.type === "Identifier" && init ? [[id.name, init]] : []));
}

const isFunction = ({ type }: ESTree.Node) => type === "ArrowFunctionExpression" || type === "FunctionExpression";
const isPlain = (node: ESTree.Node) => isFunction(node) || node.type === "Literal";

/** Those that happen when the module is loaded. */
function callsIn(node: ESTree.Node): ESTree.CallExpression[] {
  if (isFunction(node)) return [];
  const parts = Object.values(node)
    .flat()
    .filter((part): part is ESTree.Node => typeof part === "object" && part !== null && "type" in part);
  return [...(node.type === "CallExpression" ? [node] : []), ...parts.flatMap(callsIn)];
}

function cutsIn({ callee, arguments: [given] }: ESTree.CallExpression, needed: Needed, module: Module): Edit[] {
  const fields = callee.type === "Identifier" ? needed[callee.name] : undefined;
  if (!fields || given?.type !== "ObjectExpression") return [];
  const text = given.properties.flatMap((field) => keptOf(field, fields, module)).join(",");
  return [{ start: given.start, end: given.end, text: `{${text}}` }];
}

/** The text of a field that stays; of what is spread, the fields that stay. */
function keptOf(field: ESTree.ObjectPropertyKind, fields: readonly string[], module: Module): string[] {
  if (field.type === "SpreadElement") {
    const object = objectOf(field.argument, module);
    if (!object) throw new Error(`${module.text(field)}: spread only an object of the same module into a declaration`);
    return object.properties.flatMap((one) => keptOf(one, fields, module));
  }
  if (field.key.type !== "Identifier" || !fields.includes(field.key.name)) return [];
  const names = field.key.name === "events" ? namesOf(field.value, module) : undefined;
  return [names ? `events:${JSON.stringify(names)}` : module.text(field)];
}

function objectOf(value: ESTree.Node, { constants }: Module): ESTree.ObjectExpression | undefined {
  const object = value.type === "Identifier" ? constants.get(value.name) : value;
  return object?.type === "ObjectExpression" ? object : undefined;
}

/** The same object with nothing but its names; none if the module does not say what they are. */
function namesOf(value: ESTree.Node, module: Module): Record<string, true> | undefined {
  const names = objectOf(value, module)?.properties.map((field) =>
    field.type === "Property" && field.key.type === "Literal" ? String(field.key.value) : undefined,
  );
  return !names || names.includes(undefined) ? undefined : Object.fromEntries(names.map((name) => [name, true]));
}
