/** Strict reading of hand-written YAML: an error names the file, the line, the field and what is allowed. */
import { isNode, LineCounter, parseDocument } from "yaml";
import { Problem } from "../schema/problem.ts";

export interface Written {
  /** The parsed value; an empty object if the file is empty. */
  value: unknown;
  /** Validates the value against this schema. Throws `invalid` if it does not match; `under` is where in the file the value is. */
  check<T>(shape: Shape, value: unknown, under?: readonly PropertyKey[]): T;
  /** An error about this part of the file. */
  wrong(at: readonly PropertyKey[], what: string): Problem;
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
}

export interface YamlOptions {
  /** What a key of the file is called in errors. */
  noun?: string;
  /** The keys that this part of the file may have, where that is worth saying. */
  keys?(at: readonly PropertyKey[]): readonly string[] | undefined;
}

/** Throws `invalid` if it is not valid YAML. */
export function readYaml(text: string, path: string, { noun = "setting", keys: keysAt }: YamlOptions = {}): Written {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, maxAliasCount: 100 } as never);
  const told = (line: number | undefined, what: string): Problem =>
    new Problem("invalid", `${path}${line ? `, line ${line}` : ""}: ${what}`, { path, line: line ?? null });
  const [error] = document.errors;
  if (error) throw told(lines.linePos(error.pos[0]).line, error.message.split("\n")[0]!);

  /** The line of the deepest part of the path that exists. */
  function lineOf(keys: readonly PropertyKey[]): number | undefined {
    for (let length = keys.length; length > 0; length--) {
      const node = document.getIn(keys.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  }

  const wrong = (at: readonly PropertyKey[], what: string): Problem =>
    told(lineOf(at), `${at.map(String).join(".") || "the file"}: ${what}`);

  return {
    value: document.toJS({ maxAliasCount: 100 }) ?? {},
    wrong,
    check<T>(shape: Shape, value: unknown, under: readonly PropertyKey[] = []): T {
      const checked = shape.safeParse(value);
      if (checked.success) return checked.data as T;
      const issues = checked.error.issues as Issue[];
      // A misspelt key makes another one missing; report the misspelt one.
      const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
      const keys = [...under, ...issue.path];
      const unknown = issue.code === "unrecognized_keys" ? issue.keys?.[0] : undefined;
      if (unknown === undefined)
        throw wrong(keys, issue.message.endsWith("received undefined") ? "is required" : issue.message);
      const at = [...keys, unknown];
      const allowed = keysAt?.(keys);
      const there = allowed ? `; allowed: ${allowed.join(", ")}` : "";
      throw told(lineOf(at), `${at.map(String).join(".")} is not a ${noun}${there}`);
    },
  };
}
