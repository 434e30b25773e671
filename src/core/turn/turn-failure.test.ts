import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start } from "../core.test-help.ts";
import { humanInbox } from "../human/human-inbox.ts";
import { leaderless } from "../leaderless.test-help.ts";
import { canRun } from "../team/worker.ts";
import { begin, failed, nothing, of, price } from "./turn.test-help.ts";

describe("a turn that a crash interrupted", () => {
  test("goes on, and the call that may have been made is paid for", () => {
    const { tell, begin, thinker, state } = start();
    begin("coordinator", price);
    const [resumed] = tell({ type: "turn.resume", ...of }, "coordinator");
    expect(resumed?.data).toEqual({ ...of, lost: price });
    expect(thinker("coordinator").turn).toMatchObject({ status: "calling", resumed: 1, reserved: price });
    expect(state.accounts.get("agent")).toMatchObject({ spent: price, reserved: price });
  });

  test("by an orderly end of the process is not counted as interrupted", () => {
    const { tell, begin, thinker, all } = start({ resumes: 1 });
    begin("coordinator");
    for (let n = 0; n < 3; n++) {
      tell({ type: "log.close" }, "system");
      expect(thinker("coordinator").turn?.orderly).toBe(true);
      tell({ type: "turn.resume", ...of });
      expect(thinker("coordinator").turn).toMatchObject({ orderly: false, resumed: 0 });
    }
    tell({ type: "turn.resume", ...of });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 1 });
    expect(all("turn.resumed")).toHaveLength(4);
  });

  test("is not paid for twice once it was answered", () => {
    const { tell, answer, state, thinker } = start();
    answer("coordinator", ["look"], price);
    const [resumed] = tell({ type: "turn.resume", ...of });
    expect(resumed?.data).toEqual({ ...of, lost: nothing });
    expect(state.accounts.get("agent")).toMatchObject({ spent: price, reserved: nothing });
    expect(thinker("coordinator").turn).toMatchObject({ status: "acting", resumed: 1 });
  });

  test("and gets on with a call is not what kills the process: its interruptions are counted anew", () => {
    const { tell, thinker } = start();
    tell(begin("coordinator"));
    const calls = [{ id: "c1", tool: "write_file", input: {} }];
    tell({ type: "turn.answer", ...of, text: "", calls, cost: nothing });
    tell({ type: "turn.resume", ...of });
    tell({ type: "tool.start", ...of, call: "c1" });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 0 });
    tell({ type: "turn.resume", ...of });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 1 });
    tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "" });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 0 });
  });

  test("too often pauses its agent", () => {
    const { tell, begin, state, thinker, all } = start({ resumes: 2 });
    begin("coordinator", price);
    tell({ type: "turn.resume", ...of });
    tell({ type: "turn.resume", ...of });
    tell({ type: "turn.resume", ...of });
    expect(all("turn.resumed")).toHaveLength(2);
    const reason = { code: "recovery", message: "coordinator.1 was interrupted 2 times", next_mover: "human" };
    expect(state.agent).toMatchObject({ status: "paused", reason });
    expect(thinker("coordinator").turn).toBeUndefined();
    expect(state.accounts.get("agent")).toMatchObject({ spent: { usd: 1.5, tokens: 300 }, reserved: nothing });
  });

  test("without room for the same call once more begins anew, with what there is", () => {
    const { tell, begin, state, thinker, all } = start();
    tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 0.9 } });
    begin("coordinator", price);
    tell({ type: "turn.resume", ...of });
    expect(all("turn.failed").at(-1)?.data.reason).toMatchObject({ code: "interrupted", next_mover: "nobody" });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, next: "continue" });
    expect(state.agent).toMatchObject({ status: "active" });
    expect(state.accounts.get("agent")).toMatchObject({ spent: price, reserved: nothing });
  });

  test("is charged what is known of its call: what was sent, and what had been heard", () => {
    const world = start();
    const known = { usd: 0.1, tokens: 20 };
    const start1 = { type: "turn.start", participant: "coordinator", reserve: price, known } as const;
    world.tell(start1, "coordinator");
    world.tell({ type: "turn.resume", ...of });
    expect(world.state.accounts.get("agent")).toMatchObject({ spent: known, reserved: price });
    world.tell({ type: "turn.hear", ...of, known: { usd: 0.3, tokens: 60 } });
    world.tell({ type: "turn.resume", ...of });
    expect(world.state.accounts.get("agent")).toMatchObject({ spent: { usd: 0.4, tokens: 80 }, reserved: price });
    world.tell({ type: "turn.retry", ...of, error: "503", not_before: "2026-01-01T00:00:05.000Z" });
    world.tell({ type: "turn.resume", ...of });
    expect(world.state.accounts.get("agent")?.spent, "nothing was sent before the retry").toMatchObject({ usd: 0.4 });
    world.now += 5_000;
    world.tell({ type: "turn.hear", ...of, known: { usd: 9, tokens: 9_000 } });
    world.tell({ type: "agent.stop" });
    expect(world.state.accounts.get("agent"), "never more than was reserved").toMatchObject({
      spent: { usd: 0.9, tokens: 180 },
      reserved: nothing,
    });
  });

  test("is booked on the day of its reservation, and has room there", () => {
    const world = start();
    world.tell({ type: "budget.set", scope: { of: "day" }, limit: { usd: 0.9 } });
    world.begin("coordinator", price);
    world.now += 86_400_000;
    world.tell({ type: "turn.resume", ...of });
    expect(world.thinker("coordinator").turn).toBeUndefined();
    const day = world.state.accounts.get("day:2026-01-01");
    expect(day).toMatchObject({ spent: price, reserved: nothing });
  });

  test("that is over is not resumed", () => {
    expect(start().refused({ type: "turn.resume", ...of })).toBe(
      "stale: Coordinator is not in a turn; coordinator.1 is over",
    );
  });
});

