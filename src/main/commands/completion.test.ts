import { expect, test } from "vitest";
import { candidates } from "./completion.ts";
import { newProgram } from "./program.test-help.ts";

const program = newProgram();
const homes: (string | undefined)[] = [];
const after = (...words: string[]) =>
  candidates(program, words, (home) => {
    homes.push(home);
    return ["news", "report"];
  }).map(([word]) => word);

test("commands, their other names and no hidden ones; also after --home", () => {
  expect(after("")).toEqual(expect.arrayContaining(["run", "watch", "chat", "archive", "completion"]));
  expect(after("")).not.toContain("welcome");
  expect(after("--home", "/x", "wa")).toEqual(["watch"]);
  expect(after("--ho")).toEqual(["--home"]);
});

test("agents where an agent is meant, of the home that was named", () => {
  expect(after("resume", "")).toEqual(["news", "report"]);
  expect(after("chat", "re")).toEqual(["report"]);
  expect(after("show", "n")).toEqual(["news"]);
  expect(after("--home", "/there", "send", "")).toEqual(["news", "report"]);
  expect(homes.at(-1)).toBe("/there");
  expect(after("skill", "accept", "sly", "--agent", "")).toEqual(["news", "report"]);
  expect(after("resume", "news", "")).toEqual([]);
});

test("commands below a command, once, and fixed choices; files where neither is known", () => {
  expect(after("skill", "")).toEqual(["add", "list", "accept", "remove"]);
  expect(after("skill", "add", "")).toEqual([]);
  expect(after("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(after("run", "goal", "--folder", "")).toEqual([]);
});

test("options of the command and those of all, none that is hidden and none after --", () => {
  expect(after("run", "--bud")).toEqual(["--budget"]);
  expect(after("run", "--js")).toEqual(["--json"]);
  expect(after("up", "--")).not.toContain("--quiet");
  expect(after("send", "news", "--", "--")).toEqual([]);
});
