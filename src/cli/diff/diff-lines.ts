/**
 * A diff on a terminal: how much changed in each file, then the changes in the form that git prints, so that pagers and `git apply` read it. Pure.
 *
 * Lines of code are never cut, and each keeps its blanks. What is missing (binary content, cut files) is said on a line that such programs skip.
 */
import type { Diff, FileDiff, Hunk } from "../../schema/diff.ts";
import { clean, pad, truncate, widthOf } from "../terminal/text.ts";
import type { Colors } from "../view/mark.ts";
import { colorCode } from "./code-colors.ts";

interface Look {
  width: number;
  colors: Colors;
}

/** ` src/fetch.ts | 11 +++++++----`, and the sum. */
export function statLines(
  { files, added, removed, cut }: Pick<Diff, "added" | "removed" | "cut"> & { files: readonly Counted[] },
  look: Look,
): string[] {
  const { colors, width } = look;
  const names = files.map((file) =>
    file.old_path ? `${clean(file.old_path)} → ${clean(file.path)}` : clean(file.path),
  );
  const counts = files.map((file) => (file.binary ? "binary" : String(file.added + file.removed)));
  const right = Math.max(0, ...counts.map((count) => count.length));
  const left = Math.min(Math.max(0, ...names.map(widthOf)), Math.max(12, width - right - 20));
  const room = Math.max(4, width - left - right - 6);
  const most = Math.max(1, ...files.map((file) => file.added + file.removed));
  const scale = Math.min(1, room / most);
  const bar = (count: number): number => (count ? Math.max(1, Math.floor(count * scale)) : 0);
  return [
    ...files.map(
      (file, at) =>
        ` ${pad(truncate(names[at]!, left), left)} | ${counts[at]!.padStart(right)} ` +
        colors.green("+".repeat(bar(file.added))) +
        colors.red("-".repeat(bar(file.removed))),
    ),
    ` ${many(files.length, "file")} changed, ${colors.green(`${added} added`)}, ${colors.red(`${removed} removed`)}`,
    ...(cut ? [colors.yellow(` ${clean(cut)}`)] : []),
  ].map((line) => line.trimEnd());
}

type Counted = Pick<FileDiff, "path" | "old_path" | "binary" | "added" | "removed">;

export const diffLines = ({ files }: Diff, { colors }: Pick<Look, "colors">): string[] =>
  files.flatMap((file) => [
    ...headLines(file, colors),
    ...file.hunks.flatMap((hunk) => hunkLines(file.path, hunk, colors)),
  ]);

function headLines({ path, old_path, status, binary, cut, hunks }: FileDiff, colors: Colors): string[] {
  const [old, now] = [quoted("a/", old_path ?? path), quoted("b/", path)];
  const lines = [
    `diff --git ${old} ${now}`,
    ...(status === "added" ? ["new file mode 100644"] : []),
    ...(status === "deleted" ? ["deleted file mode 100644"] : []),
    ...(status === "renamed" ? [`rename from ${quoted("", old_path ?? path)}`, `rename to ${quoted("", path)}`] : []),
    ...(hunks.length
      ? [`--- ${status === "added" ? "/dev/null" : old}`, `+++ ${status === "deleted" ? "/dev/null" : now}`]
      : []),
  ];
  return [
    ...lines.map((line) => colors.bold(line)),
    ...(binary ? [colors.dim(`Binary files ${old} and ${now} differ`)] : []),
    ...(cut ? [colors.yellow(`# ${clean(cut)}`)] : []),
  ];
}

function hunkLines(path: string, hunk: Hunk, colors: Colors): string[] {
  const { old_start, old_lines, new_start, new_lines, header, lines } = hunk;
  const where = `@@ -${old_start},${old_lines} +${new_start},${new_lines} @@`;
  // Without colours every byte stays what it is.
  const code = (text: string) => (colors.isColorSupported ? colorCode(path, text, colors) : text);
  const draw = {
    context: (text: string) => ` ${text}`,
    added: (text: string) => colors.green(`+${text}`),
    removed: (text: string) => colors.red(`-${text}`),
  };
  return [
    colors.cyan(where) + (header ? ` ${clean(header)}` : ""),
    ...lines.map(({ kind, text }) => draw[kind](code(text))),
  ];
}

/** As git quotes a name with signs in it. */
const quoted = (side: string, path: string): string =>
  /[\p{C}"\\]/u.test(path) ? JSON.stringify(side + path) : side + path;

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
