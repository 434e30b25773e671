/**
 * Splits a relative path into steps, or returns an error that says what is wrong with it. The same rules on every disk, real or simulated.
 *
 * A valid path stays below its root: no `..`, no empty step, nothing absolute, no backslash, no invisible character. Names are not folded or
 * normalised: `A`, `a` and the two ways to write `é` are different names, as the disk has them.
 */
import { shorten } from "../text/text.ts";

export function stepsOf(path: string): string[] {
  if (path === "" || path === ".") return [];
  const no = (why: string): never => {
    throw refusal("EINVAL", `${JSON.stringify(shown(path))} ${why}; use a relative path such as notes/a.md`);
  };
  if (/^([/~]|[A-Za-z]:)/.test(path)) no("is not relative");
  if (path.includes("\\")) no("has a backslash");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) || !path.isWellFormed())
    no("contains an invisible character");
  const steps = path.split("/");
  if (steps.includes("..")) no("leaves its folder by ..");
  if (steps.some((step) => step === "" || step === ".")) no("has an empty step");
  if (steps.length > 64) no("has more than 64 steps");
  if (steps.some((step) => Buffer.byteLength(step) > 255)) no("has a name of more than 255 bytes");
  return steps;
}

/** An error like those of the file system. */
export const refusal = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code });

const shown = (path: string): string => shorten(path, 200);

/** As people write paths: with slashes at the ends, however many. */
export function withoutSlashes(path: string): string {
  let [from, to] = [0, path.length];
  while (path[from] === "/") from++;
  while (to > from && path[to - 1] === "/") to--;
  return path.slice(from, to);
}
