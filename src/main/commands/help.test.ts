import { expect, test } from "vitest";
import { newProgram } from "./program.test-help.ts";

test.each([40, 60, 80, 120])("help at %i columns is broken between words only", (columns) => {
  const program = newProgram();
  for (const command of [program, ...program.commands]) {
    const helper = command.createHelp();
    helper.helpWidth = columns;
    const lines = helper.formatHelp(command, helper).split("\n");
    // A usage and a single term that is longer stay whole.
    const long = lines.filter((line) => line.length > columns && !/^Usage: |^ {2}\S/.test(line));
    expect([command.name(), long]).toEqual([command.name(), []]);
  }
});
