import { describe, expect, test } from "vitest";
import { mail, use } from "../runtime/model.test-help.ts";
import { call, node, spawn, team, told } from "../toolkit/tool.test-help.ts";

describe("create_work_node", () => {
  test("takes nodes by id in any case or by number, and says which there are", async () => {
    const said = await told(
      node("first"),
      node("second", { depends_on: ["N1"], refs: { data: "n1/table.csv" } }),
      node("third", { refs: { data: "N1-FIRST" } }),
      node("fourth", { depends_on: ["n11"] }),
      node("fifth", { refs: { data: "first" } }),
    );
    expect(said.slice(0, 3)).toEqual([
      '{"node_id":"n1-first","status":"pending"}',
      '{"node_id":"n2-second","status":"pending"}',
      '{"node_id":"n3-third","status":"pending"}',
    ]);
    const there = "nodes: n1-first, n2-second, n3-third";
    expect(said.slice(3)).toEqual([`error: there is no node n11; ${there}`, `error: there is no node first; ${there}`]);
  });

  test("opens the stage that it names if none is open, and no other one", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [node("a", { stage: "Look" }), node("b", { stage: "look" }), node("c", { stage: "Write" }), node("d")],
        },
      ],
    });
    expect(world.told()[2]).toBe('error: stage "Write" is not open; open stage: s1 (Look)');
    expect([...world.state().nodes.values()].map(({ id, stage }) => [id, stage])).toEqual([
      ["n1-a", "s1"],
      ["n2-b", "s1"],
      ["n3-d", "s1"],
    ]);
    expect(world.state().stages.get("s1")).toMatchObject({ name: "Look", contract: { policy: "all" } });
  });

  test("keeps its model and its turns: whoever does it thinks with that model", async () => {
    const world = await team({
      coordinator: [{ calls: [spawn("Ann"), node("a", { model: "scripted/strong", max_turns: 3, worker: "ANN" })] }],
      ann: [use("publish", { summary: "s" })],
    });
    expect(world.asked.find((one) => one.participant === "ann")?.model).toBe("scripted/strong");
    expect(world.state().nodes.get("n1-a")).toMatchObject({ max_turns: 3, wanted_worker: "ann", status: "completed" });
  });
});

