/**
 * Strict reading of hand-written YAML: an error names the file, the line, the column, the field, and what is allowed there or was probably meant.
 */
import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { didYouMean } from "../lib/text/closest.ts";
import { Problem } from "../schema/problem.ts";

export interface Written {
  /** The parsed value; an empty object if the file is empty. */
  value: unknown;
  /**
   * Validates the value against this schema. Throws `invalid` if it does not match, with all that is wrong in `details.issues`; `under` is where in
   * the file the value is.
   */
  check<T>(shape: Shape, value: unknown, under?: readonly PropertyKey[]): T;
  /** An error about this part of the file. */
  wrong(at: readonly PropertyKey[], what: string): Problem;
  /** An error about a place within this text: `offset` characters after its beginning, as far as that is known. */
  wrongWithin(at: readonly PropertyKey[], offset: number, what: string): Problem;
}

interface Shape {
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: readonly unknown[] } };
}

interface Issue {
  code: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
  /** Of a union: what is wrong by each of its options. */
  errors?: Issue[][];
}

export interface YamlOptions {
  /** What a key of the file is called in errors. */
  noun?: string;
  /** The keys that this part of the file may have, where that is worth saying. */
  keys?(at: readonly PropertyKey[]): readonly string[] | undefined;
}

interface Place {
  line: number;
  col: number;
}

/** Throws `invalid` if it is not valid YAML. */
export function readYaml(text: string, path: string, { noun = "setting", keys: keysAt }: YamlOptions = {}): Written {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, maxAliasCount: 100 } as never);
  const told = (place: Place | undefined, what: string): Problem => {
    const issue = issueAt(place, what);
    return new Problem("invalid", issue.text, { path, line: issue.line, column: issue.column, issues: [issue] });
  };
  function issueAt(place: Place | undefined, what: string) {
    const where = place ? `, line ${place.line}, column ${place.col}` : "";
    return { line: place?.line ?? null, column: place?.col ?? null, message: what, text: `${path}${where}: ${what}` };
  }
  const [error] = document.errors;
  if (error) throw told(lines.linePos(error.pos[0]), error.message.split("\n")[0]!);

  /** Where the deepest part of the path that exists begins. */
  function placeOf(keys: readonly PropertyKey[]): Place | undefined {
    for (let length = keys.length; length > 0; length--) {
      const node = document.getIn(keys.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]);
    }
    return undefined;
  }

  /** Where the key itself is written. */
  function placeOfKey(keys: readonly PropertyKey[]): Place | undefined {
    const map = keys.length > 1 ? document.getIn(keys.slice(0, -1), true) : document.contents;
    const pair = isMap(map)
      ? map.items.find(({ key }) => isScalar(key) && String(key.value) === String(keys.at(-1)))
      : undefined;
    return pair && isNode(pair.key) && pair.key.range ? lines.linePos(pair.key.range[0]) : placeOf(keys);
  }

  const field = (at: readonly PropertyKey[]): string => at.map(String).join(".") || "the file";
  const wrong = (at: readonly PropertyKey[], what: string): Problem => told(placeOf(at), `${field(at)}: ${what}`);

  function explain(issue: Issue, under: readonly PropertyKey[]) {
    const keys = [...under, ...issue.path];
    if (issue.code !== "unrecognized_keys") {
      const missing = issue.message.endsWith("received undefined");
      return issueAt(placeOf(keys), `${field(keys)}: ${missing ? "is required" : issue.message}`);
    }
    const unknown = issue.keys![0]!;
    const at = [...keys, unknown];
    const allowed = keysAt?.(keys);
    const meant = allowed ? didYouMean(unknown, allowed) : "";
    const there = allowed ? `; allowed: ${allowed.join(", ")}` : "";
    return issueAt(placeOfKey(at), `${field(at)} is not a ${noun}${meant || there}`);
  }

  return {
    value: document.toJS({ maxAliasCount: 100 }) ?? {},
    wrong,
    wrongWithin: (at, offset, what) => told(placeWithin(at, offset) ?? placeOf(at), `${field(at)}: ${what}`),
    check<T>(shape: Shape, value: unknown, under: readonly PropertyKey[] = []): T {
      const checked = shape.safeParse(value);
      if (checked.success) return checked.data as T;
      // A misspelt key makes another one missing; the misspelt one is reported first.
      const issues = (checked.error.issues as Issue[])
        .flatMap(likely)
        .flatMap((issue) => (issue.keys ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue]));
      const isUnknown = ({ code }: Issue) => code === "unrecognized_keys";
      const all = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))].map((issue) =>
        explain(issue, under),
      );
      const { text: first, line, column } = all[0]!;
      throw new Problem("invalid", first, { path, line, column, issues: all });
    },
  };

  /** Only where the text stands in the file as it is: in one line without escapes, or in a block. */
  function placeWithin(at: readonly PropertyKey[], offset: number): Place | undefined {
    const node = document.getIn(at, true);
    if (!isScalar(node) || typeof node.value !== "string" || !node.range) return undefined;
    const before = node.value.slice(0, offset).split("\n");
    const rest = node.value.slice(offset).split("\n", 1)[0]!;
    const written = text.slice(node.range[0], node.range[1]).split("\n");
    const isBlock = /^[|>]/.test(written[0]!);
    const row = isBlock ? before.length : 0;
    const column = written[row]?.indexOf(isBlock ? before.at(-1)! + rest : rest) ?? -1;
    if (column < 0 || (!isBlock && (before.length > 1 || written.length > 1))) return undefined;
    const { line, col } = lines.linePos(node.range[0]);
    return isBlock ? { line: line + row, col: column + before.at(-1)!.length + 1 } : { line, col: col + column };
  }
}

/** Several errors of one file as one: the first, with all of them in `details.issues`. */
export function together([first, ...more]: readonly Problem[]): Problem {
  const issuesOf = ({ details }: Problem) => (details as { issues: unknown[] }).issues;
  const issues = [first!, ...more].flatMap(issuesOf);
  return new Problem(first!.code, first!.message, { ...first!.details, issues });
}

/** Of a union the errors of the option that was probably meant: the one whose kind of value is there. */
function likely(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || !issue.errors?.length) return [issue];
  const fits = issue.errors.find(
    (errors) =>
      !errors.some(({ code, path }) => path.length === 0 && (code === "invalid_type" || code === "invalid_value")),
  );
  if (!fits) return [issue];
  return fits.flatMap((inner) => likely({ ...inner, path: [...issue.path, ...inner.path] }));
}
