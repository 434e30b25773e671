import { expect, test } from "vitest";
import { recordingOf } from "../core/run/recording.ts";
import { start } from "../runtime/runtime.test-help.ts";
import type { Event } from "../schema/event.ts";
import type { Recording } from "../schema/recording.ts";
import { createRecorded, parseRecording } from "./recorded.ts";
import type { ScriptInput } from "./scripted.ts";

const script: ScriptInput["participants"] = {
  coordinator: [
    { say: "I begin.", usd: 0.01, calls: [{ tool: "spawn_worker", input: { name: "Ann", role: "writes" } }] },
    { calls: [{ tool: "create_work_node", input: { task: "write it", worker: "ann" } }] },
    { calls: [{ tool: "wait_for_nodes" }] },
    { calls: [{ tool: "finish", input: { summary: "It is written." } }] },
  ],
  ann: [
    { usd: 0.02, calls: [{ tool: "write_file", input: { path: "a.md", content: "text" } }] },
    { usd: 0.02, calls: [{ tool: "publish", input: { summary: "a.md" } }] },
  ],
};

async function lived(script: ScriptInput["participants"] | undefined, recording?: Recording) {
  const world = start(recording ? { backend: createRecorded(recording, "recorded/r.jsonl") } : { script: script! });
  await world.begin();
  await world.create();
  await world.pass(60_000);
  return { ...world, log: await world.events() };
}

const told = (events: readonly Event[]) =>
  events
    .filter(({ type }) => /^(turn\.answered|tool\.ended|node|run|worker)/.test(type))
    .map(({ type, data }) => [type, data]);

test("a run that is recorded and played takes the same course, and costs the same", async () => {
  const { log } = await lived(script);
  const text = [recordingOf("a1", log).head, ...recordingOf("a1", log).answers].map((line) => JSON.stringify(line));
  const again = await lived(undefined, parseRecording(`${text.join("\n")}\n`, "r.jsonl"));
  expect(told(again.log)).toEqual(told(log));
  expect(again.state().agent).toMatchObject({ status: "completed" });
  expect(again.state().accounts.get("agent")!.spent.usd).toBeCloseTo(0.05);
});

test("a call that was lost in a crash is given the same answer again", async () => {
  const recording = recordingOf("a1", (await lived(script)).log);
  const world = start({ backend: createRecorded(recording, "recorded/r.jsonl") });
  await world.begin();
  await world.create();
  expect(await world.dies("turn.heard")).toBe(true);
  await world.restart();
  await world.pass(60_000);
  expect(world.state().agent?.status).toBe("completed");
});

test.each([
  [
    "another tool result",
    (recording: Recording) => {
      recording.answers[1]!.results[0]!.result = "Ann is not here.";
    },
    /^recorded\/r\.jsonl does not fit call 2 of coordinator: it was given spawn_worker \(ok\) Ann is here as ann and idle\.; recorded was spawn_worker \(ok\) Ann is not here\./,
  ],
  [
    "fewer tool results",
    (recording: Recording) => {
      recording.answers[1]!.results = [];
    },
    /it was given spawn_worker \(ok\) [^;]*; recorded was no further tool result/,
  ],
  [
    "more calls",
    (recording: Recording) => {
      recording.answers = recording.answers.slice(0, 1);
    },
    /does not fit call 2 of coordinator: its last answer of coordinator is number 1\. A recording can be played only/,
  ],
  [
    "another participant",
    (recording: Recording) => {
      for (const answer of recording.answers) if (answer.participant === "coordinator") answer.participant = "bea";
    },
    /it has no answer of coordinator, only of bea, ann\./,
  ],
])("a course with %s than recorded is an error that says where they part", async (_what, change, message) => {
  const recording = recordingOf("a1", (await lived(script)).log);
  change(recording);
  const { state } = await lived(undefined, recording);
  expect(state().agent).toMatchObject({
    status: "paused",
    reason: { code: "backend", message: expect.stringMatching(message) },
  });
});

test.each([
  ["nothing", "", /^the recording r\.jsonl is invalid at line 1: /],
  ["a script", "participants: {}", /is invalid at line 1: /],
  ["another version", '{"recording":2,"agent":"a","run":"r1","goal":"g"}', /is invalid at line 1: [\s\S]*recording/],
  ["an answer without its cost", '{"recording":1,"agent":"a","run":"r1","goal":"g"}\n{"text":""}', /at line 2: /],
])("a recording that holds %s is refused and says where", (_what, text, message) => {
  expect(() => parseRecording(text, "r.jsonl")).toThrow(
    expect.objectContaining({ code: "invalid", message: expect.stringMatching(message) }),
  );
});
