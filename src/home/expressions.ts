/**
 * Expressions in a workflow file: `${{ params.ref }}`. A name and nothing else: no operators, no nesting. `$${{` is `${{` itself.
 * Not here: which names there are and where they may stand (workflow-values.ts), shell commands (shell-variables.ts).
 */

export interface Expression {
  /** Where it is in the text. */
  from: number;
  to: number;
  /** As it is written between the braces. */
  name: string;
}

const opening = /\$?\$\{\{/g;
const name = /^[a-zA-Z][\w-]*(\.[a-zA-Z_][\w-]*)?$/;

/** Those in a text, in order. `wrong` is told what is not one, and where. */
export function expressionsIn(text: string, wrong: (at: number, what: string) => never): Expression[] {
  const found: Expression[] = [];
  let after = 0;
  for (const { index, 0: mark } of text.matchAll(opening)) {
    if (index < after || mark.startsWith("$$")) continue;
    const end = text.indexOf("}}", index);
    if (end < 0) wrong(index, "${{ is not closed by }}; write $${{ for the characters themselves");
    const inner = text.slice(index + 3, end).trim();
    if (!name.test(inner))
      wrong(index, `\${{ ${inner} }} is not a name such as params.ref; write $\${{ for the characters themselves`);
    after = end + 2;
    found.push({ from: index, to: after, name: inner });
  }
  return found;
}

/** The text with something else in place of each of them; what is between them is given to `plain`. */
export function replaceExpressions(
  text: string,
  found: readonly Expression[],
  value: (expression: Expression) => string,
  plain: (text: string) => string = unescapeMarks,
): string {
  let [made, at] = ["", 0];
  for (const one of found) {
    made += plain(text.slice(at, one.from)) + value(one);
    at = one.to;
  }
  return made + plain(text.slice(at));
}

export const unescapeMarks = (text: string): string => text.replaceAll("$${{", () => "${{");
/** Nothing in it is taken for an expression later. */
export const escapeMarks = (text: string): string => text.replaceAll("${{", () => "$${{");