describe("a budget of a worker or its node that has no room for a lost call and another", () => {
  test.each([
    ["retry", { type: "turn.retry", error: "503", not_before: "2026-01-01T00:00:05.000Z", lost: price }],
    ["crash", { type: "turn.resume" }],
  ] as const)("lets its turn begin anew, after a %s", (_what, step) => {
    for (const scope of [
      { of: "worker", worker: "alice" },
      { of: "node", node: "n1-do-it" },
    ] as const) {
      const world = start();
      const id = world.node({ worker: "alice" });
      world.tell({ type: "budget.set", scope, limit: { usd: 0.6 } });
      const of = world.begin("alice", price);
      world.tell({ ...step, ...of } as CommandInput, "alice");
      expect(world.state.nodes.get(id)).toMatchObject({ status: "running" });
      expect(world.state.agent?.status).toBe("active");
      expect(world.thinker("alice")).toMatchObject({ turn: undefined, node: id, next: "continue" });
      expect(world.refused({ type: "turn.start", participant: "alice", reserve: price }, "alice")).toMatch(
        /^budget_exhausted: the budget of (worker|node):/,
      );
    }
  });
});

describe("a retry", () => {
  const retry = (more = {}): CommandInput => ({
    type: "turn.retry",
    ...of,
    error: "503",
    not_before: "2026-01-01T00:00:05.000Z",
    ...more,
  });

  test("keeps the reservation, books what was lost and says not before when", () => {
    const { tell, begin, thinker, state } = start();
    begin("coordinator", price);
    tell(retry());
    expect(thinker("coordinator").turn).toMatchObject({
      status: "calling",
      retried: 1,
      retry: { at: "2026-01-01T00:00:00.000Z", not_before: "2026-01-01T00:00:05.000Z" },
    });
    tell(retry({ lost: { usd: 0.1, tokens: 1 } }));
    expect(thinker("coordinator").turn?.retried).toBe(2);
    expect(state.accounts.get("run")).toMatchObject({ spent: { usd: 0.1, tokens: 1 }, reserved: price });
  });

  test("that loses more than there is lets the turn begin anew", () => {
    const { tell, begin, state, all } = start();
    tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 0.6 } });
    begin("coordinator", price);
    tell(retry({ lost: { usd: 0.2, tokens: 0 } }));
    expect(all("turn.failed").at(-1)?.data.reason).toMatchObject({
      code: "interrupted",
      message:
        "it starts over: the budget of run allows 0.6 usd; 0 are spent, 0.5 reserved, and this call may need 0.2",
    });
    expect(state.accounts.get("run")).toMatchObject({ spent: { usd: 0.2, tokens: 0 }, reserved: nothing });
  });

  test("is for a call, not for an answer", () => {
    const { answer, refused } = start();
    answer("coordinator", ["look"]);
    expect(refused(retry())).toBe("wrong_state: coordinator.1 is acting; this command needs it to be calling");
  });
});

