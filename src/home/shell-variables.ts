/**
 * Expressions in a shell command: each becomes a reference to an environment variable, so that its value is never a part of the command, whatever
 * is in it (shell injection). Outside of quotes the reference is quoted, so that a value is one word; in single quotes, where the shell would take
 * it literally, it is refused.
 */
import { type Expression, replaceExpressions } from "./expressions.ts";

export interface Compiled {
  shell: string;
  /** The name of each expression, by its variable. */
  variables: Map<string, string>;
}

export function compileShell(
  text: string,
  found: readonly Expression[],
  wrong: (at: number, what: string) => never,
): Compiled {
  const variables = new Map<string, string>();
  const quoting = quotingIn(text, new Set(found.map(({ from }) => from)));
  const shell = replaceExpressions(text, found, ({ name, from }) => {
    const quote = quoting.get(from);
    if (quote === "single")
      wrong(from, `\${{ ${name} }} is in single quotes, where the shell does not replace it; use double quotes`);
    const variable = `\${${variableOf(name, variables)}}`;
    return quote === "none" ? `"${variable}"` : variable;
  });
  return { shell, variables };
}

/** `diff` and `setup.diff` are the same. */
function variableOf(written: string, variables: Map<string, string>): string {
  const name = written.includes(".") ? written : `setup.${written}`;
  for (const [variable, of] of variables) if (of === name) return variable;
  const base = name.toUpperCase().replace(/[^A-Z0-9]/g, "_");
  let variable = base;
  for (let nth = 2; variables.has(variable); nth++) variable = `${base}_${nth}`;
  variables.set(variable, name);
  return variable;
}

type Quoting = "none" | "double" | "single";

/** How the shell would read what stands at these places. Simple: quotes, escapes, comments and here-documents; commands within commands are not. */
function quotingIn(text: string, places: ReadonlySet<number>): Map<number, Quoting> {
  const found = new Map<number, Quoting>();
  let quote: Quoting = "none";
  /** Here-documents that begin with the next line. */
  let pending: { end: string; quote: Quoting }[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (places.has(at)) {
      found.set(at, quote);
      at = text.indexOf("}}", at) + 1;
    } else if (quote === "single") {
      if (sign === "'") quote = "none";
    } else if (sign === "\\") at++;
    else if (sign === '"') quote = quote === "double" ? "none" : "double";
    else if (quote === "double") continue;
    else if (sign === "'") quote = "single";
    else if (sign === "#" && /(^|[\s;&|(])$/.test(text.slice(0, at))) at = lineEnd(text, at) - 1;
    else if (sign === "<" && text[at + 1] === "<" && text[at + 2] !== "<") {
      const [whole, mark = "", word = ""] = /^<<-?\s*(['"\\]?)([\w.-]+)/.exec(text.slice(at, at + 200)) ?? [];
      if (whole === undefined) continue;
      pending.push({ end: word, quote: mark ? "single" : "double" });
      at += whole.length - 1 + (mark && mark !== "\\" ? 1 : 0);
    } else if (sign === "<" && text.startsWith("<<<", at)) at += 2;
    else if (sign === "\n" && pending.length) {
      for (const { end, quote: inside } of pending) at = hereDocument(at + 1, end, inside) - 1;
      pending = [];
    }
  }
  return found;

  /** The end of its last line. */
  function hereDocument(from: number, end: string, inside: Quoting): number {
    for (let start = from; start < text.length; start = lineEnd(text, start) + 1) {
      const stop = lineEnd(text, start);
      for (const place of places) if (place >= start && place < stop) found.set(place, inside);
      if (text.slice(start, stop).trim() === end) return stop;
    }
    return text.length;
  }
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}
