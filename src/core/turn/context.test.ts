import { expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import type { Line } from "../../schema/worker.ts";
import { start } from "../core.test-help.ts";
import { tokensOfLine } from "./line.ts";

const fill = (why: "window" | "overflow" = "window"): CommandInput => ({
  type: "context.fill",
  participant: "coordinator",
  why,
  tokens: 800,
  window: 1000,
});

/** A coordinator that has taken so many turns with one tool each. */
function worked(turns: number) {
  const world = start();
  for (let n = 0; n < turns; n++) world.turn("coordinator", `look-${n + 1}`);
  return world;
}

const shown = (world: ReturnType<typeof start>) =>
  world.thinker("coordinator").conversation.map((line) => (line.role === "inbox" ? "mail" : line.turn.split(".")[1]));

const tokensOf = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + tokensOfLine(line), 0);

test("a full conversation is shortened to the last three turns after one more turn for writing down", () => {
  const world = worked(6);
  world.tell(fill(), "coordinator");
  expect(shown(world)).toHaveLength(13);
  world.turn("coordinator", "write");
  expect(shown(world)).toEqual(["5", "5", "6", "6", "7", "7"]);
  const one = world.thinker("coordinator");
  expect(one).toMatchObject({
    next: "continue",
    shortened: { times: 1, turn: 7, dropped: 4 },
    stall: { compactions: 1 },
  });
  expect(one.full).toBeUndefined();
});

test("the turn for writing down takes no new mail; the turn after it does", () => {
  const world = worked(4);
  world.tell({ type: "message.post", text: "new" });
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  expect(world.thinker("coordinator").unread.map((entry) => entry.text)).toEqual(["new"]);
  world.turn("coordinator");
  expect(world.thinker("coordinator").unread).toEqual([]);
  expect(shown(world)).toContain("mail");
});

test("a turn for writing down that nobody heard is still owed", () => {
  const world = worked(6);
  world.tell(fill(), "coordinator");
  const of = world.begin("coordinator");
  const reason = { code: "interrupted", message: "it begins anew", next_mover: "nobody" };
  world.tell({ type: "turn.fail", ...of, reason }, "coordinator");
  expect(shown(world)).toHaveLength(13);
  expect(world.thinker("coordinator").full).toMatchObject({ turn: 8 });
  world.turn("coordinator", "write");
  expect(shown(world)).toEqual(["5", "5", "6", "6", "8", "8"]);
});

test("a request that was refused as too large makes its own turn the one for writing down", () => {
  const world = worked(4);
  const of = world.begin("coordinator");
  world.tell(fill("overflow"), "coordinator");
  expect(world.thinker("coordinator").full).toEqual({ why: "overflow", turn: 5, tries: 1 });
  world.tell(fill("overflow"), "coordinator");
  expect(world.refused(fill("overflow"))).toMatch(/already saving notes/);
  world.tell({ type: "turn.answer", ...of, text: "written", calls: [], cost: { usd: 0, tokens: 0 } }, "coordinator");
  world.tell({ type: "turn.end", ...of }, "coordinator");
  expect(world.thinker("coordinator")).toMatchObject({ next: "continue", shortened: { times: 1, turn: 5 } });
});

test("a request that was too large and that nobody heard is made again as it was, with its mail", () => {
  const world = worked(4);
  world.tell({ type: "message.post", text: "new" });
  const of = world.begin("coordinator");
  world.tell(fill("overflow"), "coordinator");
  const reason = { code: "interrupted", message: "it begins anew", next_mover: "nobody" };
  world.tell({ type: "turn.fail", ...of, reason }, "coordinator");
  expect(world.thinker("coordinator").full).toBeUndefined();
  world.turn("coordinator");
  expect(world.thinker("coordinator").unread).toEqual([]);
  expect(world.thinker("coordinator").shortened).toBeUndefined();
});

test("long results that stay are cut in the middle", () => {
  const world = worked(3);
  const of = world.answer("coordinator", ["read"]);
  const result = `a${"x".repeat(20_000)}z`;
  world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result }, "coordinator");
  world.tell({ type: "turn.end", ...of }, "coordinator");
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  const line = world.thinker("coordinator").conversation.find((line) => line.role === "tool" && line.tool === "read");
  expect(line).toMatchObject({ result: expect.stringMatching(/^ax+\n\[… 12002 characters left out …\]\nx+z$/) });
});

test("filling up again and again right after it was shortened pauses the agent, and says why", () => {
  const world = worked(4);
  for (let n = 0; n < 2; n++) {
    world.tell(fill(), "coordinator");
    world.turn("coordinator", "write");
  }
  world.tell(fill(), "coordinator");
  expect(world.state.agent).toMatchObject({
    status: "paused",
    reason: { code: "limit.context", message: expect.stringContaining("after 2 compactions") },
  });
});

