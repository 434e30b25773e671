import { expect, test } from "vitest";
import type { Line } from "../schema/worker.ts";
import { unwrapped, wrapped } from "./indirect.ts";

const tools = ["read_file", "use_tool"].map((name) => ({ name, about: "", input: {} }));
const said = (...calls: { tool: string; input: unknown }[]): Line => ({
  ...{ role: "assistant", turn: "a.1", text: "" },
  calls: calls.map((call, at) => ({ id: `c${at}`, ...call })),
});

test("a call of a tool that is not listed goes out as one of use_tool and comes back as itself", () => {
  const line = said({ tool: "read_file", input: { path: "a" } }, { tool: "schedule", input: { type: "delayed" } });
  const [sent] = wrapped([line], tools);
  expect(sent).toMatchObject({
    calls: [
      { id: "c0", tool: "read_file", input: { path: "a" } },
      { id: "c1", tool: "use_tool", input: { tool: "schedule", input: { type: "delayed" } } },
    ],
  });
  expect((sent as typeof line & { role: "assistant" }).calls.map(unwrapped)).toEqual(
    (line as { calls: unknown }).calls,
  );
});

test("lines without such calls, and requests without use_tool, stay as they are", () => {
  const line = said({ tool: "read_file", input: {} });
  expect(wrapped([line], tools)[0]).toBe(line);
  const lines = [said({ tool: "schedule", input: {} })];
  expect(wrapped(lines, tools.slice(0, 1))).toBe(lines);
});

test("an input that was written as a text is read; a call that names no tool stays one of use_tool", () => {
  const call = (input: unknown) => unwrapped({ id: "c", tool: "use_tool", input });
  expect(call({ tool: "vote", input: '{"choice":"yes"}' })).toEqual({
    id: "c",
    tool: "vote",
    input: { choice: "yes" },
  });
  expect(call({ tool: "vote", input: "{choice" })).toEqual({ id: "c", tool: "vote", input: "{choice" });
  expect(call({ tool: "vote" })).toEqual({ id: "c", tool: "vote", input: {} });
  for (const input of [undefined, "vote", { input: {} }, { tool: "" }, { tool: "use_tool", input: {} }])
    expect(call(input)).toEqual({ id: "c", tool: "use_tool", input });
});
