/** The life of workers over failures, limits and nodes, through the runtime and over crashes. */
import { describe, expect, test } from "vitest";
import { BackendError } from "../backend/backend.ts";
import { call, hour, node, spawn, team } from "../toolkit/tool.test-help.ts";
import { type Answer, mail, use } from "./model.test-help.ts";
import { home, start } from "./runtime.test-help.ts";

const root = `${home}/agents/a1/runs/r1`;
type World = Pick<Awaited<ReturnType<typeof team>>, "settled" | "files" | "state" | "asked">;
const read = async (world: World, path: string): Promise<string> =>
  String((await world.settled(world.files().read(`${root}/${path}`))) ?? "");
const write = (path: string, content = "x") => use("write_file", { path, content });
const many = (times: number, answer: (n: number) => Answer) => Array.from({ length: times }, (_, n) => answer(n));
const lastOf = (world: World, who: string) => world.asked.findLast((one) => one.participant === who)!;
const withAnn = { calls: [spawn("Ann"), node("work"), call("wait_for_nodes")] };

describe("a node that fails", () => {
  const fails: Answer[] = [write("draft.md"), { say: "I look.", ...use("read_file", { path: "no.md" }) }];

  test("leaves notes of what was tried: calls, errors, files; the coordinator is told where, and can read them", async () => {
    const world = await team({
      coordinator: [withAnn, use("read_file", { path: "nodes/n1-work/failure_notes.md" })],
      ann: [...fails, { say: "I cannot." }, { say: "I cannot." }],
    });
    const notes = await read(world, "nodes/n1-work/failure_notes.md");
    expect(notes).toMatch(/^# What was tried: work\n\nn1-work failed \(limit.progress\): Ann stopped/);
    expect(notes).toContain('write_file {"path":"draft.md","content":"x"}');
    expect(notes).toContain("Said: I look.");
    expect(notes).toMatch(/c1 error: there is no file "no.md"/);
    expect(notes).toContain("- draft.md");
    expect(mail(lastOf(world, "coordinator")).at(-1)).toMatch(/What was tried: nodes\/n1-work\/failure_notes.md$/);
    expect(world.told().at(-1)).toContain("n1-work failed (limit.progress)");
  });

  test("has its notes again after a crash before they were written, and when they are deleted", async () => {
    const world = await team({ coordinator: [withAnn], ann: [...fails, { say: "I cannot." }, { say: "I cannot." }] });
    const before = await read(world, "nodes/n1-work/failure_notes.md");
    await world.settled(world.files().remove(`${root}/nodes/n1-work/failure_notes.md`));
    await world.restart();
    await world.settled(world.runtime().opened("a1")!.projector.verify());
    expect(await read(world, "nodes/n1-work/failure_notes.md")).toBe(before);
  });

  test("is shown to the worker of the node that stands in for it, with its files", async () => {
    const world = await team({
      coordinator: [
        withAnn,
        { calls: [spawn("Bea"), node("work again", { retry_of: "n1", worker: "Bea" }), call("wait_for_nodes")] },
      ],
      ann: [...fails, { say: "I cannot." }, { say: "I cannot." }],
      bea: [use("read_file", { path: "nodes/n1-work/scratch/draft.md" }), use("publish", { summary: "s" })],
    });
    const { system } = world.asked.find((one) => one.participant === "bea")!;
    expect(system).toContain("# What was tried before (n1-work)");
    expect(system).toMatch(/there is no file .*no\.md/);
    expect(world.told("bea")[0]).toContain("x");
    expect(world.state().nodes.get("n2-work-again")).toMatchObject({ status: "completed", retry_of: "n1-work" });
  });

  test("can be stood in for only once it has gone wrong", async () => {
    const world = await team({ coordinator: [{ calls: [node("work"), node("again", { retry_of: "n1" })] }] });
    expect(world.told()[1]).toMatch(/^error: n1-work is pending; only a failed, cancelled/);
  });
});

describe("a node whose model fails for good", () => {
  const broken = { error: new BackendError("permanent", "no such model") };
  const play = {
    coordinator: [{ calls: [spawn("Ann", { model: "other/model" }), node("work"), call("wait_for_nodes")] }],
    ann: [broken, write("a.md"), use("publish", { summary: "made" })],
  };

  test("goes back to the board once with the agent's model, if the config allows it", async () => {
    const world = await team(play, { limits: { node_retries: 1 } });
    expect(world.state().nodes.get("n1-work")).toMatchObject({ status: "completed", retries: 1, turns: 2 });
    const asked = world.asked.filter((one) => one.participant === "ann");
    expect(asked.map(({ model }) => model)).toEqual(["other/model", "scripted/test", "scripted/test"]);
    expect(mail(lastOf(world, "coordinator"))).toContain(
      "n1-work failed (no such model) and is tried again with scripted/test.",
    );
    expect(await read(world, "nodes/n1-work/failure_notes.md")).toContain("no such model");
  });

  test("fails at the second time, and at the first if nothing is allowed or there is no other model", async () => {
    const twice = await team({ ...play, ann: [broken, broken] }, { limits: { node_retries: 1 } });
    expect(twice.state().nodes.get("n1-work")).toMatchObject({ status: "failed", reason: { code: "backend" } });
    const never = await team(play);
    expect(never.state().nodes.get("n1-work")).toMatchObject({ status: "failed" });
    const same = await team({ ...play, coordinator: [withAnn] }, { limits: { node_retries: 1 } });
    expect(same.state().nodes.get("n1-work")).toMatchObject({ status: "failed" });
  });
});

describe("a worker that runs out", () => {
  const limits = { turns_per_node: 3 };
  const ann = [
    write("a.md", "A"),
    { say: "Half of it is done.", ...use("read_file", { path: "no" }) },
    write("b/c.md"),
  ];

  test("of turns publishes what it has, in part, with a note for whoever goes on", async () => {
    const world = await team({ coordinator: [withAnn, use("check_board")], ann: [...ann, write("never")] }, { limits });
    expect(world.state().nodes.get("n1-work")).toMatchObject({
      status: "completed",
      partial: true,
      limit: "limit.turns",
      files: [{ path: "HANDOFF.md" }, { path: "a.md" }, { path: "b/c.md" }],
    });
    expect(world.asked.filter((one) => one.participant === "ann")).toHaveLength(3);
    expect(mail(lastOf(world, "coordinator")).at(-1)).toMatch(
      /^n1-work completed in part \(limit.turns\), claimed: Ann used up its 3 turns. There is a.md, b\/c.md; HANDOFF.md says/,
    );
    expect(world.told().at(-1)).toContain("n1-work: completed in part (limit.turns), claimed; ann; 3 of 3 turns");
    const note = await read(world, "nodes/n1-work/published/HANDOFF.md");
    for (const part of ["work", "- a.md\n- b/c.md", "Half of it is done.", "there is no file"])
      expect(note).toContain(part);
  });

  test.each([
    [
      "deny",
      /^n1-work failed: Ann used up its 3 turns; what there is was not published, that is not allowed: not yet\. It is in/,
    ],
    [
      "ask",
      /^n1-work failed: Ann used up its 3 turns; what there is was not published, nobody can be asked about it now: not yet\./,
    ],
  ] as const)("publishes nothing where the policy says %s", async (say, told) => {
    const policy = [{ do: say, tool: "publish", why: "not yet" }];
    const world = await team({ coordinator: [withAnn], ann }, { limits, policy });
    expect(world.state().nodes.get("n1-work")).toMatchObject({ status: "failed", reason: { code: "limit.turns" } });
    expect(mail(lastOf(world, "coordinator")).at(-1)).toMatch(told);
    expect(await read(world, "nodes/n1-work/published/a.md")).toBe("");
    expect(await read(world, "nodes/n1-work/scratch/a.md")).toBe("A");
  });

  test("is not published for, either, when it is asked only once", async () => {
    const policy = [{ do: "deny" as const, tool: "publish", why: "not yet" }];
    const once = { calls: [spawn("Ann", { single_inference: true }), node("work"), call("wait_for_nodes")] };
    const world = await team({ coordinator: [once], ann: [{ say: "42" }] }, { policy });
    expect(world.state().nodes.get("n1-work")).toMatchObject({ status: "failed", reason: { code: "policy" } });
    expect(world.asked.filter((one) => one.participant === "ann")).toHaveLength(1);
  });

  test("publishes where the human has allowed that worker to publish for the rest of the run", async () => {
    const policy = [{ do: "ask" as const, tool: "publish" }];
    const publishes = { calls: [...write("a.md", "A").calls!, call("publish", { summary: "s" })] };
    const world = await team(
      {
        coordinator: [{ calls: [spawn("Ann"), node("first"), node("work", { max_turns: 1 }), call("wait_for_nodes")] }],
        ann: [publishes, write("b.md", "B")],
      },
      { policy },
    );
    const allow = { type: "question.answer" as const, question: "q1", answer: "allow", remember: true };
    await world.send("a1", allow, { actor: "human" });
    await world.pass(hour);
    expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "completed", partial: false });
    expect(world.state().nodes.get("n2-work")).toMatchObject({ status: "completed", limit: "limit.turns" });
  });

  test.each(["tool.ended", "publish.written", "publish.renamed", "publish.ready", "log.synced"])(
    "publishes once however it dies at %s",
    async (point) => {
      for (const nth of [1, 2, 3]) {
        const world = start({ play: { coordinator: [], ann }, limits });
        await world.begin();
        await world.create();
        await world.send("a1", { type: "worker.spawn", name: "Ann" });
        await world.until(() => world.state().participants.has("ann"));
        await world.send("a1", { type: "node.create", task: "work" });
        if (await world.dies(point, nth)) await world.restart();
        await world.pass(hour);
        const ended = (await world.events()).filter(({ type }) => type === "node.completed" || type === "node.failed");
        expect([point, nth, ended.map(({ type }) => type)]).toEqual([point, nth, ["node.completed"]]);
        expect(world.state().nodes.get("n1-work")).toMatchObject({ partial: true, limit: "limit.turns" });
      }
    },
  );

  test("while it waits for something does not wait any more, and is free for the next node", async () => {
    const asks = {
      calls: [call("write_file", { path: "a.md", content: "x" }), call("ask_human", { question: "which?" })],
    };
    const world = await team(
      {
        coordinator: [{ calls: [spawn("Ann"), node("work", { max_turns: 1 }), node("next"), call("wait_for_nodes")] }],
        ann: [asks, use("publish", { summary: "s" })],
      },
      {},
    );
    expect(world.state().nodes.get("n1-work")).toMatchObject({ status: "completed", limit: "limit.turns" });
    expect(world.state().nodes.get("n2-next")).toMatchObject({ status: "completed" });
    expect(await read(world, "nodes/n1-work/published/HANDOFF.md")).toContain(
      "q1 to the human is not answered: which?",
    );
  });

  test("keeps its own HANDOFF.md", async () => {
    const world = await team(
      { coordinator: [withAnn], ann: [write("HANDOFF.md", "mine"), write("a"), write("b")] },
      { limits },
    );
    expect(await read(world, "nodes/n1-work/published/HANDOFF.md")).toBe("mine");
  });

  test("of context publishes what it has, too", async () => {
    const full = (n: number): Answer => ({ tokens: 99_000, ...write(`${n}.md`) });
    const world = await team({ coordinator: [withAnn], ann: many(30, full) }, { window: 100_000 });
    expect(world.state().nodes.get("n1-work")).toMatchObject({
      status: "completed",
      partial: true,
      limit: "limit.context",
    });
    expect(mail(lastOf(world, "coordinator")).at(-1)).toMatch(/^n1-work completed in part \(limit.context\)/);
  });

  test("of what its provider takes publishes what it has, too", async () => {
    const refuse = { error: new BackendError("overflow", "too large") };
    const world = await team({ coordinator: [withAnn], ann: [write("a.md"), refuse, refuse, refuse, refuse] });
    expect(world.state().nodes.get("n1-work")).toMatchObject({
      status: "completed",
      partial: true,
      limit: "limit.context",
    });
    expect(world.state().participants.get("ann")).toMatchObject({ turn: undefined, node: undefined, next: "rest" });
  });
});

