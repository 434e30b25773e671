import { expect, test } from "vitest";
import { commandFiles, commandWords, withHome } from "./command-files.ts";

test("a line is split as a shell splits it", () => {
  const line = `mine --say 'two words' "and \\"three\\" more" a\\ b c'd'"e" ''`;
  expect(commandWords(line)).toEqual(["mine", "--say", "two words", 'and "three" more', "a b", "cde", ""]);
  expect(commandWords("  ")).toEqual([]);
  expect(commandWords(`mine 'open`)).toEqual(["mine", "'open"]);
});

test("the user's home stands for ~/ at the beginning of a word", () => {
  expect(withHome("~/a --file=~/b c~/d ~", "/home/me")).toBe("/home/me/a --file=/home/me/b c~/d ~");
});

test("the files of a line are its program, found on the PATH, and absolute paths of files", async () => {
  const kinds: Record<string, "file" | "folder"> = { "/opt/x/mine": "file", "/opt/x/a.py": "file", "/opt/x": "folder" };
  const stat = async (path: string) => (path in kinds ? { kind: kinds[path]!, size: 1, changed: 1 } : null);
  const look = { world: { files: { stat } }, env: { PATH: "relative:/opt/x" } } as never;
  expect(await commandFiles("mine /opt/x /opt/x/a.py mine /opt/nothing", look)).toEqual(["/opt/x/mine", "/opt/x/a.py"]);
  expect(await commandFiles("other '/opt/x/a.py'", look)).toEqual(["/opt/x/a.py"]);
  expect(await commandFiles("", look)).toEqual([]);
});