describe("a failed turn", () => {
  const fail = (code: string, turn = of): CommandInput => ({ type: "turn.fail", ...turn, reason: failed(code) });

  test("of the coordinator pauses the agent, costs nothing, and its mail is shown anew", () => {
    const { tell, begin, state, thinker } = start();
    begin("coordinator", price);
    tell(fail("backend"));
    expect(state.agent).toMatchObject({ status: "paused", reason: failed("backend") });
    expect(state.accounts.get("agent")).toMatchObject({ spent: nothing, reserved: nothing });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, conversation: [], read: 0 });
    tell({ type: "agent.resume" });
    begin("coordinator");
    expect(thinker("coordinator").conversation).toHaveLength(1);
  });

  test("of a worker fails its node, handles its mail and tells the coordinator", () => {
    const { tell, node, begin, state, thinker } = start();
    const id = node({ worker: "alice" });
    tell(fail("backend", begin("alice")));
    expect(state.agent?.status).toBe("active");
    expect(state.nodes.get(id)).toMatchObject({
      status: "failed",
      reason: { ...failed("backend"), next_mover: "coordinator" },
    });
    expect(thinker("alice")).toMatchObject({ unread: [], next: "rest", node: undefined });
    expect(thinker("coordinator").unread.at(-1)?.text).toBe(
      `${id} failed: it broke\nWhat was tried: nodes/${id}/failure_notes.md`,
    );
  });

  test("of a worker without a node halts it, handles its mail and tells the coordinator", () => {
    const { tell, begin, state, thinker } = start();
    tell({ type: "message.post", to: "alice", text: "hi" });
    tell(fail("backend", begin("alice")));
    expect(state.agent?.status).toBe("active");
    expect(thinker("alice")).toMatchObject({ unread: [], next: "rest" });
    expect(thinker("coordinator").unread.at(-1)?.text).toBe(
      "Stopped: Alice could not act on what it was sent: it broke",
    );
  });

  describe("of a worker without a node in a team that nobody leads", () => {
    test("pauses the agent, waits for the human in their inbox, and its mail is shown anew", () => {
      const world = leaderless({ kickoff: "@Cody, mend it." });
      world.tell(fail("backend", world.begin("cody")), "cody");
      expect(world.state.agent).toMatchObject({ status: "paused", reason: failed("backend") });
      expect(humanInbox(world.state).items.filter(({ waiting_since }) => waiting_since)).toMatchObject([
        { id: "paused", text: "it broke" },
      ]);
      world.tell({ type: "agent.resume" });
      expect(canRun(world.thinker("cody"))).toBe(true);
      world.begin("cody");
      expect(world.thinker("cody").conversation).toHaveLength(1);
    });

    test("is told to whoever was elected; that one's own pauses the agent", () => {
      const world = leaderless({ kickoff: "@all begin." });
      const vote = { effect: "lead" } as const;
      world.tell({ type: "proposal.create", text: "Who?", options: ["Rae", "Cody"], voters: ["human"], binding: vote });
      world.tell({ type: "proposal.vote", proposal: "p1", voter: "human", option: "Rae" }, "human");
      world.tell(fail("backend", world.begin("cody")), "cody");
      expect(world.state.agent?.status).toBe("active");
      expect(world.thinker("rae").unread.at(-1)?.text).toContain("Cody could not act on what it was sent: it broke");
      world.tell(fail("backend", world.begin("rae")), "rae");
      expect(world.state.agent).toMatchObject({ status: "paused", reason: failed("backend") });
    });
  });

  test.each(["recovery", "budget", "provider"])("of a worker by %s concerns everyone: the agent is paused", (code) => {
    const { tell, node, begin, state, thinker } = start();
    const id = node({ worker: "alice" });
    tell(fail(code, begin("alice")));
    expect(state.agent).toMatchObject({ status: "paused", reason: failed(code) });
    expect(state.nodes.get(id)?.status).toBe("running");
    expect(thinker("alice").unread).toHaveLength(1);
  });

  test("that was interrupted on purpose neither pauses nor fails anything", () => {
    const { tell, node, begin, state } = start();
    const id = node({ worker: "alice" });
    tell(fail("interrupted", begin("alice")));
    expect(state.agent?.status).toBe("active");
    expect(state.nodes.get(id)?.status).toBe("running");
  });

  test("fails only the node it was for", () => {
    const world = start();
    world.tell({ type: "message.post", to: "alice", text: "hi" });
    const mine = world.begin("alice");
    world.tell({ type: "agent.pause" });
    const id = world.node();
    world.tell({ type: "node.assign", node: id, worker: "alice" });
    world.tell({ type: "agent.resume" });
    world.tell(fail("backend", mine));
    expect(world.state.nodes.get(id)?.status).toBe("assigned");
    expect(canRun(world.thinker("alice"))).toBe(true);
  });

  test("gives each open tool call a result: unknown if it was started", () => {
    const { tell, answer, thinker } = start();
    const mine = answer("coordinator", ["a", "b", "c"]);
    tell({ type: "tool.end", ...mine, call: "c1", outcome: "ok", result: "r" });
    tell({ type: "tool.start", ...mine, call: "c2" });
    tell(fail("fault"));
    expect(thinker("coordinator").conversation.slice(-2)).toEqual([
      { role: "tool", turn: mine.turn, call: "c2", tool: "b", outcome: "unknown", result: "Not finished: it broke" },
      { role: "tool", turn: mine.turn, call: "c3", tool: "c", outcome: "error", result: "Not finished: it broke" },
    ]);
    expect(thinker("coordinator")).toMatchObject({ read: 2, unread: [] });
  });

  test.each([
    ["stopped while it called", "calling", "agent.stop", undefined],
    ["refused by the provider", "calling", undefined, "provider"],
    ["stopped while it acted", "acting", "agent.stop", "interrupted"],
    ["broken while it acted", "acting", undefined, "fault"],
  ] as const)("of the coordinator, %s, goes on once the agent is resumed", (_what, status, type, code) => {
    const { tell, turn, begin, answer, thinker } = start();
    turn("coordinator", "look");
    const mine = status === "calling" ? begin("coordinator") : answer("coordinator", ["look"]);
    if (type) tell({ type });
    if (code) tell(fail(code, mine));
    expect(thinker("coordinator").turn).toBeUndefined();
    tell({ type: "agent.resume" });
    expect(canRun(thinker("coordinator"))).toBe(true);
  });

  test("of a worker without a node is not tried again without new mail", () => {
    const { tell, begin, thinker } = start();
    tell({ type: "message.post", to: "alice", text: "hi" });
    tell(fail("backend", begin("alice")));
    expect(canRun(thinker("alice"))).toBe(false);
  });

  test("of who was interrupted because its node or run is over has no work in progress", () => {
    const { tell, node, turn, begin, thinker } = start();
    const id = node({ worker: "alice" });
    turn("alice", "look");
    begin("alice");
    turn("coordinator", "look");
    begin("coordinator");
    tell({ type: "node.cancel", node: id, reason: "no" });
    expect(thinker("alice")).toMatchObject({ turn: undefined, next: "rest" });
    tell({ type: "run.finish", summary: "s" });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, next: "rest" });
  });

  test("takes back from the conversation only what it had shown itself", () => {
    const { tell, node, turn, begin, thinker } = start();
    const id = node({ worker: "bob" });
    tell({ type: "message.post", to: "alice", text: "hi" });
    turn("alice", "wait", { wait: { for: "nodes", nodes: [id] } });
    tell({ type: "message.post", to: "alice", text: "remember me" });
    tell(fail("backend", begin("alice")));
    tell({ type: "node.cancel", node: id, reason: "no" });
    tell(fail("interrupted", begin("alice")));
    expect(thinker("alice").conversation.at(-1)).toMatchObject({ role: "inbox", entries: [{ text: "remember me" }] });
  });

  test("that is over cannot fail again", () => {
    const { tell, begin, refused } = start();
    begin("coordinator");
    tell(fail("interrupted"));
    expect(refused(fail("interrupted"))).toBe("stale: Coordinator is not in a turn; coordinator.1 is over");
  });
});

