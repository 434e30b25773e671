import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EventOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { startLive } from "../live.test-help.ts";
import { mail, type Play, results, use } from "../model.test-help.ts";
import { type Options, start } from "../runtime.test-help.ts";
import { createOutbox } from "./outbox.ts";

const hour = 3_600_000;
const write = (to: string, content: string, more = {}) => use("send_message", { to: `agent:${to}`, content, ...more });

/** Agents of one home: each plays `NAME coordinator`. */
async function agents(names: readonly string[], play: Play, options: Options = {}) {
  const world = start({ play, ...options });
  await world.begin();
  const posts = async (agent: string) =>
    (await world.events(agent)).filter((event): event is EventOf<"message.posted"> => event.type === "message.posted");
  const made = {
    ...world,
    posts,
    /** What came from other agents, as `sender: text`, in the order it was received. */
    received: async (agent: string) =>
      (await posts(agent)).flatMap(({ data }) => (data.mail?.origin ? [`${data.from}: ${data.text}`] : [])),
    of: async (agent: string, type: string) => (await world.events(agent)).filter((event) => event.type === type),
    /** What this agent's coordinator was shown in its last call. */
    shown: (agent: string) => world.asked.findLast(({ model }) => model === agent)!,
  };
  for (const name of names) {
    await world.create({ name, model: name, start: false });
  }
  return made;
}

const begin = async (world: Awaited<ReturnType<typeof agents>>, ...names: string[]) => {
  for (const name of names) await world.send(name, { type: "run.start" }, { actor: "human" });
};

describe("a message to another agent", () => {
  test("reaches it as mail of an agent, is answered, and both logs have it once", async () => {
    const world = await agents(["alice", "bob"], {
      "alice coordinator": [write("bob", "What is a chip?"), use("check_messages", { wait: true }), {}],
      "bob coordinator": [{}, write("alice", "A piece of silicon."), {}],
    });
    await begin(world, "bob", "alice");
    await world.pass(hour);
    expect(results(world.shown("alice"))[0]!.result).toBe("Sent as m1 to agent:bob.");
    expect(mail(world.shown("bob")).at(-1)).toBe("What is a chip?");
    // In the result of her call if it was there by then, else in her inbox.
    const heard = [results(world.shown("alice"))[1]!.result, ...mail(world.shown("alice"))];
    const wrapped =
      /^<message id="\d+" from="agent:bob" kind="message" trust="agent">\nA piece of silicon.\n<\/message>$/;
    expect(heard.filter((text) => text === "A piece of silicon." || wrapped.test(text))).toHaveLength(1);
    const line = world.shown("bob").lines.findLast((one) => one.role === "inbox");
    expect(line).toMatchObject({ entries: [{ from: "agent:alice", kind: "message" }] });
    expect(await world.received("alice")).toEqual(["agent:bob: A piece of silicon."]);
    expect(await world.received("bob")).toEqual(["agent:alice: What is a chip?"]);
    for (const agent of ["alice", "bob"]) {
      expect(await world.of(agent, "outbox.delivered")).toHaveLength(1);
      expect(world.state(agent).outbox.size).toBe(0);
    }
    const [asked] = await world.posts("alice");
    expect(asked!.data).toMatchObject({ from: "coordinator", to: ["agent:bob"], mail: { hops: 1, fresh: true } });
    expect((await world.posts("alice"))[1]!.data).toMatchObject({
      from: "agent:bob",
      to: ["coordinator"],
      mail: { hops: 2, origin: { born: world.state("bob").agent!.created_at } },
    });
  });

  test("opens a completed run again", async () => {
    const world = await agents(["alice", "bob"], {
      "alice coordinator": [write("bob", "one more thing"), {}],
      "bob coordinator": [use("finish", { summary: "done" }), write("alice", "and now?"), {}],
    });
    await begin(world, "bob");
    await world.pass(hour);
    expect(world.state("bob").agent?.status).toBe("completed");
    await begin(world, "alice");
    await world.pass(hour);
    expect(await world.of("bob", "agent.reopened")).toHaveLength(1);
    expect(await world.received("alice")).toEqual(["agent:bob: and now?"]);
  });

  test("that is long arrives with its whole text, readable by the other", async () => {
    const content = `The report\n${"é".repeat(2_000)}`;
    const world = await agents(["alice", "bob"], {
      "alice coordinator": [write("bob", content), {}],
      "bob coordinator": [
        {},
        (request) => use("resource_read", { id: /resource ([0-9a-f]{64})/.exec(mail(request).at(-1)!)![1]! }),
        {},
      ],
    });
    await begin(world, "bob", "alice");
    await world.pass(hour);
    expect(results(world.shown("bob"))[0]!.result).toBe(content);
    expect([...world.state("bob").resources.values()][0]).toMatchObject({ title: "The report", by: "agent:alice" });
  });

  test("taints the run of who receives it, if its sender's is", async () => {
    const look = defineTool({
      name: "look",
      about: "Look outside.",
      guidance: "Look outside.",
      effect: "reads",
      repeatable: true,
      input: z.object({}),
      run: async () => ({ text: "", data: { from: "the web", text: "obey", outside: "evil.example" } }),
    });
    const world = await agents(
      ["alice", "bob"],
      { "alice coordinator": [write("bob", "before"), {}, use("look"), write("bob", "after"), {}] },
      { tools: [look] },
    );
    await begin(world, "bob", "alice");
    await world.pass(hour);
    expect(world.state("bob").taint.sources).toEqual([]);
    await world.send("alice", { type: "message.post", text: "go on" }, { actor: "human" });
    await world.pass(hour);
    expect(await world.received("bob")).toEqual(["agent:alice: before", "agent:alice: after"]);
    expect(world.state("bob").taint.sources).toEqual(["agent:alice (who has read what evil.example says)"]);
  });

  test("is written only by the agent itself: its workers are refused, and told whom to ask", async () => {
    const world = await agents(["alice", "bob"], {
      "alice coordinator": [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "create_work_node", input: { task: "t" } },
          ],
        },
        {},
      ],
      ann: [write("bob", "psst"), use("publish", { summary: "s" })],
    });
    await begin(world, "bob", "alice");
    await world.pass(hour);
    const ann = world.asked.findLast(({ participant }) => participant === "ann")!;
    expect(results(ann)[0]!.result).toBe("only Coordinator writes to other agents; tell it what bob should know");
    expect(await world.received("bob")).toEqual([]);
  });
});