describe("a worker", () => {
  test("has an identity with what it was given, and a history of what became of its nodes", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            spawn("Ann", {
              role: "reads prices",
              tools: ["publish", "decline"],
              budget_usd: 2,
              memory: "Prices are in EUR.",
            }),
            node("one"),
            call("wait_for_nodes"),
          ],
        },
        { calls: [node("two"), call("wait_for_nodes")] },
      ],
      ann: [use("publish", { summary: "done", partial: true }), {}, {}],
    });
    const identity = await read(world, "workers/ann/identity.md");
    for (const part of ["# Ann", "reads prices", "publish, decline", '{"usd":2}', "Prices are in EUR."])
      expect(identity).toContain(part);
    expect(JSON.parse(await read(world, "workers/ann/history.json"))).toMatchObject({
      worker: "Ann",
      nodes: [
        { node: "n1-one", status: "completed in part", evidence: "claimed", summary: "done" },
        { node: "n2-two", status: "failed", reason: expect.stringContaining("stopped acting") },
      ],
    });
  });

  test("remembers at its next node what it said it had learned, and writes it down once", async () => {
    const learned = "The price list is behind /v2.";
    const play = {
      coordinator: [{ calls: [spawn("Ann"), node("one"), node("two"), call("wait_for_nodes")] }],
      ann: [use("publish", { summary: "s", learned }), use("publish", { summary: "t" })],
    };
    const world = start({ play });
    await world.begin();
    world
      .runtime()
      .create({ goal: "g", name: "a1", model: "m" })
      .catch(() => undefined);
    expect(await world.dies("publish.ready")).toBe(true);
    await world.restart();
    await world.pass(hour);
    const [first, ...rest] = world.asked.filter((one) => one.participant === "ann").map((one) => one.system);
    expect(first).not.toContain(learned);
    expect(rest.at(-1)).toContain(`n1-one: ${learned}`);
    expect((await read(world, "workers/ann/memory.md")).split(learned)).toHaveLength(2);
    expect(world.state().nodes.get("n2-two")?.status).toBe("completed");
  });

  test("publishes even if what it learned cannot be kept", async () => {
    const world = await team({
      coordinator: [withAnn],
      ann: [use("publish", { summary: "s", learned: `the key is sk-ant-api03-${"a1B2".repeat(20)}` })],
    });
    const [, publish] = await world.all("tool.ended").then((all) => all.slice(-2));
    expect(JSON.stringify(publish)).not.toContain("sk-ant");
    expect(world.state().nodes.get("n1-work")?.status).toBe("completed");
  });
});

