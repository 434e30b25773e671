import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leaderless } from "../../core/leaderless.test-help.ts";
import type { Event } from "../../schema/event.ts";
import { foldCalls, foldedWords, verbOf, wordsOf } from "./call-words.ts";
import { createThread, threadOf } from "./thread.ts";
import type { Call, Item } from "./thread-item.ts";

let seq = 0;
const event = (type: string, data: object, more: object = {}): Event =>
  ({
    seq: ++seq,
    id: `e${seq}`,
    ts: "2026-11-10T14:00:00.000Z",
    run: "r1",
    actor: "system",
    type,
    data,
    ...more,
  }) as Event;
const posted = (message: string, from: string, to: string[], text: string) =>
  event("message.posted", { message, from, to, text, priority: "normal" });
const answered = (participant: string, turn: string, text: string, tools: string[] = []) =>
  event("turn.answered", {
    participant,
    turn,
    text,
    calls: tools.map((tool, index) => ({ id: `c${index}`, tool, input: { path: "a.md" } })),
    cost: { usd: 0, tokens: 0 },
  });
const kinds = (items: readonly Item[]) => items.map(({ kind }) => kind);
const begun = () => event("run.started", { run: "r1", goal: "Paint" });

test("what agents write to each other stands in the conversation, with what was not delivered; not among results only", () => {
  const mail = { hops: 1 };
  const events = [
    begun(),
    event("turn.answered", {
      participant: "coordinator",
      turn: "t1",
      text: "",
      calls: [{ id: "c0", tool: "send_message", input: { to: "agent:bob", content: "hi" } }],
      cost: { usd: 0, tokens: 0 },
    }),
    event("message.posted", {
      message: "m1",
      from: "coordinator",
      to: ["agent:bob"],
      text: "hi",
      priority: "normal",
      mail,
    }),
    event("outbox.refused", {
      outgoing: "3/bob",
      to: "bob",
      message: "m1",
      by: "coordinator",
      reason: { code: "wrong_state", message: "bob is stopped", next_mover: "human" },
    }),
    event("message.posted", {
      message: "m2",
      from: "agent:eve",
      to: ["coordinator"],
      text: "yo",
      priority: "normal",
      mail,
    }),
  ];
  const texts = (items: readonly Item[]) => items.flatMap((item) => ("text" in item ? [item.text] : []));
  expect(texts(threadOf(events, { of: "coordinator" }))).toEqual([
    "Paint",
    "hi",
    "m1 was not delivered to bob: bob is stopped",
    "yo",
  ]);
  expect(texts(threadOf(events, { of: "coordinator", resultsOnly: true }))).toEqual([
    "Paint",
    "m1 was not delivered to bob: bob is stopped",
  ]);
});

describe("a thread that goes on", () => {
  /** All that changes what stands there already. */
  const busy = () => [
    begun(),
    answered("coordinator", "t1", "I look.", ["read_file"]),
    event("tool.started", { participant: "coordinator", turn: "t1", call: "c0", tool: "read_file", key: "k" }),
    event("worker.spawned", { worker: "ada", name: "Ada" }, { ts: "2026-11-11T14:00:00.000Z" }),
    event("worker.spawned", { worker: "ben", name: "Ben" }, { ts: "2026-11-11T14:00:00.000Z" }),
    event("tool.ended", { participant: "coordinator", turn: "t1", call: "c0", outcome: "ok", result: "it" }),
    event("question.asked", { question: "q1", by: "coordinator", text: "Well?" }),
    answered("coordinator", "t2", "All done."),
    posted("m1", "coordinator", ["human"], "All done."),
    event("question.answered", { question: "q1", answer: "yes" }),
    event("node.completed", { node: "n1", worker: "ada", summary: "Found", files: [], partial: false }),
    event("agent.paused", { reason: { code: "human", message: "a rest", next_mover: "human" } }),
  ];

  test("is the same as one that is made at once, wherever it was cut, and what was handed out stays as it was", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("coordinator", "channel", "ada"),
        fc.boolean(),
        fc.uniqueArray(fc.integer({ min: 0, max: 12 })),
        (of, resultsOnly, cuts) => {
          const events = busy();
          const thread = createThread({ of, resultsOnly });
          for (const cut of [...cuts.sort((a, b) => a - b), 12]) {
            const [found, anew] = [thread(events.slice(0, cut)), threadOf(events.slice(0, cut), { of, resultsOnly })];
            expect(found).toEqual(anew);
          }
        },
      ),
    );
    const events = busy();
    const thread = createThread({ of: "coordinator" });
    const early = thread(events.slice(0, 7));
    const kept = structuredClone(early);
    thread(events);
    expect(early).toEqual(kept);
  });

  test("keeps what nothing touched as the same object, and the whole where nothing belongs to it", () => {
    const events = busy();
    const thread = createThread({ of: "coordinator" });
    const before = thread(events);
    events.push(event("turn.started", { participant: "ada", turn: "t9" }));
    expect(thread(events)).toBe(before);
    const after = thread([...events, posted("m2", "human", ["coordinator"], "On?")]);
    expect(after.slice(0, -1).every((item, at) => item === before[at])).toBe(true);
    expect(after).toHaveLength(before.length + 1);
  });

  test("begins anew when earlier events came or went", () => {
    const events = busy();
    const thread = createThread({ of: "coordinator" });
    thread(events.slice(4));
    expect(thread(events)).toEqual(threadOf(events, { of: "coordinator" }));
    expect(thread(events.slice(2))).toEqual(threadOf(events.slice(2), { of: "coordinator" }));
  });
});