test.each([
  ["resuming it", { type: "agent.resume" }],
  ["a word of the human", { type: "message.post", text: "take smaller pieces" }],
] as const)("%s lets it write down and be shortened once more, as if it had never happened", (_how, command) => {
  const world = worked(4);
  for (let n = 0; n < 2; n++) {
    world.tell(fill(), "coordinator");
    world.turn("coordinator", "write");
  }
  world.tell(fill(), "coordinator");
  world.tell(command);
  expect(world.state.agent?.status).toBe("active");
  for (let n = 0; n < 2; n++) {
    world.tell(fill(), "coordinator");
    expect(world.thinker("coordinator").full).toBeDefined();
    world.turn("coordinator", "write");
  }
  expect(world.state.agent?.status).toBe("active");
});

test("a small window keeps fewer turns and less of each text, also of arguments and mail; what was kept for a provider goes with them", () => {
  const world = start();
  const long = "x".repeat(30_000);
  world.tell({ type: "message.post", text: long });
  for (let n = 0; n < 4; n++) {
    const of = world.begin("coordinator");
    const calls = [{ id: "c1", tool: "write", input: { path: "a", content: long, many: Array(20).fill(1) } }];
    const kept = { provider: "p", parts: [long] };
    world.tell({ type: "turn.answer", ...of, text: long, calls, kept, cost: { usd: 0, tokens: 0 } }, "coordinator");
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: long }, "coordinator");
    world.tell({ type: "turn.end", ...of }, "coordinator");
  }
  const small = { ...fill(), window: 16_000, tokens: 15_000, frame: 4_000 } as CommandInput;
  world.tell(small, "coordinator");
  world.turn("coordinator", "write");
  const { conversation } = world.thinker("coordinator");
  expect(world.all("context.shortened").at(-1)?.data.longest).toBeLessThan(8_000);
  expect(tokensOf(conversation)).toBeLessThanOrEqual(4_000);
  for (const line of conversation) expect(line).not.toHaveProperty("kept.parts.0", long);
  world.restart();
  expect(tokensOf(world.thinker("coordinator").conversation)).toBe(tokensOf(conversation));
});

test("whose instructions alone fill the window is told so, and what to do", () => {
  const world = worked(4);
  const tiny = { ...fill(), window: 10_000, tokens: 9_500, frame: 9_000 } as CommandInput;
  for (let n = 0; n < 2; n++) {
    world.tell(tiny, "coordinator");
    world.turn("coordinator", "write");
  }
  world.tell(tiny, "coordinator");
  expect(world.state.agent).toMatchObject({
    status: "paused",
    reason: { message: expect.stringMatching(/take 9000 of the 10000 tokens .* a model with a larger window/) },
  });
});

test("filling up again after real work is shortened again", () => {
  const world = worked(4);
  for (let n = 0; n < 4; n++) {
    world.tell(fill(), "coordinator");
    for (let turn = 0; turn < 7; turn++) world.turn("coordinator", "work");
  }
  expect(world.thinker("coordinator")).toMatchObject({ shortened: { times: 4 }, stall: { compactions: 1 } });
  expect(world.state.agent?.status).toBe("active");
});

test("a worker that cannot get on fails its node, and the coordinator hears of it", () => {
  const world = start();
  world.node({ worker: "alice" });
  for (let n = 0; n < 4; n++) world.turn("alice", `look-${n}`);
  const full = (): CommandInput => ({ ...fill(), participant: "alice" }) as CommandInput;
  for (let n = 0; n < 2; n++) {
    world.tell(full(), "alice");
    world.turn("alice", "write");
  }
  world.tell(full(), "alice");
  expect([...world.state.nodes.values()].at(-1)).toMatchObject({ status: "failed", reason: { code: "limit.context" } });
});

test("a conversation of up to three turns stays whole, and mail stays with the turn that it was for", () => {
  for (const turns of [1, 2]) {
    const world = worked(turns);
    world.tell(fill(), "coordinator");
    world.turn("coordinator", "write");
    expect(world.thinker("coordinator").shortened).toMatchObject({ dropped: 0 });
    expect(shown(world)[0]).toBe("mail");
  }
  const world = worked(2);
  world.tell({ type: "message.post", text: "new" });
  for (const tool of ["a", "b"]) world.turn("coordinator", tool);
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  expect(shown(world)).toEqual(["mail", "3", "3", "4", "4", "5", "5"]);
  expect(world.thinker("coordinator").shortened).toMatchObject({ dropped: 2 });
});