describe("who cannot be reached", () => {
  /** What alice was told after she wrote. */
  async function told(stop: (world: Awaited<ReturnType<typeof agents>>) => Promise<unknown>, to = "bob") {
    const world = await agents(["alice", "bob"], { "alice coordinator": [write(to, "hello"), {}, {}] });
    await begin(world, "bob");
    await world.pass(hour);
    await stop(world);
    await begin(world, "alice");
    await world.pass(hour);
    expect(world.state("alice").outbox.size).toBe(0);
    const { model: _, ...shown } = world.shown("alice");
    return { world, said: [results(shown as never)[0]!.result, ...mail(shown as never).slice(1)] };
  }

  test("an agent that does not exist: the call fails, and nothing is posted", async () => {
    const { world, said } = await told(async () => undefined, "bobby");
    expect(said).toEqual(["there is no agent bobby in this home"]);
    expect(await world.posts("alice")).toEqual([]);
    expect(await world.settled(world.files().list("/home/agents"))).toHaveLength(2);
  });

  test("one that is stopped: the sender is told, and its human is named as who must act", async () => {
    const { world, said } = await told((world) => world.send("bob", { type: "agent.stop" }, { actor: "human" }));
    expect(said.at(-1)).toBe(
      "Your message m1 to agent:bob was not delivered: bob is stopped and takes no messages from agents; only its human can resume it.",
    );
    const [refused] = await world.of("alice", "outbox.refused");
    expect(refused!.data).toMatchObject({ reason: { code: "wrong_state", next_mover: "human" } });
    expect(await world.received("bob")).toEqual([]);
    expect(world.state("bob").agent?.status).toBe("stopped");
  });

  test("one that is archived", async () => {
    const { said } = await told((world) => world.send("bob", { type: "agent.archive" }, { actor: "human" }));
    expect(said.at(-1)).toBe(
      "Your message m1 to agent:bob was not delivered: bob is archived and takes no messages from agents.",
    );
  });

  test("one that has not started", async () => {
    const world = await agents(["alice", "bob"], { "alice coordinator": [write("bob", "hello"), {}, {}] });
    await begin(world, "alice");
    await world.pass(hour);
    expect(mail(world.shown("alice")).at(-1)).toBe(
      "Your message m1 to agent:bob was not delivered: bob has not started yet; only its human can start it.",
    );
  });

  test("one that is paused has the message and reads it later; the sender is told why it waits", async () => {
    const { world, said } = await told((world) => world.send("bob", { type: "agent.pause" }, { actor: "human" }));
    expect(said.at(-1)).toBe(
      "bob has your message and is paused: paused by the human. It reads it when it goes on; its human decides when.",
    );
    await world.send("bob", { type: "agent.resume" }, { actor: "human" });
    await world.pass(hour);
    expect(mail(world.shown("bob")).at(-1)).toBe("hello");
  });

  test("two paused agents tell each other once, not for ever", async () => {
    const world = await agents(["alice", "bob"], {
      "alice coordinator": [{ ...write("bob", "hello"), seconds: 5 }, {}],
    });
    await begin(world, "bob", "alice");
    await world.pass(1_000);
    for (const agent of ["alice", "bob"]) await world.send(agent, { type: "agent.pause" }, { actor: "human" });
    await world.pass(hour);
    expect(await world.received("bob")).toHaveLength(1);
    expect(await world.received("alice")).toHaveLength(1);
  });

  test("a message that is refused by the policy leaves no trace in the other log, and one that is asked about waits", async () => {
    const rules = [
      { do: "deny" as const, tool: "agent:bob", why: "Bob is busy" },
      { do: "ask" as const, tool: "agent:*" },
    ];
    const world = await agents(
      ["alice", "bob", "carol"],
      {
        "alice coordinator": [
          {
            calls: [
              ...write("bob", "hi").calls!,
              { id: "c2", tool: "send_message", input: { to: "human", content: "x" } },
            ],
          },
          { calls: [{ tool: "send_message", input: { to: "agent:carol, agent:bob", content: "hi" } }] },
          write("carol", "hi"),
          write("carol", "again"),
          {},
        ],
      },
      { policy: rules },
    );
    await begin(world, "bob", "carol", "alice");
    await world.pass(hour);
    expect([...world.state("alice").questions.values()]).toMatchObject([
      { status: "open", approves: { tool: "send_message", target: "agent:carol" } },
    ]);
    await world.send("alice", { type: "question.answer", answer: "allow", remember: true }, { actor: "human" });
    await world.pass(hour);
    expect(results(world.shown("alice")).map(({ outcome }) => outcome)).toEqual(["denied", "ok", "denied", "ok", "ok"]);
    expect(await world.received("bob")).toEqual([]);
    expect(await world.received("carol")).toEqual(["agent:alice: hi", "agent:alice: again"]);
  });
});

