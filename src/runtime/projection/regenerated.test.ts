/** Readable files are the same whenever they are made: as things happen, after a crash, or from the log alone much later. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Thinker } from "../../schema/worker.ts";
import { use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";
import { conversationPath, nodeLogPath, threadPath } from "./transcript.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });

const talk = [
  use("send_message", { to: "Ann", content: "well?" }),
  use("send_message", { to: "Bea", content: "and?" }),
  use("ask_human", { question: "go on?" }),
  { say: "@Ann and @Bea, hello" },
  { say: "ok" },
];
/** Some of it is refused, and that is in the files too. */
const leading = [
  ...talk,
  use("wait_for_nodes", { timeout_seconds: 5 }),
  use("wait_for_nodes", { timeout_seconds: 5 }),
  use("reconvene", { assessment: "good" }),
  use("reconvene", { assessment: "good", next_stage: { name: "next" } }),
  use("create_work_node", { task: "more", stage: "build" }),
  use("dismiss_suggestion", { suggestion: "s1", reason: "no" }),
  use("cancel_node", { node_id: "n2-other", reason: "not needed" }),
  use("retire_worker", { worker_id: "Bea" }),
  use("schedule", { type: "delayed", config: { delay_seconds: 10 }, action: "look" }),
];
const working = [
  ...talk,
  use("create_work_node", { task: "part" }),
  use("check_messages", { wait: true }),
  use("suggest_next", { suggestion: "even more" }),
  use("checkpoint", { summary: "half" }),
  use("checkpoint", { summary: "nearly" }),
  { calls: [call("write_file", { path: "b.md", content: "b" }), call("publish", { summary: "made" })] },
];
const team = {
  calls: [
    call("spawn_worker", { name: "Ann" }),
    call("spawn_worker", { name: "Bea" }),
    call("create_work_node", { task: "work", worker: "Ann", stage: "build" }),
    call("create_work_node", { task: "other", worker: "Bea", stage: "build" }),
  ],
};

const course = <T>(steps: readonly T[]) => fc.array(fc.constantFrom(...steps), { minLength: 4, maxLength: 14 });

test("conversations and logs of nodes that are made anew equal those that were written as it happened", async () => {
  await fc.assert(
    fc.asyncProperty(
      course(leading),
      course(working),
      course(working),
      fc.constantFrom(7, 1_000),
      async (lead, ann, bea, snapshotEvery) => {
        const world = start({ play: { coordinator: [team, ...lead], ann, bea }, snapshotEvery });
        await world.begin();
        await world.create();
        await world.pass(20_000);
        await world.send("a1", { type: "question.answer", answer: "yes" }, { actor: "human" }).catch(() => undefined);
        await world.send("a1", { type: "message.post", text: "hello" }, { actor: "human" });
        await world.pass(40_000);
        await world
          .send("a1", { type: "run.finish", summary: "the answer" }, { actor: "human" })
          .catch(() => undefined);
        await world.pass(2_000);
        const { run, participants, nodes } = world.state();
        const thinkers = [...participants.values()].filter((one): one is Thinker => one.kind !== "human");
        const paths = [
          threadPath,
          ...thinkers.filter(({ turns }) => turns > 0).map(({ id }) => conversationPath(run!.id, id)),
          ...[...nodes.keys()].map((id) => nodeLogPath(run!.id, id)),
        ].map((path) => `/home/agents/a1/${path}`);
        const read = () => paths.map((path) => [path, String(world.sim.disk.peek(path))]);
        const live = read();
        // One way: nothing is there. The other: the last lines of each are gone with the power.
        for (const left of [
          () => null,
          (text: string) =>
            text
              .split(/(?<=\n)/)
              .slice(0, -4)
              .join(""),
        ]) {
          for (const [path, text] of live) world.sim.disk.edit(path!, left(text!));
          await world.restart("kill");
          await world.pass(2_000);
          const again = read();
          // What happened since the restart comes after it.
          expect(again.map(([path, text], at) => [path, text!.slice(0, live[at]![1]!.length)])).toEqual(live);
        }
      },
    ),
    { numRuns: 10, seed: 14 },
  );
});

test("the conversation with the human has all of it: the goal, the question, the answer and the final answer", async () => {
  const world = start({
    play: { coordinator: [use("ask_human", { question: "Which?" }), use("finish", { summary: "Blue it is." })] },
  });
  await world.begin();
  await world.create({ goal: "Choose a colour" });
  await world.until(() => world.state().questions.size === 1);
  await world.send("a1", { type: "question.answer", answer: "blue" }, { actor: "human" });
  await world.until(() => world.state().agent?.status === "completed");
  await world.pass(2_000);
  const expected = [
    ["goal", "human", "Choose a colour"],
    ["question", "coordinator", "Which?"],
    ["answer", "human", "blue"],
    ["result", "coordinator", "Blue it is."],
  ];
  const { channel } = await world.settled(world.runtime().reading("a1"));
  const { items } = await world.settled(channel.said(undefined, 10));
  expect(items.toReversed().map(({ kind, from, text }) => [kind, from, text])).toEqual(expected);
  const file = String(world.sim.disk.peek(`/home/agents/a1/${threadPath}`));
  const lines = file
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ kind, from, text }) => [kind, from, text])).toEqual(expected);
});