test("who is already writing down is not told so again, and nobody is outside of a run", () => {
  const world = worked(4);
  world.tell(fill(), "coordinator");
  expect(world.refused(fill())).toBe("wrong_state: Coordinator is already saving notes for compaction");
  world.tell({ type: "run.finish", summary: "s" }, "coordinator");
  expect(world.refused(fill())).toMatch(/^wrong_state: .*start a new run first|^wrong_state: chips is completed/);
});

test("filling up right after the fourth turn is still too soon, after the fifth it is not", () => {
  for (const [between, close] of [
    [4, 2],
    [5, 1],
  ] as const) {
    const world = worked(4);
    world.tell(fill(), "coordinator");
    world.turn("coordinator", "write");
    for (let n = 0; n < between - 1; n++) world.turn("coordinator", `work-${n}`);
    world.tell(fill(), "coordinator");
    world.turn("coordinator", "write");
    expect(world.thinker("coordinator")).toMatchObject({ shortened: { times: 2 }, stall: { compactions: close } });
  }
});

test("a turn for writing down that the provider refused is still owed; one that failed otherwise is not", () => {
  for (const [code, turn] of [
    ["provider", 8],
    ["permanent", 7],
  ] as const) {
    const world = worked(6);
    world.tell(fill(), "coordinator");
    const of = world.begin("coordinator");
    const reason = { code, message: "m", next_mover: "nobody" };
    world.append({ type: "turn.failed", data: { ...of, reason, lost: { usd: 0, tokens: 0 } } }, "coordinator");
    expect(world.thinker("coordinator").full).toMatchObject({ turn });
  }
});

test("who waits or is retired is not made to go on by the shortening", () => {
  const world = worked(4);
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "wait", { wait: { for: "mail" } });
  expect(world.thinker("coordinator")).toMatchObject({ next: "rest", shortened: { times: 1 } });
});

test("a result of just the longest length stays whole", () => {
  const world = worked(3);
  const results = ["x".repeat(8_000), "y".repeat(8_001)];
  for (const result of results) {
    const of = world.answer("coordinator", ["read"]);
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result }, "coordinator");
    world.tell({ type: "turn.end", ...of }, "coordinator");
  }
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  const read = world
    .thinker("coordinator")
    .conversation.flatMap((line) => (line.role === "tool" && line.tool === "read" ? [line.result] : []));
  const half = "y".repeat(4_000);
  expect(read).toEqual([results[0], `${half}\n[… 1 characters left out …]\n${half}`]);
});

/** One turn of the coordinator with this text and these calls. */
function speak(
  world: ReturnType<typeof start>,
  text: string,
  calls: { tool: string; input: unknown }[] = [{ tool: "look", input: {} }],
) {
  const of = world.begin("coordinator");
  const given = calls.map((call, at) => ({ id: `c${at + 1}`, ...call }));
  world.tell(
    { type: "turn.answer", ...of, text, calls: given, cost: { usd: 0, tokens: 0 } } as CommandInput,
    "coordinator",
  );
  for (const { id } of given)
    world.tell(
      { type: "tool.end", ...of, call: id, outcome: "ok", result: "I will keep nothing of this." },
      "coordinator",
    );
  world.tell({ type: "turn.end", ...of }, "coordinator");
}
const openOf = (world: ReturnType<typeof start>) =>
  world.thinker("coordinator").shortened?.open?.map(({ from, text }) => `${from}: ${text}`);

test("promises in what is removed stay: of mail, of answers, and of what calls tell somebody; results of tools do not", () => {
  const world = start();
  world.tell({ type: "message.post", text: "You must use metric units." });
  speak(world, "I will send the report on Friday.", [
    { tool: "send_message", input: { to: "alice", content: "I will call you tomorrow." } },
    { tool: "ask_human", input: { question: "I will wait for the key, right?" } },
    { tool: "publish", input: { summary: "We decided to publish early." } },
    { tool: "write_file", input: { path: "a", content: "I will not be remembered." } },
    { tool: "odd", input: null },
    { tool: "odd", input: "I will not be read." },
    { tool: "publish", input: { summary: 7 } },
  ]);
  for (let n = 0; n < 3; n++) speak(world, "Go on with promise number two: I will stay in sight.");
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  const open = openOf(world)!;
  expect(open.filter((text) => text.includes("stay in sight"))).toHaveLength(1);
  expect(open.filter((text) => !text.includes("stay in sight")).sort()).toEqual([
    "coordinator: I will call you tomorrow.",
    "coordinator: I will send the report on Friday.",
    "coordinator: I will wait for the key, right?",
    "coordinator: We decided to publish early.",
    "human: You must use metric units.",
  ]);
  const before = world.thinker("coordinator").shortened!;
  // What was kept the first time is still there after the second.
  for (let n = 0; n < 6; n++) world.turn("coordinator", "work");
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  expect(openOf(world)).toEqual(expect.arrayContaining(open));
  expect(world.thinker("coordinator").shortened).toMatchObject({ times: 2, dropped: before.dropped + 7 });
});