describe("a thread", () => {
  test("of the coordinator has the human's words and its own, and what others say among themselves is in the channel", () => {
    const events = [
      begun(),
      posted("m1", "coordinator", ["ada"], "look at it"),
      posted("m2", "ada", ["human"], "hello"),
      posted("m3", "human", ["ada"], "and to you"),
    ];
    const texts = (of: string) => threadOf(events, { of }).flatMap((item) => (item.kind === "said" ? [item.text] : []));
    expect(texts("coordinator")).toEqual(["Paint", "hello", "and to you"]);
    expect(texts("channel")).toEqual(["Paint", "look at it", "hello", "and to you"]);
    expect(texts("ada")).toEqual(["look at it", "hello", "and to you"]);
  });

  test("says last words once: as the message, not as the turn too", () => {
    const events = [
      begun(),
      answered("coordinator", "t1", "All done."),
      posted("m1", "coordinator", ["human"], "All done."),
    ];
    expect(kinds(threadOf(events, { of: "coordinator" }))).toEqual(["day", "said", "said"]);
  });

  test("shows a call from its wish to its end, and a change moves the rev of its item and of no other", () => {
    const events = [begun(), answered("coordinator", "t1", "I look.", ["read_file", "ask_human"])];
    const call = () => (threadOf(events, { of: "coordinator" })[2] as { calls: Call[] }).calls;
    expect(call()).toMatchObject([{ tool: "read_file", status: "asked" }]);
    const before = threadOf(events, { of: "coordinator" }).map(({ rev }) => rev);
    events.push(
      event("tool.started", { participant: "coordinator", turn: "t1", call: "c0", tool: "read_file", key: "k" }),
    );
    expect(call()).toMatchObject([{ status: "running" }]);
    const ended = {
      participant: "coordinator",
      turn: "t1",
      call: "c0",
      tool: "read_file",
      outcome: "error",
      result: "no",
    };
    events.push(event("tool.ended", ended));
    expect(call()).toMatchObject([{ status: "error", result: "no" }]);
    const after = threadOf(events, { of: "coordinator" }).map(({ rev }) => rev);
    expect(after.map((rev, index) => rev !== before[index])).toEqual([false, false, true]);
  });

  test("keeps questions of two runs apart, and settles the right one", () => {
    const asked = (run: string) => event("question.asked", { question: "q1", by: "coordinator", text: run }, { run });
    const events = [
      asked("r1"),
      asked("r2"),
      event("question.answered", { question: "q1", answer: "yes" }, { run: "r2" }),
    ];
    const found = threadOf(events, { of: "coordinator" }).flatMap((item) => (item.kind === "asked" ? [item] : []));
    expect(found.map(({ question, key }) => [question.text, question.status, key])).toEqual([
      ["r1", "open", "qr1/q1"],
      ["r2", "answered", "qr2/q1"],
    ]);
  });

  test("an endpoint that fails is one notice, however often and for however many, with what became of it", () => {
    // The words differ by the model; the endpoint is the same.
    const error = (who: string) => `the call of cast/${who} failed`;
    const endpoint = { host: "127.0.0.1:9", setting: "providers.cast.base_url", why: "refused" };
    const retried = (participant: string) =>
      event("turn.retried", {
        turn: `${participant}.1`,
        participant,
        error: error(participant),
        endpoint,
        not_before: "2026-01-01T00:00:09.000Z",
        lost: { usd: 0, tokens: 0 },
      });
    const reason = { code: "backend", message: error("coordinator"), next_mover: "human", endpoint };
    const failed = event("turn.failed", {
      turn: "coordinator.1",
      participant: "coordinator",
      reason,
      lost: { usd: 0, tokens: 0 },
    });
    const events = [
      begun(),
      retried("coordinator"),
      retried("ada"),
      retried("coordinator"),
      failed,
      event("agent.paused", { reason }),
    ];
    const notices = (some: typeof events, of = "coordinator") =>
      threadOf(some, { of }).flatMap((item) =>
        item.kind === "trouble" ? [item.trouble as unknown] : item.kind === "note" ? [item.text] : [],
      );
    expect(notices(events.slice(0, 4))).toEqual([
      { ...endpoint, who: ["coordinator", "ada"], times: 3, status: "trying", until: "2026-01-01T00:00:09.000Z" },
    ]);
    expect(notices(events)).toEqual([{ ...endpoint, who: ["coordinator", "ada"], times: 4, status: "paused" }]);
    expect(notices(events, "ada")).toEqual([{ ...endpoint, who: ["ada"], times: 1, status: "paused" }]);
    const later = [...events, event("agent.resumed", {}), retried("coordinator"), answered("coordinator", "t1", "ok")];
    expect(notices(later)).toMatchObject([{ status: "gave up" }, "Resumed", { times: 1, status: "over" }]);
  });

  test("a pause is the human's own only if they paused it", () => {
    const paused = (code: string, message: string) =>
      event("agent.paused", { reason: { code, message, next_mover: "human" } });
    const texts = threadOf(
      [begun(), paused("human", "whatever it says"), paused("imported", "it came from another home")],
      {
        of: "channel",
      },
    );
    expect(texts.flatMap((item) => (item.kind === "note" ? [item.text, item.failed ?? false] : []))).toEqual([
      ...["Paused by you", false],
      ...["Paused: it came from another home", false],
    ]);
  });

  test("with results only has no work and no notes but failures", () => {
    const reason = { code: "x", message: "broke", next_mover: "coordinator" };
    const published = { node: "n1", worker: "ada", summary: "There", partial: false, files: [] };
    const events = [
      begun(),
      answered("coordinator", "t1", "I look.", ["read_file"]),
      event("worker.spawned", { worker: "ada", name: "Ada", role: "", kind: "harnessed" }),
      event("node.completed", published),
      event("node.failed", { node: "n2", reason }),
      event("run.completed", { run: "r1", summary: "Done" }),
    ];
    expect(kinds(threadOf(events, { of: "coordinator" }))).toEqual([
      "day",
      "said",
      "turn",
      "published",
      "note",
      "answer",
    ]);
    expect(kinds(threadOf(events, { of: "coordinator", resultsOnly: true }))).toEqual([
      "day",
      "said",
      "published",
      "note",
      "answer",
    ]);
  });

  test("is the same for the same events however they are cut, with keys that nobody shares", () => {
    const events = [begun(), answered("ada", "t1", "a", ["bash"]), posted("m1", "ada", ["coordinator"], "b"), begun()];
    for (const of of ["coordinator", "ada", "channel"]) {
      const items = threadOf(events, { of });
      expect(threadOf([...events], { of })).toEqual(items);
      expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
    }
  });
});