describe("a suggestion", () => {
  const ann = [use("suggest_next", { suggestion: "look at prices" }), use("publish", { summary: "s" })];
  const board = (world: Awaited<ReturnType<typeof team>>) => world.told().at(-1);

  test("stays on the board until it is decided", async () => {
    const world = await team({ coordinator: [withAnn, {}, {}, {}, use("check_board")], ann });
    await world.send("a1", { type: "message.post", text: "and?" });
    await world.pass(hour);
    await world.send("a1", { type: "message.post", text: "and?" });
    await world.pass(hour);
    expect(world.state().suggestions.get("sg1")).toMatchObject({ status: "open", by: "ann", node: "n1-work" });
  });

  test("is taken up by a node, once", async () => {
    const take = {
      calls: [node("prices", { suggestion: "sg1" }), node("again", { suggestion: "sg1" }), call("check_board")],
    };
    const world = await team({ coordinator: [withAnn, take], ann });
    expect(world.told().slice(-2)[0]).toBe("error: sg1 was accepted as n2-prices");
    expect(board(world)).not.toContain("to be decided");
    expect(world.state().suggestions.get("sg1")).toMatchObject({ status: "taken", as: "n2-prices" });
  });

  test("is dismissed with a reason, which its author reads without being woken", async () => {
    const decide = {
      calls: [call("check_board"), call("dismiss_suggestion", { suggestion: "sg1", reason: "too dear" })],
    };
    const world = await team({ coordinator: [withAnn, decide], ann });
    expect(world.told().slice(-2)).toEqual([
      expect.stringContaining("sg1: suggested by ann (n1-work), to be decided"),
      "sg1 is dismissed.",
    ]);
    expect(world.asked.filter((one) => one.participant === "ann")).toHaveLength(2);
    expect(world.state().participants.get("ann")?.unread).toMatchObject([
      { text: "Your suggestion sg1 was not taken up: too dear", priority: "background" },
    ]);
  });
});

