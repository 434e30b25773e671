/**
 * What may be written at a place of a workflow file: the fields there, from the schema that editors get. The place is found by indentation, so a
 * text that is not valid yet has help too.
 */
import { workflowSchema } from "../../schema/workflow-file.ts";

export interface FieldHelp {
  name: string;
  about: string;
  /** "text", "number", "one of all, majority, any". */
  kind: string;
  required: boolean;
  /** It is written there already. */
  used: boolean;
}

export interface Help {
  /** "nodes", "agents, Rae"; empty for the file itself. */
  at: string;
  about: string;
  fields: FieldHelp[];
}

interface Schema {
  description?: string;
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: readonly Schema[];
}

let known: Schema | undefined;

export function helpAt(text: string, offset: number): Help {
  known ??= workflowSchema() as Schema;
  const { path, used } = placeAt(text, offset);
  const found = schemaAt(known, path);
  return {
    at: path.filter((step) => typeof step === "string").join(", "),
    about: found?.description ?? "",
    fields: found ? fieldsOf(found, used) : [],
  };
}

type Step = string | number;

/** The part of the file that a field at this place would belong to, and the fields that it has. */
export function placeAt(text: string, offset: number): { path: Step[]; used: ReadonlySet<string> } {
  const before = text.slice(0, offset).split("\n");
  const lines = text.split("\n");
  const row = before.length - 1;
  const line = lines[row] ?? "";
  const typed = before[row]!;
  // Within braces it is the field that they belong to.
  const braces = /^(\s*(?:- )?)([^\s#:{}[\],'"][^#:{}[\],'"]*):\s*\{[^}]*$/.exec(typed);
  const inner = braces ? braces[1]!.length + 1 : line.trim() ? indentOf(line) : typed.length;
  const path: Step[] = braces ? [braces[2]!.trim()] : [];
  let limit = braces ? indentOf(line) : inner;
  for (let at = row; at >= 0 && limit > 0; at--) {
    const one = lines[at]!;
    if (!one.trim() || one.trim().startsWith("#")) continue;
    const [, dash] = /^(\s*)- /.exec(one) ?? [];
    // A dash that is further left than what is looked at begins the item that it stands in.
    if (dash !== undefined && dash.length < limit && indentOf(one) <= limit) {
      path.unshift(0);
      limit = dash.length + 1;
      if (at === row) continue;
    }
    const key = keyOf(one);
    if (
      at < row &&
      key !== undefined &&
      (dash?.length ?? indentOf(one)) < limit &&
      (dash === undefined || limit > indentOf(one))
    ) {
      path.unshift(key);
      limit = dash?.length ?? indentOf(one);
    }
  }
  return { path, used: siblings(lines, row, inner) };
}

/** Where its key begins: after the dash of a list. */
const indentOf = (line: string): number => /^\s*(?:- )?\s*/.exec(line)![0].length;

function keyOf(line: string): string | undefined {
  const written = line.slice(indentOf(line));
  const end = written.search(/:(?:\s|$)/);
  const key = written.slice(0, Math.max(0, end));
  return end > 0 && !/[#{}[\]'"]/.test(key) ? key.trim() : undefined;
}

/** Keys of the same part: of lines as far in, until one is further out. */
function siblings(lines: readonly string[], row: number, indent: number): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (from: number, by: 1 | -1) => {
    for (let at = from; at >= 0 && at < lines.length; at += by) {
      const line = lines[at]!;
      if (!line.trim() || line.trim().startsWith("#")) continue;
      const isItem = /^\s*- /.test(line);
      if (indentOf(line) < indent || (isItem && by === 1 && indentOf(line) === indent)) break;
      const key = keyOf(line);
      if (indentOf(line) === indent && key !== undefined) found.add(key);
      if (isItem && indentOf(line) === indent && by === -1) break;
    }
  };
  look(row, -1);
  look(row + 1, 1);
  return found;
}

function schemaAt(from: Schema, path: readonly Step[]): Schema | undefined {
  let at: Schema | undefined = from;
  for (const step of path) {
    const options: readonly Schema[] = at?.anyOf ?? (at ? [at] : []);
    at = options
      .map((one) => (typeof step === "number" ? one.items : (one.properties?.[step] ?? recordOf(one))))
      .find((one) => one !== undefined);
  }
  return at;
}

const recordOf = ({ additionalProperties: one }: Schema): Schema | undefined =>
  typeof one === "object" ? one : undefined;

function fieldsOf(schema: Schema, used: ReadonlySet<string>): FieldHelp[] {
  const whole = (schema.anyOf ?? [schema]).find(({ properties }) => properties !== undefined);
  return Object.entries(whole?.properties ?? {}).map(([name, one]) => ({
    name,
    about: one.description ?? "",
    kind: kindOf(one),
    required: whole?.required?.includes(name) ?? false,
    used: used.has(name),
  }));
}

const kinds: Record<string, string> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "true or false",
  array: "list",
  object: "fields",
};

function kindOf({ type, enum: values, const: only, anyOf }: Schema): string {
  if (values) return `one of ${values.join(", ")}`;
  if (only !== undefined) return String(only);
  if (anyOf) return [...new Set(anyOf.map(kindOf))].join(" or ");
  return kinds[type ?? ""] ?? "";
}