describe("a call", () => {
  test("is one plain line, whatever its input is", () => {
    expect(wordsOf({ tool: "read_file", input: { path: "a.md" } })).toMatchObject({ did: "Read", object: "a.md" });
    const verb = (tool: string, status: "ok" | "denied" | "error" | "running") => verbOf({ tool, input: {}, status });
    expect(verb("write_file", "ok")).toBe("Wrote");
    expect(verb("write_file", "running")).toBe("Writes");
    // What did not happen is not said to have happened.
    expect(verb("write_file", "denied")).toBe("Wanted to write");
    expect(verb("web_search", "error")).toBe("Tried to search the web for");
    expect(verb("reconvene", "denied")).toBe("Wanted to reconvene:");
    expect(verb("create_work_node", "error")).toBe("Tried to add a node:");
    expect(verb("mcp_thing", "denied")).toBe("mcp_thing");
    expect(wordsOf({ tool: "mcp_thing", input: { x: 1, y: "that" } })).toMatchObject({
      did: "mcp_thing",
      object: "that",
    });
    for (const input of [null, undefined, "text", 7, [], { path: null }, { command: "a\nb" }])
      for (const tool of ["bash", "read_file", "toString", "constructor"])
        expect(wordsOf({ tool, input }).object).not.toContain("\n");
  });

  test("joins others of its kind when all went well, and is said in one line", () => {
    const call = (id: string, tool: string, input: object = {}, status: Call["status"] = "ok"): Call => ({
      id,
      tool,
      input,
      status,
    });
    const lengths = (calls: Call[]) => foldCalls(calls).map((row) => row.length);
    expect(lengths([call("1", "a"), call("2", "a"), call("3", "b")])).toEqual([2, 1]);
    expect(lengths([call("1", "a"), call("2", "a", {}, "error"), call("3", "a"), call("4", "a")])).toEqual([1, 1, 2]);
    expect(lengths([call("1", "a"), call("2", "a", {}, "running")])).toEqual([1, 1]);
    const said = (tool: string, ...inputs: object[]) => {
      const { did, object, more } = foldedWords(inputs.map((input, nth) => call(`${nth}`, tool, input)));
      return [did, object, more].filter(Boolean).join(" ");
    };
    expect(wordsOf({ tool: "Bash", input: { command: "npm test" } })).toMatchObject({
      did: "Ran",
      object: "npm test",
      code: true,
    });
    expect(wordsOf({ tool: "Edit", input: { file_path: "a.ts" } })).toMatchObject({ did: "Edited", object: "a.ts" });
    expect(wordsOf({ tool: "says", input: { text: "I begin." } })).toMatchObject({
      did: "Said:",
      object: "I begin.",
      code: false,
    });
    expect(said("spawn_worker", { name: "Ada" }, { name: "Ben" })).toBe("Brought in Ada and Ben");
    expect(said("read_file", { path: "nvidia.md" }, { path: "b" }, { path: "c" })).toBe(
      "Read 3 files nvidia.md and 2 more",
    );
    expect(said("check_board", {}, {})).toBe("Looked at the board twice");
    expect(said("create_work_node", { name: "x" }, { name: "y" }, { name: "z" })).toBe("Added 3 nodes x and 2 more");
  });
});