test("nothing is remembered of turns in which nobody said anything that lasts, and nothing of what stays in sight", () => {
  const world = start();
  for (let n = 0; n < 2; n++) speak(world, "I will stay in sight.");
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  expect(world.thinker("coordinator").shortened).toEqual({ times: 1, turn: 3, dropped: 0 });
});

test("of a text that stays and is cut its promises stay, too", () => {
  const world = worked(1);
  const middle = `${"Nothing. ".repeat(600)}I will send it on Friday. ${"Nothing. ".repeat(600)}`;
  world.tell({ type: "message.post", text: `${"x ".repeat(3_000)}. We must ship on Monday. ${"x ".repeat(3_000)}` });
  speak(world, middle);
  world.tell(fill(), "coordinator");
  world.turn("coordinator", "write");
  expect(openOf(world)).toEqual(
    expect.arrayContaining(["human: We must ship on Monday.", "coordinator: I will send it on Friday."]),
  );
});

/** How much of a text of this length is kept with a window that leaves room for so many tokens. */
function keptOf(window: number, frame: number, more: object = {}) {
  const world = start();
  const long = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(" ");
  for (let n = 0; n < 4; n++) speak(world, long);
  world.tell({ ...fill(), window, tokens: window, frame, ...more } as CommandInput, "coordinator");
  world.turn("coordinator", "write");
  const { lines, longest } = world.all("context.shortened").at(-1)!.data;
  const left = world.thinker("coordinator").conversation;
  return { turns: left.filter(({ role }) => role === "assistant").length, longest, lines, tokens: tokensOf(left) };
}

test("as many turns stay as fit, first with shorter texts, then fewer of them; half of the window is free afterwards", () => {
  expect(keptOf(1_000_000, 0)).toMatchObject({ turns: 3, longest: 8_000 });
  const sizes = [40_000, 16_000, 8_000, 4_000, 1_000].map((window) => ({ window, ...keptOf(window, window / 4) }));
  for (const { window, tokens } of sizes) expect(tokens).toBeLessThanOrEqual(window / 4);
  // In the smallest one only the turn for notes stays, which is short.
  expect(sizes.map(({ turns, longest }) => [turns, longest])).toEqual([
    [3, 8_000],
    [3, 4_000],
    [3, 2_000],
    [3, 1_000],
    [1, 8_000],
  ]);
});

test("the last turn stays, however small the window is, with as little of its text as is ever kept", () => {
  const world = worked(2);
  world.tell({ ...fill(), window: 400, tokens: 400, frame: 100 } as CommandInput, "coordinator");
  speak(world, Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(" "));
  expect(world.all("context.shortened").at(-1)!.data).toMatchObject({ turns: 2, longest: 1_000 });
  expect(shown(world)).toEqual(["3", "3"]);
});

test("however much the instructions take, an eighth of the window is for the conversation", () => {
  const room = (window: number, frame?: number, more: object = {}) => {
    const world = worked(1);
    world.tell({ ...fill(), window, tokens: window, frame, ...more } as CommandInput, "coordinator");
    return world.thinker("coordinator").full?.room;
  };
  expect([room(8_001, 1_000), room(8_001, 4_000), room(8_001, 8_000), room(8_001)]).toEqual([
    3_000,
    1_000,
    1_000,
    undefined,
  ]);
  // A prompt that was refused shows that the window is smaller than it was believed to be, never that it is larger.
  expect(room(8_000, 1_000, { why: "overflow", tokens: 4_000 })).toBe(1_000);
  expect(room(8_000, 1_000, { why: "overflow", tokens: 90_000 })).toBe(3_000);
  expect(room(8_000, 2_000, { why: "overflow", tokens: 10 })).toBe(250);
  expect(room(8_000, 1_000, { tokens: 4_000 })).toBe(3_000);
});

test("who is stuck in a conversation that would have room is told to work in smaller pieces; an agent that is paused is not paused again", () => {
  const world = worked(4);
  const roomy = { ...fill(), window: 10_000, tokens: 9_500, frame: 1_000 } as CommandInput;
  for (let n = 0; n < 2; n++) {
    world.tell(roomy, "coordinator");
    world.turn("coordinator", "write");
  }
  world.append({ type: "agent.paused", data: { reason: { code: "human", message: "m", next_mover: "human" } } });
  expect(world.tell(roomy, "coordinator")).toEqual([]);
  world.state.agent = { ...world.state.agent!, status: "active" } as never;
  world.tell(roomy, "coordinator");
  expect(world.state.agent).toMatchObject({
    reason: { message: expect.stringMatching(/filled its context of 10000 tokens again right after 2 compactions/) },
  });
});