describe("spawn_worker", () => {
  test("takes everything a worker can be given", async () => {
    const given = {
      role: "codes",
      type: "autonomous",
      agent_command: "claude",
      tools: ["publish"],
      max_turns: 7,
    };
    const world = await team({
      coordinator: [{ calls: [spawn("Ann", { ...given, budget_usd: 0.5, memory: { likes: "tea" } })] }],
    });
    expect(world.state().participants.get("ann")).toMatchObject({
      kind: "autonomous",
      role: "codes",
      model: "claude-code/sonnet",
      tools: ["publish"],
      max_turns: 7,
      memory: '{\n  "likes": "tea"\n}',
    });
    expect(world.state().accounts.get("worker:ann")?.limit).toEqual({ usd: 0.5 });
  });

  test("takes only programs that the user named, and never a command line", async () => {
    const results = await told(
      spawn("Ann", { type: "autonomous" }),
      spawn("Bea", { agent_command: "rm -rf ~" }),
      spawn("Cas", { model: "command:rm -rf ~" }),
      spawn("Dan", { model: "codex/gpt-6" }),
      spawn("Eve", { model: "claude-code/sonnet" }),
      node("n", { model: "acp:evil" }),
    );
    expect(results).toEqual([
      "error: an autonomous worker needs a program; programs: claude",
      "error: there is no program rm -rf ~; programs: claude",
      "error: command:rm -rf ~ is not one of the programs that the user allows; programs: claude",
      "error: codex/gpt-6 is not one of the programs that the user allows; programs: claude",
      "Eve is here as eve and idle.",
      "error: acp:evil is not one of the programs that the user allows; programs: claude",
    ]);
  });

  test("refuses a tool that workers do not have, and a type that is none, and says what there is", async () => {
    const [tool, type] = await told(spawn("Ann", { tools: ["publsh", "finish"] }), spawn("Ann", { type: "robot" }));
    expect(tool).toMatch(/^error: there is no tool publsh, finish for workers; tools: create_work_node, .*publish/);
    expect(type).toMatch(
      /^error: spawn_worker: type: .*"harnessed"\|"autonomous".* It takes \{name: string, .*tools\?: array/,
    );
  });
});

describe("assign_worker", () => {
  test("gives a node now, later, or says why not", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            node("one"),
            node("two", { depends_on: ["n1"] }),
            spawn("Ann"),
            spawn("Bea"),
            call("assign_worker", { node_id: "n2", worker_id: "bea" }),
            call("assign_worker", { node_id: "n1", worker_id: "BEA" }),
            call("assign_worker", { node_id: "n9", worker_id: "bea" }),
            call("assign_worker", { node_id: "n1", worker_id: "carl" }),
            call("assign_worker", { node_id: "n1", worker_id: "human" }),
          ],
        },
      ],
      ann: [use("publish", { summary: "1" })],
      bea: [use("publish", { summary: "2" })],
    });
    expect(world.told().slice(4)).toEqual([
      "n2-two goes to Bea as soon as it can: n1-one must be completed first.",
      "error: n1-one is running; only a pending node can be assigned",
      "error: there is no node n9; nodes: n1-one, n2-two",
      'error: there is no participant "carl"; participants: Human, Coordinator, Ann, Bea',
      "error: Human is the human, not a worker",
    ]);
    expect([...world.state().nodes.values()].map((one) => "worker" in one && one.worker)).toEqual(["ann", "bea"]);
  });

  test("a node that is to be done by who is busy waits for them although others are idle", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            spawn("Ann"),
            node("one", { worker: "ann" }),
            node("two", { worker: "ann" }),
            call("assign_worker", { node_id: "n2", worker_id: "ann" }),
            spawn("Bea"),
          ],
        },
      ],
      ann: [{ seconds: 60, ...use("publish", { summary: "1" }) }, use("publish", { summary: "2" })],
    });
    expect(world.told()[3]).toBe("n2-two goes to Ann as soon as it can: Ann is busy with n1-one.");
    expect(world.state().nodes.get("n2-two")).toMatchObject({ status: "completed", worker: "ann" });
  });
});

test("retire_worker lets an idle worker go by name, and says why a busy one cannot", async () => {
  const said = await told(
    spawn("Ann"),
    spawn("Bea"),
    node("one", { worker: "ann" }),
    call("retire_worker", { worker_id: "Ann" }),
    call("retire_worker", { worker_id: "BEA" }),
    call("retire_worker", { worker_id: "bea" }),
    call("send_message", { to: "Bea", content: "still there?" }),
  );
  expect(said.slice(3)).toEqual([
    "error: Ann is busy with n1-one; cancel that node first",
    "Bea is retired.",
    "Bea is retired.",
    "error: Bea is retired and reads no messages",
  ]);
});

test("cancel_node stops its worker, says what will not start, and that it stays so", async () => {
  const world = await team({
    coordinator: [
      { calls: [spawn("Ann"), node("one"), node("two", { depends_on: ["n1"] })] },
      {
        seconds: 5,
        calls: [
          call("cancel_node", { node_id: "n1", reason: "not needed" }),
          call("cancel_node", { node_id: "n3", reason: "x" }),
        ],
      },
    ],
    ann: [{ seconds: 100 }],
  });
  expect(world.told().slice(3)).toEqual([
    "n1-one is cancelled. n2-two depended on it and will not start.",
    "error: there is no node n3; nodes: n1-one, n2-two",
  ]);
  expect(world.asked.find((one) => one.participant === "ann")?.outcome).toBe("aborted");
  expect(world.state().participants.get("ann")?.unread.length).toBe(0);
});

test("check_board leaves out the oldest of very many nodes that have ended, and says so", async () => {
  const many = Array.from({ length: 103 }, (_, n) => [
    node(`task ${n + 1}`),
    call("cancel_node", { node_id: `n${n + 1}`, reason: "enough" }),
  ]).flat();
  const board = (await told(...many, node("alive"), call("check_board"))).at(-1)!.split("\n");
  expect(board[0]).toBe("(3 older nodes that have ended are left out; list_files shows what they published)");
  expect(board[1]).toMatch(/^n4-task-4: cancelled/);
  expect(board.filter((line) => line.startsWith("n"))).toHaveLength(101);
});