describe("what stands together", () => {
  test("turns without a word are one with the turn before; a word, another or a long time begins anew", () => {
    const late = { ts: "2026-11-10T14:30:00.000Z" };
    const events = [
      answered("ada", "t1", "I look.", ["bash"]),
      answered("ada", "t2", "", ["read_file"]),
      answered("ada", "t3", "And now?", ["bash"]),
      { ...answered("ada", "t4", "", ["bash"]), ...late },
    ];
    const shown = (upto: number) =>
      threadOf(events.slice(0, upto), { of: "ada" }).flatMap((item) => (item.kind === "turn" ? [item] : []));
    expect(shown(4).map(({ calls }) => calls.length)).toEqual([2, 1, 1]);
    expect(shown(1)[0]!.key).toBe(shown(4)[0]!.key);
    expect(shown(2)[0]!.rev).toBe(events[1]!.seq);
  });

  test("a line stands above the first word to the human that was not read, and only there", () => {
    const events = [
      begun(),
      posted("m1", "ada", ["human"], "one"),
      posted("m2", "ada", ["coordinator"], "two"),
      posted("m3", "ada", ["human"], "three"),
    ];
    const [, first, , last] = events.map((one) => one.seq);
    const line = (unread: [number, number]) => kinds(threadOf(events, { of: "channel", unread })).indexOf("new");
    expect(line([first!, last!])).toBe(4);
    expect(line([last!, last!])).toBe(-1);
    expect(line([first!, first! + 1])).toBe(-1);
  });

  test("files that go with a message are shown beside its words", () => {
    const file = { id: "f".repeat(64), title: "a.csv", type: "text/csv", size: 3 };
    const said = posted("m1", "human", ["coordinator"], "look");
    const event = { ...said, data: { ...said.data, attachments: [file] } } as typeof said;
    expect(threadOf([event], { of: "coordinator" })[1]).toMatchObject({ text: "look", attached: [file] });
  });
});

describe("a run that nobody leads", () => {
  const channel = (world: ReturnType<typeof leaderless>) =>
    threadOf(world.log, { of: "channel" }).filter(({ kind }) => kind !== "day");

  test("begins with its first message, and the goal is a note above it", () => {
    const items = channel(leaderless({ kickoff: "@Rae please review" }));
    expect(items).toMatchObject([
      { kind: "note", text: "Goal: Mend the loop" },
      { kind: "note", text: "Rae and Cody joined" },
      { kind: "said", from: "human", to: ["rae"], text: "@Rae please review" },
    ]);
  });

  test("says the goal once where the goal is the first message", () => {
    const items = channel(leaderless());
    expect(items.filter((item) => "text" in item && item.text.includes("Mend the loop"))).toMatchObject([
      { kind: "said", from: "human", to: ["rae", "cody"] },
    ]);
  });

  test("is finished by nobody in particular", () => {
    const world = leaderless({ kickoff: "@Rae please review" });
    world.say("rae", "Nothing to mend.");
    world.rest();
    expect(channel(world).at(-1)).toMatchObject({ kind: "answer", by: "system", text: "Rae: Nothing to mend." });
  });
});