describe("a message", () => {
  test("to someone who wrote meanwhile says so, is sent all the same, and the mail still comes", async () => {
    const world = await team({
      coordinator: [
        { calls: [spawn("Ann"), spawn("Bea"), node("a", { worker: "ann" }), node("b", { worker: "bea" })] },
      ],
      ann: [{ seconds: 5, ...use("send_message", { to: "bea, coordinator", content: "I take A" }) }],
      bea: [use("send_message", { to: "Ann", content: "I take A myself" })],
    });
    const [said] = world.told("ann");
    expect(said).toBe("Sent as m2 to Bea, Coordinator.\nBea wrote to you meanwhile: I take A myself");
    expect(mail(lastOf(world, "ann"))).toContain("I take A myself");
  });

  test("that is long reaches a colleague as a resource with its beginning and size; the human gets it whole", async () => {
    const words = `@Ann look at this. ${"word ".repeat(400)}The end.`;
    const world = await team({
      coordinator: [{ calls: [spawn("Ann")] }, { say: words }],
      ann: [
        (request) => use("resource_read", { id: /whole text is resource (\S+)\]/.exec(mail(request).at(-1)!)![1]! }),
      ],
    });
    expect(mail(lastOf(world, "ann")).at(-1)!.length).toBeLessThan(500);
    expect(mail(lastOf(world, "ann")).at(-1)).toContain(`[${words.length} characters; `);
    expect(world.told("ann")[0]).toContain("The end.");
    const [resource] = world.state().resources.values();
    expect(resource).toMatchObject({ by: "coordinator", size: words.length, title: `${words.slice(0, 78)}…` });
    expect(world.state().channel.at(-1)).toMatchObject({ from: "coordinator", resource: resource!.id });
    expect(world.state().participants.get("human")?.unread.at(-1)?.text).toBe(words);
  });
});