test("a turn that was interrupted as often as it may be goes on after an orderly end, and after the next crash it does not", () => {
  const world = start();
  const of = world.begin("coordinator");
  const resume = () => world.tell({ type: "turn.resume", ...of }, "coordinator").map(({ type }) => type);
  for (let n = 0; n < 3; n++) expect(resume()).toEqual(["turn.resumed"]);
  world.append({ type: "log.closed", data: {} });
  expect(resume()).toEqual(["turn.resumed"]);
  expect(resume()).toEqual(["turn.failed", "agent.paused"]);
});

describe("a node whose model failed for good", () => {
  /** Alice has a model of her own. */
  function working(node_retries: number, more: object = {}) {
    const world = start({ node_retries });
    world.append({
      type: "worker.spawned",
      data: { worker: "carol", name: "Carol", role: "", kind: "harnessed", model: "other/model", ...more },
    });
    const node = world.node({ worker: "carol" });
    const fail = (code = "backend") =>
      world
        .tell({ type: "turn.fail", ...world.begin("carol"), reason: failed(code) }, "carol")
        .map(({ type }) => type)
        .filter((type) => type !== "node.assigned" && type !== "worker.nudged");
    return { world, node, fail };
  }

  test("goes back to the board with the agent's model, once, and nobody is to act meanwhile but the system", () => {
    const { world, node, fail } = working(1);
    expect(fail()).toEqual(["turn.failed", "node.retried"]);
    const reason = { code: "backend", message: "it broke", next_mover: "system" };
    expect(world.all("node.retried")[0]!.data).toEqual({ node, model: "scripted/test", reason });
    expect(world.state.nodes.get(node)).toMatchObject({ retries: 1 });
  });

  test.each<[string, number, object, string]>([
    ["the config does not allow it", 0, {}, "backend"],
    ["it has the agent's model already", 1, { model: "scripted/test" }, "backend"],
    ["it has no model of its own", 1, { model: undefined }, "backend"],
    ["it failed for another reason", 1, {}, "fault"],
  ])("fails if %s", (_, retries, more, code) => {
    const { world, node, fail } = working(retries, more);
    expect(fail(code)).toEqual(["turn.failed", "node.failed"]);
    expect(world.state.nodes.get(node)?.status).toBe("failed");
  });

  test("is tried again as often as the config says, not more", () => {
    const { world, node, fail } = working(1);
    world.state.nodes.set(node, { ...world.state.nodes.get(node)!, retries: 1 } as never);
    expect(fail()).toEqual(["turn.failed", "node.failed"]);
  });
});

test("a turn that acts is resumed without asking for money: its call is paid", () => {
  const world = start();
  const mine = world.answer("coordinator", ["look"], price);
  world.tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 0.1 } });
  expect(world.tell({ type: "turn.resume", ...mine }).map(({ type }) => type)).toEqual(["turn.resumed"]);
});

test("a retry says which endpoint refused, if it is known", () => {
  const world = start();
  world.begin("coordinator");
  const retry = { type: "turn.retry" as const, ...of, error: "503", not_before: "2026-01-01T00:00:05.000Z" };
  expect(world.tell(retry)[0]!.data).not.toHaveProperty("endpoint");
  const endpoint = { host: "a:1", why: "503" };
  expect(world.tell({ ...retry, endpoint })[0]!.data).toMatchObject({ endpoint });
});
