import { expect, test } from "vitest";
import type { Event } from "../../schema/event.ts";
import { start } from "../core.test-help.ts";
import { recordingOf } from "./recording.ts";

const free = { usd: 0, tokens: 0 };

/** A worker that a program drives, in its turn. */
function programmed() {
  const world = start();
  world.tell({ type: "worker.spawn", name: "Clara", model: "claude-code/sonnet" }, "coordinator");
  world.node({ worker: "clara" });
  const of = world.begin("clara", free);
  return { ...world, of };
}

test("each tool call that a program made by itself is an answer of its own, and what it did alone is only noted", () => {
  const { tell, of, log } = programmed();
  tell({ type: "program.report", ...of, kind: "text", text: "I look." }, "clara");
  tell({ type: "program.act", ...of, tool: "Bash", input: { command: "ls" } }, "clara");
  tell({ type: "tool.end", ...of, call: "act1", outcome: "ok", result: "a.md" }, "clara");
  tell({ type: "tool.call", ...of, tool: "check_board", input: {} }, "clara");
  tell({ type: "tool.end", ...of, call: "own2", outcome: "ok", result: "empty" }, "clara");
  tell({ type: "turn.answer", ...of, text: "Done.", calls: [], cost: free, stop: "done" }, "clara");
  const { head, answers } = recordingOf("a1", log as Event[], { participant: "clara" });
  expect(head).toMatchObject({ recording: 1, agent: "a1", run: "r1" });
  expect(answers).toEqual([
    {
      ...{ participant: "clara", results: [], text: "", cost: free },
      thoughts: ["I look.", 'Bash {"command":"ls"}: ok'],
      calls: [{ id: "own2", tool: "check_board", input: {} }],
    },
    {
      ...{ participant: "clara", thoughts: [], text: "Done.", calls: [], cost: free, stop: "done" },
      results: [{ tool: "check_board", outcome: "ok", result: "empty" }],
    },
  ]);
});

test("the last words of a program that waits are left out: nobody asks for them", () => {
  const { tell, of, log } = programmed();
  tell({ type: "tool.call", ...of, tool: "ask_human", input: {} }, "clara");
  tell({ type: "tool.end", ...of, call: "own1", outcome: "ok", result: "r", wait: { for: "mail" } }, "clara");
  tell({ type: "turn.answer", ...of, text: "I wait.", calls: [], cost: free }, "clara");
  expect(recordingOf("a1", log as Event[], { participant: "clara" }).answers.map(({ text }) => text)).toEqual([""]);
});

test("who is spawned in it has no model of its own", () => {
  const { begin, tell, log } = start();
  const of = begin("coordinator");
  const input = { name: "Ann", role: "works", type: "autonomous", model: "claude-code", agent_command: "claude" };
  tell({ type: "turn.answer", ...of, text: "", calls: [{ id: "c1", tool: "spawn_worker", input }], cost: free });
  expect(recordingOf("a1", log as Event[]).answers[0]!.calls[0]!.input).toEqual({ name: "Ann", role: "works" });
});

test("a run that is not there, or in which nobody answered, is an error that says so", () => {
  const { log } = start();
  expect(() => recordingOf("a1", log as Event[], { run: "r7" })).toThrow("a1 has no run r7; runs: r1");
  expect(() => recordingOf("a1", log as Event[])).toThrow("nobody answered nothing in r1 of a1");
});