test("check_board shows each node with what there is to know, and the people", async () => {
  const world = await team({
    coordinator: [
      {
        calls: [
          spawn("Ann"),
          spawn("Bea"),
          node("collect the figures", { worker: "ann", name: "collect" }),
          node("draw them", { depends_on: ["n1"], worker: "bea", name: "draw" }),
          node(`${"long ".repeat(100)}`, { worker: "bea", name: "long" }),
          call("check_board"),
          call("wait_for_nodes", { node_ids: ["n1", "n3"] }),
        ],
      },
      { seconds: 5, calls: [call("check_board")] },
    ],
    ann: [use("publish", { summary: "12 figures in a.csv", partial: true })],
    bea: [{ say: "hm" }, { say: "hm hm" }, use("ask_human", { question: "Which colours?" })],
  });
  const [before, after] = [world.told()[5]!, world.told()[7]!];
  expect(before.split("\n")).toEqual([
    "n1-collect: running; ann; 1 of 20 turns. Task: collect the figures",
    "n2-draw: pending; for bea; needs n1-collect. Task: draw them",
    `n3-long: running; bea; 1 of 20 turns. Task: ${"long ".repeat(40).slice(0, 199)}…`,
    "Ann (ann): busy, holds n1-collect",
    "Bea (bea): busy, holds n3-long",
  ]);
  expect(after.split("\n")).toEqual([
    "n1-collect: completed in part, claimed; ann; 1 of 20 turns. Made: 12 figures in a.csv",
    "n2-draw: waiting; bea; 1 of 20 turns; needs n1-collect; waits for q1. Task: draw them",
    "n3-long: failed; bea; 2 of 20 turns. limit.progress: Bea stopped acting on n3-long without publishing",
    "Ann (ann): idle",
    "Bea (bea): waiting, holds n2-draw",
    "q1 of bea is open: Which colours?",
  ]);
  expect(await told(call("check_board"))).toEqual(["The board is empty.\nThere are no workers."]);
});

describe("reconvene", () => {
  test("ends the stage and opens the next, also with the longer names of the policies", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            call("reconvene", { assessment: "nothing yet" }),
            call("reconvene", {
              assessment: "start",
              next_stage: { name: "Look", policy: "any_completes", max_turns: 5 },
            }),
            spawn("Ann"),
            node("a"),
            node("b"),
            call("wait_for_nodes", { node_ids: ["n1"] }),
          ],
        },
        {
          calls: [
            call("reconvene", { assessment: "a is enough", next_stage: { name: "Write", timeout_seconds: 60 } }),
            node("c"),
          ],
        },
        { calls: [call("reconvene", { assessment: "done", next_stage: { name: "x", policy: "most" } })] },
      ],
      ann: [use("publish", { summary: "1" }), { seconds: 20 }],
    });
    const said = world.told();
    expect(said[0]).toBe("error: no stage is open; give next_stage to open one");
    expect(said[1]).toBe("s1 (Look) is open; nodes you create now belong to it.");
    expect(said[6]).toBe(
      "s1 (Look) is completed. Still alive in it: n2-b; cancel what is not needed. s2 (Write) is open; nodes you create now belong to it.",
    );
    expect(said[8]).toMatch(/^error: reconvene: next_stage.policy: .*"all"\|"majority"\|"any"/);
    expect(world.state().stages.get("s1")).toMatchObject({
      status: "completed",
      assessment: "a is enough",
      contract: { policy: "any", max_turns: 5 },
    });
    expect(world.state().nodes.get("n3-c")).toMatchObject({ stage: "s2", timeout_seconds: 60 });
  });
});

test("a coordinator that waits for all nodes hears when its stage reconvenes before that", async () => {
  const world = await team({
    coordinator: [
      {
        calls: [
          call("reconvene", { assessment: "-", next_stage: { name: "Race", policy: "any" } }),
          spawn("Ann"),
          spawn("Bea"),
          node("a"),
          node("b"),
          call("wait_for_nodes"),
        ],
      },
    ],
    ann: [{ calls: [call("write_file", { path: "a.md", content: "A" }), call("publish", { summary: "first" })] }],
    bea: [{ seconds: 300, ...use("publish", { summary: "last" }) }],
  });
  const [one, two, three] = world.asked.filter((asked) => asked.participant === "coordinator");
  expect(mail(two!).slice(1)).toEqual([
    "n1-a completed, claimed: first",
    "s1 reconvenes; completed: n1-a\n- n1-a is completed, claimed by ann: first\n  published/n1-a/a.md\n- n2-b is running",
  ]);
  expect([two!.at - one!.at < 1_000, three!.at - one!.at >= 300_000]).toEqual([true, true]);
});