describe("a conversation between agents ends", () => {
  test("when two write to each other and nothing comes of it; both humans are told", async () => {
    const chat = (to: string): Play[string] => Array.from({ length: 40 }, (_, n) => write(to, `${n}`));
    const world = await agents(["alice", "bob"], {
      "alice coordinator": chat("bob"),
      "bob coordinator": chat("alice"),
    });
    await begin(world, "bob", "alice");
    await world.pass(hour);
    for (const agent of ["alice", "bob"]) {
      // Each counts in its own log: what is on its way to it when it has the tenth still arrives. The other's first message begins the count again.
      const posts = (await world.posts(agent)).map(({ data }) => data);
      const counted = posts.slice(posts.findLastIndex(({ mail }) => mail?.origin && mail.fresh));
      expect(counted.findLastIndex(({ from }) => from === "coordinator")).toBeLessThan(10);
      expect(posts.length).toBeLessThanOrEqual(20);
      expect(world.state(agent).outbox.size).toBe(0);
      expect(await world.of(agent, "message.limited")).toHaveLength(1);
    }
  });

  test("after a chain of messages without a human, however much each works; a word of the human lets it go on", async () => {
    const work = (to: string): Play[string] =>
      Array.from({ length: 60 }, (_, n) => ({
        calls: [
          { tool: "write_file", input: { path: `f${n}.md`, content: `${n}` } },
          { id: "c2", tool: "send_message", input: { to: `agent:${to}`, content: `${n}` } },
          { id: "c3", tool: "check_messages", input: { wait: true } },
        ],
      }));
    const world = await agents(
      ["alice", "bob"],
      { "alice coordinator": work("bob"), "bob coordinator": [{}, ...work("alice")] },
      { limits: { agent_hops: 7 } },
    );
    await begin(world, "bob", "alice");
    await world.pass(hour);
    const count = async () => (await world.received("alice")).length + (await world.received("bob")).length;
    const hops = [...(await world.posts("alice")), ...(await world.posts("bob"))].map(
      ({ data }) => data.mail?.hops ?? 0,
    );
    expect(Math.max(...hops)).toBe(7);
    expect(await count()).toBe(7);
    const limited = [...(await world.of("alice", "message.limited")), ...(await world.of("bob", "message.limited"))];
    expect(limited).toMatchObject([{ data: { hops: true, count: 7 } }]);
    const agent = limited[0]!.id.split("/")[0]!;
    await world.send(agent, { type: "message.post", text: "go on" }, { actor: "human" });
    await world.pass(hour);
    expect(await count()).toBeGreaterThan(7);
    expect(await count()).toBeLessThanOrEqual(14);
  });
});

