import { expect, test } from "vitest";
import { type Play, use } from "../../runtime/model.test-help.ts";
import { start } from "../../runtime/runtime.test-help.ts";
import type { Event } from "../../schema/event.ts";
import { node, spawn } from "../../toolkit/tool.test-help.ts";
import type { Input } from "../terminal/input.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { run } from "./run.ts";
import { watchedIn } from "./watched.test-help.ts";

/** An agent that is watched by somebody who types, or by nobody. */
async function watched(play: Play, typing = true) {
  const world = start({ play });
  await world.begin();
  await world.create();
  const shown: string[] = [];
  const out = { columns: 100, rows: 40, write: (text: string) => shown.push(text) };
  const stop = new AbortController();
  let typed: (line: string) => void = () => undefined;
  const input: Input = {
    lines: (hear) => {
      typed = hear;
    },
    typing: () => false,
    below: () => 0,
    redraw: () => undefined,
    close: () => undefined,
  };
  const over = run({
    watched: watchedIn(world.runtime(), "a1"),
    terminal: createTerminal({ out, live: false, color: false }),
    agent: "a1",
    now: () => world.sim.time.now(),
    stop: stop.signal,
    input: typing ? input : undefined,
    paths: () => ({ output: "o", run: "r", log: "l" }),
  });
  await world.pass(60_000);
  return {
    ...world,
    shown: () => shown.join(""),
    async type(line: string) {
      typed(line);
      await world.pass(60_000);
    },
    over: () => world.settled(over),
    async leave() {
      stop.abort();
      return await world.settled(over);
    },
  };
}

test("what is typed answers the oldest question, or the one it names, or is a message to whom it names", async () => {
  const asks = (question: string) => [use("ask_human", { question }), {}, {}];
  const world = await watched({
    coordinator: [
      { calls: [spawn("Ann"), spawn("Bea"), node("a", { worker: "Ann" }), node("b", { worker: "Bea" })] },
      use("ask_human", { question: "which one?" }),
    ],
    ann: asks("how long?"),
    bea: asks("which colour?"),
  });
  const answers = () =>
    [...world.state().questions.values()].map((one) => [one.by, one.status === "answered" && one.answer]);
  expect(new Set(answers().map(([by]) => by))).toEqual(new Set(["coordinator", "ann", "bea"]));
  const idOf = (by: string) => [...world.state().questions.values()].find((one) => one.by === by)!.id;
  await world.type(`${idOf("bea")}: green`);
  await world.type("@Ann, @Bea: be brief");
  await world.type("@Ann two pages");
  await world.type("the first");
  expect(Object.fromEntries(answers())).toEqual({ coordinator: "the first", ann: "@Ann two pages", bea: "green" });
  expect(
    world
      .state()
      .channel.filter(({ from }) => from === "human")
      .map(({ to, text }) => [to, text]),
  ).toEqual([
    [["ann", "bea"], "@Ann, @Bea: be brief"],
    [["ann"], "@Ann two pages"],
  ]);
  await world.type("@Zoe hello");
  expect(world.shown()).toContain("there is no participant");
  expect(await world.leave()).toBe("paused");
});

test("where nobody types, what has a deadline is waited for, and what has none ends it", async () => {
  const world = await watched(
    {
      coordinator: [
        use("ask_human", { question: "a or b?", default: "b", deadline_seconds: 1800 }),
        use("ask_human", { question: "and now?" }),
      ],
    },
    false,
  );
  expect(await world.over()).toBe("stuck");
  expect([...world.state().questions.values()].map(({ status }) => status)).toEqual(["expired", "open"]);
  expect(world.shown()).toContain("a1 is waiting for your answer.");
});

test("words of the next turn stand on a line of their own, also if they come before the end of the last turn is known", async () => {
  const world = start({ play: { coordinator: [] } });
  await world.begin();
  await world.create();
  await world.pass(60_000);
  const events = await world.events();
  const answered = (turn: string, text: string) => ({
    ...events.at(-1)!,
    type: "turn.answered" as const,
    data: { turn, participant: "coordinator", text, calls: [], cost: { usd: 0, tokens: 0 } },
  });
  const shown: string[] = [];
  const stop = new AbortController();
  const over = run({
    watched: {
      ...watchedIn(world.runtime(), "a1"),
      listen(hear) {
        const say = (turn: string, text: string) => hear({ type: "text", text, turn, participant: "coordinator" });
        say("t1", "That is line 1.");
        say("t2", "Good, ");
        queueMicrotask(() => say("t2", "that is all."));
        return () => undefined;
      },
      async *follow() {
        yield [answered("t1", "That is line 1.")] as Event[];
        yield [answered("t2", "Good, that is all.")] as Event[];
        stop.abort();
      },
    },
    terminal: createTerminal({
      out: { columns: 100, rows: 40, write: (text: string) => shown.push(text) },
      live: false,
      color: false,
    }),
    agent: "a1",
    from: world.state(),
    now: () => 0,
    stop: stop.signal,
    input: {
      lines: () => undefined,
      typing: () => false,
      below: () => 0,
      redraw: () => undefined,
      close: () => undefined,
    },
    paths: () => ({ output: "o", run: "r", log: "l" }),
    leaving: "detach",
  });
  await over;
  const lines = shown
    .join("")
    .split("\n")
    .map((line) => line.trim());
  expect(lines).toContain("That is line 1.");
  expect(lines).toContain("Good, that is all.");
});