describe("checkpoint", () => {
  test("of a worker counts for its stage and frees who waits; mail lets it go on", async () => {
    const world = await team({
      coordinator: [
        { calls: [spawn("Ann"), node("a", { stage: "Look" }), call("wait_for_nodes")] },
        {
          calls: [
            call("check_board"),
            call("wait_for_nodes"),
            call("send_message", { to: "ann", content: "go on" }),
            call("wait_for_nodes"),
          ],
        },
      ],
      ann: [use("checkpoint", { summary: "half of it" }), use("publish", { summary: "all of it" })],
    });
    const second = world.asked.filter((one) => one.participant === "coordinator")[1]!;
    expect(mail(second).slice(1)).toEqual([
      "n1-a is at a checkpoint: half of it",
      "s1 reconvenes; completed: none; at a checkpoint: n1-a\n- n1-a is running: half of it",
    ]);
    expect(world.told().slice(3, 5)).toEqual([
      expect.stringContaining("n1-a: waiting; ann; 1 of 20 turns; waits for mail. At a checkpoint: half of it"),
      "Nothing to wait for: n1-a is at a checkpoint.",
    ]);
    expect(world.state().nodes.get("n1-a")).toMatchObject({ status: "completed", summary: "all of it" });
    expect(world.told("ann")).toContain("n1-a is at a checkpoint. You go on when mail comes.");
  });

  test("ends with its stage: who stands there hears the judgement and goes on", async () => {
    const world = await team({
      coordinator: [
        { calls: [spawn("Ann"), node("a", { stage: "Look" }), call("wait_for_nodes")] },
        { calls: [call("reconvene", { assessment: "figures are missing" }), call("wait_for_nodes")] },
      ],
      ann: [use("checkpoint", { summary: "half" }), use("publish", { summary: "with figures" })],
    });
    const second = world.asked.filter((one) => one.participant === "ann")[1]!;
    expect(mail(second).at(-1)).toBe("s1 is completed: figures are missing\nYour node goes on from its checkpoint.");
    expect(world.state().nodes.get("n1-a")).toMatchObject({ status: "completed", summary: "with figures" });
  });

  test("of the coordinator is noted, and it rests", async () => {
    const world = await team({ coordinator: [use("checkpoint", { summary: "cycle 1" })] });
    expect(world.asked).toHaveLength(1);
    expect((await world.all("run.checkpointed")).map(({ data }) => data)).toEqual([{ run: "r1", summary: "cycle 1" }]);
  });

  test("of a worker without a node is an error", async () => {
    const world = await team({
      coordinator: [{ calls: [spawn("Ann"), call("send_message", { to: "ann", content: "stop" })] }],
      ann: [use("checkpoint", { summary: "s" })],
    });
    expect(world.told("ann")).toEqual(["error: you hold no node; there is nothing to stop at"]);
  });
});

describe("decline", () => {
  test("ends a node that needs nothing, and what depends on it goes on", async () => {
    const world = await team({
      coordinator: [{ calls: [spawn("Ann"), node("a"), node("b", { depends_on: ["n1"] }), call("wait_for_nodes")] }],
      ann: [use("decline", { reason: "it already exists" }), use("publish", { summary: "b" })],
    });
    expect(world.state().nodes.get("n1-a")).toMatchObject({
      status: "completed",
      summary: "Nothing to do: it already exists",
      files: [],
    });
    expect(world.state().nodes.get("n2-b")?.status).toBe("completed");
  });

  test("lets a coordinator with nothing new rest without a word", async () => {
    const world = await team({ coordinator: [use("decline", { reason: "nothing new" })] });
    expect(world.asked).toHaveLength(1);
    expect(world.state().channel).toEqual([]);
  });
});
