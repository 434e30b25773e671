/** The limits of a turn, through the runtime: with the tools there are, and with crashes. */
import { describe, expect, test } from "vitest";
import { agentStatus } from "../core/agent/status.ts";
import { type Answer, mail, use } from "../runtime/model.test-help.ts";
import { call, hour, node, spawn, team } from "../toolkit/tool.test-help.ts";

const withAnn = [{ calls: [spawn("Ann"), node("work"), call("wait_for_nodes")] }];
const write = (n: number): Answer => use("write_file", { path: `${n}.md`, content: "x" });
const many = (times: number, answer: (n: number) => Answer) => Array.from({ length: times }, (_, n) => answer(n));
const work = (world: Awaited<ReturnType<typeof team>>) => world.state().nodes.get("n1-work");

describe("the same call again", () => {
  test("by a worker is nudged in its result at the third time, and ends its node at the fifth", async () => {
    const world = await team({ coordinator: withAnn, ann: many(9, () => use("list_triggers")) });
    const told = world.told("ann");
    expect(told.slice(0, 2)).toEqual(["There are no active triggers.", "There are no active triggers."]);
    expect(told[2]).toMatch(
      /^There are no active triggers.\n\n\[You made this same call 3 times; the result will not change/,
    );
    expect(world.asked.filter((one) => one.participant === "ann")).toHaveLength(5);
    expect(work(world)).toMatchObject({ status: "failed", reason: { code: "limit.loop", next_mover: "coordinator" } });
    expect(mail(world.asked.at(-1)!).at(-1)).toMatch(/^n1-work failed: Ann made the same tool call 5 times/);
  });

  test("counts when the call is wrong, too: no such tool, no such parameter", async () => {
    for (const wrong of [use("fly"), use("send_message", { whom: "me" })]) {
      const world = await team({ coordinator: withAnn, ann: many(9, () => wrong) });
      expect(work(world)).toMatchObject({ status: "failed", reason: { code: "limit.loop" } });
    }
  });

  test("by the coordinator parks it with a question; the agent waits for the human", async () => {
    const world = await team({ coordinator: many(9, () => use("check_board")) });
    expect(world.asked).toHaveLength(5);
    expect(agentStatus(world.state())).toBe("waiting_for_human");
    expect([...world.state().questions.values()]).toMatchObject([{ by: "coordinator", status: "open" }]);
    await world.send("a1", { type: "question.answer", answer: "spawn someone" });
    await world.pass(hour);
    expect(mail(world.asked[5]!).at(-1)).toBe("Answer to q1: spawn someone");
    expect(world.state().agent?.status).toBe("active");
  });

  test("a board that changes may be looked at as often as one likes", async () => {
    const looks = many(8, (n) => ({ calls: [node(`node ${n}`), call("check_board")] }));
    const world = await team({ coordinator: looks });
    expect(world.told().filter((text) => text.includes("[You made"))).toEqual([]);
  });
});

describe("turns of which nothing lasts", () => {
  test("end the node after eight: looking, waiting and talking to the same person is no progress", async () => {
    const idle = (n: number): Answer =>
      [use("check_messages"), use("send_message", { to: "coordinator", content: `hm ${n}` }), use("list_triggers", {})][
        n % 3
      ]!;
    const world = await team({ coordinator: withAnn, ann: many(20, idle) });
    const turns = world.asked.filter((one) => one.participant === "ann").length;
    // The second turn has the first word to the coordinator, which counts as something.
    expect(turns).toBe(10);
    expect(work(world)).toMatchObject({ status: "failed", reason: { code: "limit.progress" } });
  });

  test("do not end a node whose worker writes now and then", async () => {
    const ann = many(18, (n) => (n % 6 === 5 ? write(n) : use("resource_read", { id: `abcdef${n}` })));
    const world = await team({ coordinator: withAnn, ann: [...ann, use("publish", { summary: "s" })] });
    expect(work(world)).toMatchObject({ status: "completed", turns: 19 });
  });
});

describe("at 70 % of its turns", () => {
  const urge = /^You have used 14 of the 20 turns of n1-work\. Stop exploring/;
  const urges = (texts: string[]) => texts.filter((text) => urge.test(text)).length;

  test("a worker is told to produce, once", async () => {
    const world = await team({ coordinator: withAnn, ann: [...many(17, write), use("publish", { summary: "s" })] });
    const ann = world.asked.filter((one) => one.participant === "ann");
    expect(ann.map((one) => urges(mail(one)))).toEqual([...Array(14).fill(0), 1, 1, 1, 1]);
    expect(work(world)).toMatchObject({ status: "completed" });
  });

  test.each(["turn.started", "turn.answered", "tool.ran", "tool.ended"])(
    "once, also when the process dies at %s",
    async (point) => {
      for (const nth of [13, 14, 15]) {
        const world = await team({ coordinator: [], ann: many(30, write) });
        await world.send("a1", { type: "worker.spawn", name: "Ann" });
        await world.send("a1", { type: "node.create", task: "work" });
        await world.dies(point, nth);
        await world.restart();
        await world.pass(hour);
        const last = world.asked.filter((one) => one.participant === "ann").at(-1)!;
        expect(urges(mail(last))).toBe(1);
      }
    },
  );
});

describe("talk that leads nowhere", () => {
  test("is refused after ten messages, and the coordinator hears of it once", async () => {
    const chatter = (to: string) => many(12, (n) => use("send_message", { to, content: `word ${n}` }));
    const world = await team(
      {
        coordinator: [
          {
            calls: [
              spawn("Ann"),
              spawn("Bea"),
              node("a", { worker: "ann" }),
              node("b", { worker: "bea" }),
              call("wait_for_nodes"),
            ],
          },
        ],
        ann: chatter("bea"),
        bea: chatter("ann"),
      },
      { limits: { turns_without_progress: 20 } },
    );
    expect(world.state().channel.filter(({ from }) => from !== "coordinator")).toHaveLength(10);
    const refused = [...world.told("ann"), ...world.told("bea")].filter((text) => text.startsWith("error: you and"));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatch(/exchanged 10 messages without a result; no more are delivered until/);
    const heard = world.asked.filter((one) => one.participant === "coordinator").at(-1)!;
    expect(mail(heard).filter((text) => text.startsWith("Ann and Bea exchanged 10 messages"))).toHaveLength(1);
  });

  test("is not what people do who work in between", async () => {
    const both = (to: string) =>
      many(8, (n) => ({
        calls: [
          call("write_file", { path: `${n}`, content: `${to}${n}` }),
          call("send_message", { to, content: `see ${n}` }),
        ],
      }));
    const world = await team({
      coordinator: [
        {
          calls: [
            spawn("Ann"),
            spawn("Bea"),
            node("a", { worker: "ann" }),
            node("b", { worker: "bea" }),
            call("wait_for_nodes"),
          ],
        },
      ],
      ann: both("bea"),
      bea: both("ann"),
    });
    expect(world.state().channel).toHaveLength(16);
  });
});

describe("an answer of words only", () => {
  test("of the coordinator is a message to the human, once, over a crash at every point; it does not spin", async () => {
    for (const point of ["turn.answered", "turn.heard", "turn.started"]) {
      const world = await team({ coordinator: [{ say: "hello" }, { say: "It is 42." }] });
      await world.send("a1", { type: "message.post", text: "well?" });
      const died = await world.dies(point);
      if (died) await world.restart();
      await world.pass(hour);
      const words = world.state().channel.filter(({ from }) => from === "coordinator");
      expect(words.map(({ text, to }) => [text, ...to])).toEqual([
        ["hello", "human"],
        ["It is 42.", "human"],
      ]);
      expect(new Set(world.asked.map((one) => one.turns)).size).toBe(2);
      expect(agentStatus(world.state())).toBe("idle");
    }
  });

  test("that a tool already sent is not sent again; a mention in it is delivered", async () => {
    const world = await team({
      coordinator: [
        { calls: [spawn("Ann"), call("send_message", { to: "human", content: "Done, @Ann has it." })] },
        { say: "Done, @Ann has it." },
      ],
    });
    expect(world.state().channel.map(({ to }) => to)).toEqual([["human"], ["ann"]]);
  });

  test("of a worker to the human who wrote to it is delivered, and its node still wants to be worked on", async () => {
    const world = await team({
      coordinator: withAnn,
      ann: [{ seconds: 5, ...write(1) }, { say: "Half done." }, use("publish", { summary: "s" })],
    });
    expect(world.state().channel).toEqual([]);
    const again = await team({ coordinator: [{ calls: [spawn("Ann")] }], ann: [{ say: "Nothing yet." }] });
    await again.send("a1", { type: "message.post", to: "ann", text: "how far are you?" });
    await again.pass(hour);
    expect(again.state().channel.at(-1)).toMatchObject({ from: "ann", to: ["human"], text: "Nothing yet." });
  });
});

describe("a budget", () => {
  test("of a worker ends its node with limit.budget; without a node the worker is retired and the coordinator hears of it", async () => {
    const spend = (n: number): Answer => ({ usd: 0.3, ...write(n) });
    const world = await team({
      coordinator: [{ calls: [spawn("Ann", { budget_usd: 0.5 }), node("work"), call("wait_for_nodes")] }, {}, {}],
      ann: many(4, spend),
    });
    expect(work(world)).toMatchObject({
      status: "failed",
      reason: { code: "limit.budget", message: expect.stringContaining("worker:ann") },
    });
    expect(world.state().agent?.status).toBe("active");
    await world.send("a1", { type: "message.post", to: "ann", text: "go on" });
    await world.pass(hour);
    expect(world.state().participants.get("ann")).toMatchObject({ retired: true });
    expect(mail(world.asked.at(-1)!).at(-1)).toMatch(/^Ann is retired: the budget of worker:ann allows 0.5 usd/);
    expect(world.asked.filter((one) => one.participant === "ann")).toHaveLength(1);
  });

  test("of the run or the agent pauses the agent", async () => {
    const poor = await team({ coordinator: [{ say: "a" }, { usd: 0.6 }] });
    await poor.send("a1", { type: "budget.set", scope: { of: "run" }, limit: { usd: 0.5 } });
    await poor.send("a1", { type: "message.post", text: "and?" });
    await poor.pass(hour);
    expect(poor.state().agent).toMatchObject({ status: "paused", reason: { code: "budget", next_mover: "human" } });
  });
});