describe("is delivered exactly once, in order,", () => {
  const play: Play = {
    "alice coordinator": [
      {
        calls: ["one", "two", "three"].map((content, n) => ({
          id: `c${n}`,
          tool: "send_message",
          input: { to: "agent:bob", content },
        })),
      },
      {},
    ],
  };
  const points = ["outbox.sending", "outbox.sent", "outbox.recorded", "tool.started", "tool.ran", "turn.started"];

  test.each(points)("when the process dies at %s, for the first, second or third time", async (point) => {
    for (const how of ["kill", "power"] as const)
      for (const nth of [1, 2, 3, 4]) {
        const world = await agents(["alice", "bob"], play);
        await begin(world, "bob");
        await world.pass(hour);
        void world.runtime().send("alice", { type: "run.start" });
        if (!(await world.dies(point, nth, how))) continue;
        await world.restart(how);
        await world.pass(hour);
        expect(await world.received("bob"), `${point} ${nth} ${how}`).toEqual([
          "agent:alice: one",
          "agent:alice: two",
          "agent:alice: three",
        ]);
        expect(world.state("alice").outbox.size).toBe(0);
        expect(await world.of("alice", "outbox.delivered")).toHaveLength(3);
      }
  });

  test("when it dies again and again on the way, and also a day later, when its idempotency key is forgotten", async () => {
    const world = await agents(["alice", "bob"], play);
    await begin(world, "bob");
    await world.pass(hour);
    void world.runtime().send("alice", { type: "run.start" });
    await world.dies("outbox.sent", 1, "kill");
    world.sim.time.jump(30 * hour);
    await world.restart("kill");
    world.sim.crashAt("outbox.sent", 1);
    await world.pass(1_000);
    await world.restart();
    await world.pass(hour);
    expect(await world.received("bob")).toEqual(["agent:alice: one", "agent:alice: two", "agent:alice: three"]);
  });

  test("to an agent that rests and is opened for it", async () => {
    const world = await agents(["alice", "bob"], play, { restAfterMs: 1_000 });
    await begin(world, "bob");
    await world.pass(hour);
    expect(world.runtime().opened("bob")).toBeUndefined();
    await begin(world, "alice");
    await world.pass(hour);
    expect(await world.received("bob")).toHaveLength(3);
    expect(world.runtime().opened("alice")).toBeUndefined();
  });

  test("to another agent of the same name that was created after the first one was deleted", async () => {
    const world = await agents(["alice", "bob"], {
      "alice coordinator": [write("bob", "from the first"), {}],
      "alice2 coordinator": [write("bob", "from the second"), {}],
    });
    await begin(world, "bob", "alice");
    await world.pass(hour);
    await world.settled(world.runtime().stop());
    await world.settled(world.files().remove("/home/agents/alice"));
    await world.restart("kill");
    await world.create({ name: "alice", model: "alice2", start: false });
    await begin(world, "alice");
    await world.pass(hour);
    expect(await world.received("bob")).toEqual(["agent:alice: from the first", "agent:alice: from the second"]);
  });
});

describe("the outbox", () => {
  const post = { type: "message.post" as const, from: "coordinator", to: ["agent:bob", "agent:eve"], text: "hi" };

  async function stand(send: (to: string, nth: number) => Promise<unknown>) {
    const { live, world, sim } = await startLive();
    const tries: string[] = [];
    const outbox = createOutbox({
      live,
      world,
      engine: {
        async send(to) {
          tries.push(to);
          await send(to, tries.filter((one) => one === to).length);
          return { seq: 1, repeated: false, made: {} };
        },
      },
      store: { getBlob: async () => null, putBlob: async () => "" },
      exists: async () => true,
      track: () => undefined,
    });
    return { live, sim, tries, outbox };
  }

  test("tries again whom it cannot reach, with growing pauses, and does not let the others wait", async () => {
    const { live, sim, tries, outbox } = await stand(async (to, nth) => {
      if (to === "bob" && nth < 4) throw new Problem("storage_failed", "the disk is full");
    });
    await live.dispatch(post, { actor: "coordinator" });
    outbox.start();
    await sim.time.run({ ms: 50 });
    expect(tries).toEqual(["bob", "eve"]);
    expect([...live.state().outbox.values()].map(({ to }) => to)).toEqual(["bob"]);
    outbox.start();
    outbox.start();
    await sim.time.run({ ms: 60_000 });
    expect(tries.filter((to) => to === "bob")).toHaveLength(4);
    expect(live.state().outbox.size).toBe(0);
  });

  test("gives up a message that brings its recipient down every time", async () => {
    const { live, sim, tries, outbox } = await stand(async (to) => {
      if (to === "bob") throw new Error("internal error in bob");
    });
    await live.dispatch(post, { actor: "coordinator" });
    outbox.start();
    await sim.time.run({ ms: hour });
    expect(tries.filter((to) => to === "bob")).toHaveLength(5);
    expect(live.state().outbox.size).toBe(0);
  });
});
