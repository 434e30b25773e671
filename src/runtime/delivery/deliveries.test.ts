import { describe, expect, test } from "vitest";
import { type Channel, ChannelError, type Notice } from "../../channel/channel.ts";
import { humanInbox } from "../../core/human/human-inbox.ts";
import type { Concern } from "../../schema/delivery.ts";
import type { Event, EventOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { startLive } from "../live.test-help.ts";
import { use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";
import { createDeliveries } from "./deliveries.ts";

const minute = 60_000;
const all: Concern[] = ["questions", "approvals", "messages", "paused", "completed", "failed"];

/** The outside: it outlives every process. Each channel notes what it took, and does first what it is told to. */
function outside() {
  const took: { channel: string; key: string; notice: Notice; at: number }[] = [];
  const tries: string[] = [];
  const channel = (
    name: string,
    wanted: Concern[],
    first?: (notice: Notice, nth: number, signal: AbortSignal) => unknown,
  ) => {
    const made: Channel = {
      kind: "webhook",
      for: wanted,
      async send(notice, signal) {
        tries.push(name);
        await first?.(notice, tries.filter((one) => one === name).length, signal);
        took.push({ channel: name, key: notice.key, notice, at: 0 });
      },
    };
    return [name, made] as const;
  };
  return { took, tries, channel };
}

const ask = (question: string, more = {}) => use("ask_human", { question, ...more });
const play = { coordinator: [ask("Which?"), use("finish", { summary: "42" })] };
const of = <T extends Event["type"]>(events: Event[], type: T) =>
  events.filter((event) => event.type === type) as EventOf<T>[];
const down = () => {
  throw new ChannelError("example.com answered 500");
};

describe("what concerns the human", () => {
  test("is sent to each channel that wants it, once, and recorded", async () => {
    const { took, channel } = outside();
    const world = start({
      play,
      channels: () => new Map([channel("hook", all), channel("mail", ["completed"])]),
    });
    await world.begin();
    await world.create();
    await world.pass(minute);
    expect(took.map(({ channel: to, notice }) => [to, notice.text])).toEqual([["hook", "Which?"]]);
    await world.send("a1", { type: "question.answer", answer: "this" }, { actor: "human" });
    await world.pass(minute);
    expect(took.slice(1).map(({ channel: to, notice }) => [to, notice.concern, notice.text])).toEqual([
      ["hook", "completed", "42"],
      ["mail", "completed", "42"],
    ]);
    const events = await world.events();
    expect(of(events, "delivery.sent").map(({ data }) => data.attempts)).toEqual([1, 1, 1]);
    expect(new Set(took.map(({ key }) => key)).size).toBe(3);
    expect(world.state().deliveries.size).toBe(0);
    const asked = of(events, "question.asked")[0]!;
    expect(took[0]!.notice).toMatchObject({
      agent: "a1",
      run: "r1",
      question: "q1",
      id: `${asked.seq}/hook`,
      at: asked.ts,
    });
  });

  test("and was asked before there was a channel is sent by one that is added to the config", async () => {
    const { took, channel } = outside();
    let lives = 0;
    const world = start({ play, channels: () => new Map(lives++ ? [channel("hook", all)] : []) });
    await world.begin();
    await world.create();
    await world.pass(minute);
    await world.restart();
    await world.pass(minute);
    await world.restart();
    await world.pass(minute);
    expect(took.map(({ channel: to, notice }) => [to, notice.question])).toEqual([["hook", "q1"]]);
  });

  test("is sent one at a time to each channel, oldest first, and a slow channel holds up nobody else", async () => {
    let under = 0;
    let most = 0;
    const { took, channel } = outside();
    const world = start({
      play: {
        coordinator: [
          { calls: ["A", "B", "C"].map((text) => ({ tool: "send_message", input: { to: "human", content: text } })) },
        ],
      },
      channels: () =>
        new Map([
          channel("slow", ["messages"], async () => {
            most = Math.max(most, ++under);
            await world.sim.time.sleep(1_000);
            under--;
          }),
          channel("quick", ["messages"]),
        ]),
    });
    await world.begin();
    await world.create();
    await world.pass(minute);
    expect(took.filter(({ channel: to }) => to === "slow").map(({ notice }) => notice.text)).toEqual(["A", "B", "C"]);
    expect(took.slice(0, 3).map(({ channel: to }) => to)).toEqual(["quick", "quick", "quick"]);
    expect(most).toBe(1);
  });

  test("is not sent any more once it was answered elsewhere", async () => {
    const { took, tries, channel } = outside();
    const world = start({
      play,
      channels: () => new Map([channel("hook", ["questions"], (_, nth) => nth === 1 && down())]),
    });
    await world.begin();
    await world.create();
    await world.until(() => tries.length === 1);
    await world.send("a1", { type: "question.answer", answer: "this" }, { actor: "human" });
    await world.pass(600 * minute);
    expect([took, tries.length]).toEqual([[], 1]);
  });

  test("is not sent at all if it is over before it is on the disk", async () => {
    const { tries, channel } = outside();
    const world = start({ play: {}, channels: () => new Map([channel("hook", ["paused"])]) });
    await world.begin();
    await world.create();
    const reason = { code: "x", message: "m", next_mover: "human" };
    const both = [
      world.runtime().send("a1", { type: "agent.pause", reason }),
      world.runtime().send("a1", { type: "agent.resume" }),
    ];
    await world.settled(Promise.all(both));
    await world.pass(minute);
    expect(tries).toEqual([]);
  });

  test("and is being sent when it is over keeps its agent from resting until then", async () => {
    const { took, tries, channel } = outside();
    const world = start({
      play: {},
      restAfterMs: 1_000,
      channels: () => new Map([channel("hook", ["paused"], () => world.sim.time.sleep(minute))]),
    });
    await world.begin();
    await world.create();
    await world.pass(500);
    await world.send("a1", { type: "agent.pause", reason: { code: "x", message: "m", next_mover: "human" } });
    await world.until(() => tries.length === 1);
    await world.send("a1", { type: "agent.resume" });
    await world.pass(minute / 2);
    expect(world.runtime().opened("a1")?.live.state().deliveries.size).toBe(0);
    await world.pass(minute);
    expect(took).toHaveLength(1);
    expect(world.runtime().opened("a1")).toBeUndefined();
  });

  test("is not sent any more once the agent is archived", async () => {
    const { tries, channel } = outside();
    const world = start({ play, channels: () => new Map([channel("hook", ["questions"], down)]) });
    await world.begin();
    await world.create();
    await world.until(() => tries.length === 1);
    await world.send("a1", { type: "agent.stop" });
    await world.send("a1", { type: "agent.archive" });
    await world.pass(60 * minute);
    expect(tries).toHaveLength(1);
  });
});

describe("a channel that fails", () => {
  test("is tried again after the pauses, shown meanwhile, and nobody else notices", async () => {
    const { took, tries, channel } = outside();
    const world = start({
      play,
      channels: () =>
        new Map([channel("bad", ["questions"], (_, nth) => nth < 4 && down()), channel("good", ["questions"])]),
    });
    await world.begin();
    await world.create();
    await world.until(() => tries.filter((name) => name === "bad").length === 3);
    expect(took.map(({ channel: to }) => to)).toEqual(["good"]);
    const { items } = humanInbox(world.state());
    expect(items.find(({ id }) => id === "channel:bad")?.text).toContain("failed");
    await world.pass(10 * minute);
    expect(took.map(({ channel: to }) => to)).toEqual(["good", "bad"]);
    const failures = of(await world.events(), "delivery.failed");
    const pauses = failures.map(({ ts, data }) => (Date.parse(data.next_at!) - Date.parse(ts)) / minute);
    expect(pauses).toEqual([1, 2, 4]);
    expect(failures[0]!.data.error).toBe("example.com answered 500");
    expect(humanInbox(world.state()).items.map(({ id }) => id)).toEqual(["q1"]);
  });

  test("is given up after twelve times, and the question still waits in the inbox", async () => {
    const { tries, channel } = outside();
    const world = start({ play, channels: () => new Map([channel("bad", ["questions"], down)]) });
    await world.begin();
    await world.create();
    await world.pass(48 * 60 * minute);
    expect(tries.length).toBe(12);
    expect(of(await world.events(), "delivery.failed").at(-1)?.data).toEqual({
      delivery: expect.stringMatching(/\/bad$/),
      attempts: 12,
      error: "example.com answered 500",
    });
    const { items, counts } = humanInbox(world.state());
    expect(counts).toMatchObject({ questions: 1, notices: 1 });
    expect(items.find(({ kind }) => kind === "notice")?.text).toContain("failed 12 times");
  });

  test("by a fault of ours is told without what the fault says", async () => {
    const { channel } = outside();
    const throws = () => {
      throw new Error("secret inside");
    };
    const world = start({ play, channels: () => new Map([channel("bad", ["questions"], throws)]) });
    await world.begin();
    await world.create();
    await world.pass(1_000);
    expect(of(await world.events(), "delivery.failed")[0]?.data.error).toBe("an unexpected fault");
  });

  const errors: [about: string, given: string, told: string][] = [
    ["says nothing", "", "no reason given"],
    ["says too much", "x".repeat(600), "x".repeat(500)],
    ["says half a character", "a\ud83d", "a\ufffd"],
  ];

  test.each(errors)("and %s is recorded so that it can be read", async (_about, given, told) => {
    const { channel } = outside();
    const throws = () => {
      throw new ChannelError(given);
    };
    const world = start({ play, channels: () => new Map([channel("bad", ["questions"], throws)]) });
    await world.begin();
    await world.create();
    await world.pass(1_000);
    expect(of(await world.events(), "delivery.failed").map(({ data }) => data.error)).toEqual([told]);
  });

  const busy = (_: Notice, nth: number) => {
    if (nth === 1) throw new ChannelError("example.com answered 429", 600);
  };

  test("is left alone as long as the other side asks for", async () => {
    const { took, tries, channel } = outside();
    const world = start({ play, channels: () => new Map([channel("hook", ["questions"], busy)]) });
    await world.begin();
    await world.create();
    await world.pass(9 * minute);
    expect(tries).toHaveLength(1);
    await world.pass(2 * minute);
    expect([tries.length, took.length]).toEqual([2, 1]);
  });

  test("is tried again soon when the clock is set forward while it waits", async () => {
    const { took, tries, channel } = outside();
    const world = start({ play, channels: () => new Map([channel("hook", ["questions"], busy)]) });
    await world.begin();
    await world.create();
    await world.until(() => tries.length === 1);
    await world.pass(1_000);
    world.sim.time.jump(24 * 60 * minute);
    await world.pass(minute);
    expect(took).toHaveLength(1);
  });

  test("keeps its agent from resting until it was taken", async () => {
    const { took, channel } = outside();
    const world = start({
      play,
      restAfterMs: 1_000,
      channels: () => new Map([channel("hook", ["questions"], (_, nth) => nth < 3 && down())]),
    });
    await world.begin();
    await world.create();
    await world.pass(30_000);
    expect(world.runtime().opened("a1")).toBeDefined();
    await world.pass(10 * minute);
    expect(took).toHaveLength(1);
    expect(world.runtime().opened("a1")).toBeUndefined();
  });

  test("is tried again in time when the clock is set back while it waits", async () => {
    const { took, channel } = outside();
    const world = start({
      play,
      channels: () => new Map([channel("hook", ["questions"], (_, nth) => nth < 2 && down())]),
    });
    await world.begin();
    await world.create();
    await world.pass(30_000);
    world.sim.time.jump(-365 * 24 * 60 * minute);
    await world.pass(minute);
    expect(took).toHaveLength(1);
  });

  test("is tried also while the agent is paused, to say that it is", async () => {
    const { took, channel } = outside();
    const world = start({
      play: {},
      channels: () => new Map([channel("hook", ["paused"], (_, nth) => nth < 2 && down())]),
    });
    await world.begin();
    await world.create();
    const reason = { code: "budget", message: "no money", next_mover: "human" };
    await world.send("a1", { type: "agent.pause", reason });
    await world.pass(5 * minute);
    expect(took.map(({ notice }) => notice.text)).toEqual(["no money"]);
  });
});

describe("a crash", () => {
  test.each([1, 2, 3, 4, 5, 6])(
    "between sending and recording sends it once more with the same key, and records it once (%i)",
    async (seed) => {
      const { took, channel } = outside();
      const world = start({
        seed,
        play,
        channels: () => new Map([channel("hook", ["questions"], () => world.sim.time.sleep(1_000))]),
      });
      await world.begin();
      await world.create();
      expect(await world.dies("delivery.tried")).toBe(true);
      expect(took).toHaveLength(1);
      await world.restart();
      await world.pass(minute);
      expect(took.map(({ key }) => key)).toEqual([took[0]!.key, took[0]!.key]);
      expect(of(await world.events(), "delivery.sent")).toHaveLength(1);
      await world.restart();
      await world.pass(minute);
      expect(took).toHaveLength(2);
    },
  );

  test("before it could be sent loses nothing, also days later", async () => {
    const { took, tries, channel } = outside();
    const hangs = (_: Notice, nth: number) => nth === 1 && new Promise(() => undefined);
    const world = start({ play, channels: () => new Map([channel("hook", ["questions"], hangs)]) });
    await world.begin();
    await world.create();
    await world.until(() => tries.length === 1);
    await world.restart("kill");
    await world.pass(minute);
    expect(took.map(({ notice }) => notice.text)).toEqual(["Which?"]);
  });

  test("keeps the pauses and the count of attempts", async () => {
    const { tries, channel } = outside();
    const world = start({ play, channels: () => new Map([channel("hook", ["questions"], down)]) });
    await world.begin();
    await world.create();
    await world.until(() => tries.length === 3);
    await world.pass(1_000);
    for (let n = 0; n < 5; n++) await world.restart();
    expect(tries.length).toBe(3);
    await world.pass(4 * minute);
    expect(tries.length).toBe(4);
    expect(of(await world.events(), "delivery.failed").map(({ data }) => data.attempts)).toEqual([1, 2, 3, 4]);
  });
});

test("what is told is on the disk before it leaves", async () => {
  const onDisk: boolean[] = [];
  const { channel } = outside();
  const look = ({ question }: Notice) => {
    const log = String(world.sim.disk.peek("/home/agents/a1/events.jsonl"));
    onDisk.push(log.includes(`"type":"question.asked"`) && log.includes(`"question":"${question}"`));
  };
  const world = start({ play, channels: () => new Map([channel("hook", ["questions"], look)]) });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  expect(onDisk).toEqual([true]);
});

test("an orderly end waits a moment for what is being sent, so that it is not sent again", async () => {
  const { took, tries, channel } = outside();
  const world = start({
    play,
    channels: () => new Map([channel("hook", ["questions"], () => world.sim.time.sleep(500))]),
  });
  await world.begin();
  await world.create();
  await world.until(() => tries.length === 1);
  await world.settled(world.runtime().stop());
  expect(took).toHaveLength(1);
  await world.restart();
  await world.pass(minute);
  expect(tries).toHaveLength(1);
});

test("the channels of the config are what the log knows, whenever they change", async () => {
  const { took, channel } = outside();
  let names = ["one"];
  const world = start({ play: {}, channels: () => new Map(names.map((name) => channel(name, ["paused"]))) });
  await world.begin();
  await world.create();
  expect([...world.state().channels.keys()]).toEqual(["one"]);
  names = ["two", "three"];
  await world.restart();
  await world.send("a1", { type: "agent.pause", reason: { code: "x", message: "m", next_mover: "human" } });
  await world.pass(1_000);
  expect(took.map(({ channel: to }) => to)).toEqual(["two", "three"]);
  await world.restart();
  expect(of(await world.events(), "delivery.routed")).toHaveLength(2);
});

/** An agent that is paused, which one channel is to be told; by itself, in a world without fault points. */
async function alone(first?: (signal: AbortSignal) => Promise<unknown>) {
  const { took, tries, channel } = outside();
  const life = await startLive();
  const jobs: Promise<void>[] = [];
  const deliveries = createDeliveries({
    live: life.live,
    world: { ...life.world, point: undefined },
    channels: new Map([channel("hook", ["paused"], (_notice, _nth, signal) => first?.(signal))]),
    track: (job) => jobs.push(job),
  });
  deliveries.start();
  await life.live.durable();
  const pause = () => {
    const done = life.live.dispatch({ type: "agent.pause", reason: { code: "x", message: "m", next_mover: "human" } });
    deliveries.start();
    return done;
  };
  return { ...life, took, tries, jobs, deliveries, pause };
}

test("what was sent is recorded, also where there are no fault points, and is work that an end waits for", async () => {
  const { pause, deliveries, told, took, jobs } = await alone();
  await pause();
  await deliveries.idle();
  expect(took).toHaveLength(1);
  expect(jobs).toHaveLength(1);
  expect(told.at(-1)?.type).toBe("delivery.sent");
});

test("nothing is sent by a process that lost its agent while it was writing", async () => {
  const { pause, deliveries, lost, answer, tries } = await alone();
  const { promise, resolve } = Promise.withResolvers<void>();
  answer(() => promise);
  const paused = pause();
  lost.abort();
  resolve();
  await paused;
  await deliveries.idle();
  expect(tries).toEqual([]);
});

test("who is closed while it waits for a channel waits no longer", async () => {
  const { pause, deliveries, live, sim, told } = await alone(() => Promise.reject(new ChannelError("down")));
  await pause();
  await deliveries.idle();
  expect(told.at(-1)?.type).toBe("delivery.failed");
  await live.close(new Problem("closed", "the process ends"));
  expect(await sim.time.run({ steps: 1 })).toBe("idle");
});
