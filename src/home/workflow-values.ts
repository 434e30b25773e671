/**
 * The values of expressions in a workflow file. Every expression is checked before anything is filled in: an unknown name, or a name where it cannot
 * stand, is an error with its place. Outputs of the setup are not known yet: they stay in the texts, and the runtime fills them in (runtime/setup).
 */
import { closest } from "../lib/text/closest.ts";
import type { ParamValue } from "../schema/workflow.ts";
import { namespaces, type Workflow } from "../schema/workflow-file.ts";
import { escapeMarks, expressionsIn, replaceExpressions, unescapeMarks } from "./expressions.ts";
import { type Param, paramsOf } from "./workflow-params.ts";

/** What is known when a workflow is started. */
export interface Values {
  params: Readonly<Record<string, ParamValue>>;
  env: Readonly<Record<string, string | undefined>>;
  workflow: { name: string; tag: string };
  source: { folder?: string | undefined; commit?: string | undefined };
}

/** What the file declares. */
export type Declared = Pick<Workflow, "params" | "env" | "setup">;
type Path = readonly PropertyKey[];
export type Wrong<T extends Error = Error> = (path: Path, offset: number, what: string) => T;

/** shell: a command. text: outputs of the setup may stand there. value: anything that is known before. fixed: nothing. */
type Place = "shell" | "text" | "value" | "fixed";

const texts: readonly (readonly (string | undefined)[])[] = [
  ["kickoff"],
  ["agents", undefined],
  ["agents", undefined, "role"],
  ["agents", undefined, "prompt"],
  ["agents", undefined, "prompt", "system"],
  ["agents", undefined, "system_prompt"],
  ["workers", undefined],
  ["workers", undefined, "role"],
  ["coordinator", "prompt"],
  ["coordinator", "prompt", "system"],
  ["nodes", undefined, "spec"],
  ["nodes", undefined, "acceptance"],
  ["documents", undefined],
  ["documents", undefined, "text"],
];

function placeAt(path: Path): Place {
  const [part, , field] = path.map(String);
  if (part === "setup") return field === "shell" ? "shell" : "fixed";
  if (part === "params" || part === "env" || part === "name") return "fixed";
  if (part === "nodes" && (field === "id" || field === "depends_on" || field === "refs" || field === "checks"))
    return "fixed";
  const fits = texts.some(
    (one) => one.length === path.length && one.every((key, at) => key === undefined || key === String(path[at])),
  );
  return fits ? "text" : "value";
}

export interface Name {
  namespace: string;
  key: string;
}

/** `diff` is `setup.diff`. */
export function nameOf(written: string): Name {
  const at = written.indexOf(".");
  return at < 0
    ? { namespace: "setup", key: written }
    : { namespace: written.slice(0, at), key: written.slice(at + 1) };
}

/** Every expression that cannot be. Throws where one is not written to its end. */
export function checkExpressions<T extends Error>(value: unknown, declared: Declared, wrong: Wrong<T>): T[] {
  const params = paramsOf(declared);
  const found: T[] = [];
  walk(value, [], (text, path) => {
    const refuse = (at: number, what: string): never => {
      throw wrong(path, at, what);
    };
    const place = placeAt(path);
    for (const { from, name } of expressionsIn(text, refuse)) {
      const problem = problemWith(nameOf(name), name, place, path, declared, params);
      if (problem) found.push(wrong(path, from, `\${{ ${name} }}: ${problem}`));
    }
  });
  return found;
}

function problemWith(
  { namespace, key }: Name,
  written: string,
  place: Place,
  path: Path,
  declared: Declared,
  params: readonly Param[],
): string | undefined {
  const known: Record<string, string[]> = {
    params: params.map(({ name }) => name),
    setup: outputsBefore(declared, place === "shell" ? Number(path[1]) : undefined),
    env: declared.env ?? [],
    workflow: ["name", "tag"],
    source: ["folder", "commit"],
  };
  if (place === "fixed") return "nothing is filled in here";
  const names = known[namespace];
  if (!names) {
    const near = closest(namespace, namespaces);
    return `there is no ${namespace}; ${near ? `did you mean ${near}.${key}?` : `use ${namespaces.join(", ")}`}`;
  }
  if (!names.includes(key)) {
    const all = Object.entries(known).flatMap(([space, some]) => some.map((one) => `${space}.${one}`));
    const near = closest(`${namespace}.${key}`, all) ?? closest(key, all);
    const listed = namespace === "env" ? "list it under env: first" : `names: ${all.join(", ")}`;
    const what = written.includes(".") ? `there is no ${namespace}.${key}` : `no setup step above has as: ${key}`;
    return `${what}; ${near ? `did you mean ${near}?` : listed}`;
  }
  return namespace === "setup" && place === "value" ? "the output of the setup is not known here" : undefined;
}

const outputsBefore = ({ setup = [] }: Declared, step = setup.length): string[] =>
  setup.slice(0, step).flatMap(({ as }) => as ?? []);

/** The file with its values in it. A text that is nothing but an expression has the type of its value. `wrong` is told what has no value. */
export function fillIn(value: unknown, values: Values, hasSetup: boolean, wrong: Wrong): unknown {
  return walk(value, [], (text, path) => {
    const refuse = (at: number, what: string): never => {
      throw wrong(path, at, what);
    };
    const place = placeAt(path);
    if (place === "shell") return text;
    if (place === "fixed") return unescapeMarks(text);
    const found = expressionsIn(text, refuse);
    const stays = place === "text" && hasSetup;
    const [only] = found;
    if (only && !stays && found.length === 1 && only.from === 0 && only.to === text.length)
      return knownValue(nameOf(only.name), values) ?? refuse(0, noValue(only.name));
    const filled = (written: string, at: number): string => {
      const name = nameOf(written);
      if (name.namespace === "setup") return `\${{ setup.${name.key} }}`;
      const known = String(knownValue(name, values) ?? refuse(at, noValue(written)));
      return stays ? escapeMarks(known) : known;
    };
    const plain = stays ? (part: string) => part : undefined;
    return replaceExpressions(text, found, ({ name, from }) => filled(name, from), plain);
  });
}

/** What to do about a name that is known and has no value. */
export function noValue(name: string): string {
  const { namespace, key } = nameOf(name);
  const why: Record<string, string> = {
    env: `set the environment variable ${key}`,
    source: `the file is not in a ${key === "commit" ? "git repository with a commit" : "folder"}`,
  };
  return `\${{ ${name} }} has no value here${why[namespace] ? `; ${why[namespace]}` : ""}`;
}

/** Undefined if there is none. */
export function knownValue({ namespace, key }: Name, values: Values): ParamValue | undefined {
  const space = values[namespace as keyof Values] as Readonly<Record<string, ParamValue | undefined>> | undefined;
  return space && Object.hasOwn(space, key) ? space[key] : undefined;
}

/** The same tree with every text replaced. */
function walk(value: unknown, path: Path, text: (text: string, path: Path) => unknown): unknown {
  if (typeof value === "string") return text(value, path);
  if (Array.isArray(value)) return value.map((one, at) => walk(one, [...path, at], text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, [...path, key], text)]));
}

const secret = /key|token|secret|passw|credential|private|auth|cookie|session/i;

/** Keys do not belong into prompts and logs. */
export const looksSecret = (variable: string): boolean => secret.test(variable);
