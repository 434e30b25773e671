/** The same two steps with every provider against a mock that is not ours: it speaks their formats, and reads ours. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, expect, test } from "vitest";
import type { Line } from "../schema/worker.ts";
import { backendsAt, callsIn, endOf, heard, inbox, models, textIn } from "./server.test-help.ts";

const mock = new LLMock({ port: 0 });
const counted = {
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, input_tokens: 100, output_tokens: 10 },
};
mock.on(
  { userMessage: "write two files", hasToolResult: false },
  {
    toolCalls: [
      { name: "write_file", arguments: '{"path":"a.md","content":"A"}' },
      { name: "write_file", arguments: '{"path":"b.md","content":"B"}' },
    ],
    ...counted,
  },
);
mock.on({ hasToolResult: true }, { content: "Both are written.", ...counted });
mock.on(
  { userMessage: "too fast" },
  { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 3 },
);
mock.on(
  { userMessage: "cut" },
  { content: "This answer will never be whole, because it is cut." },
  { chunkSize: 5, truncateAfterChunks: 4 },
);
const url = await mock.start();
afterAll(() => mock.stop());

const backends = backendsAt(url);

test.each(Object.entries(models))("%s calls tools, is given their results, and answers", async (_name, model) => {
  const backend = backends.backend(model);
  const first = await heard(backend, { lines: [inbox("write two files")] });
  expect(callsIn(first)).toMatchObject([
    { tool: "write_file", input: { path: "a.md", content: "A" } },
    { tool: "write_file", input: { path: "b.md", content: "B" } },
  ]);
  const calls = callsIn(first).map(({ id, tool, input }) => ({ id, tool, input }));
  const { kept } = endOf(first);
  const lines: Line[] = [
    inbox("write two files"),
    { role: "assistant", turn: "t1", text: textIn(first), calls, ...(kept ? { kept } : {}) },
    ...calls.map(
      ({ id }): Line => ({ role: "tool", turn: "t1", call: id, tool: "write_file", outcome: "ok", result: "written" }),
    ),
  ];
  const second = await heard(backend, { lines });
  expect(textIn(second)).toBe("Both are written.");
  expect(endOf(second)).toMatchObject({ stop: "done" });
});

test.each(Object.entries(models))(
  "%s that is too busy says when to come back, and an answer that is cut is none",
  async (_name, model) => {
    const backend = backends.backend(model);
    await expect(heard(backend, { lines: [inbox("too fast")] })).rejects.toMatchObject({
      kind: "transient",
      retryAfterMs: 3_000,
    });
    await expect(heard(backend, { lines: [inbox("cut")] })).rejects.toMatchObject({ kind: "transient" });
  },
);
