import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectProportional } from "../../lib/growth.test-help.ts";
import { refusal, start } from "../core.test-help.ts";
import { canRun } from "../team/worker.ts";
import { leadingMentions, mentions } from "./mention.ts";

function people() {
  const world = start();
  for (const name of ["Alice Maria", "claude-code", "Straße"])
    world.tell({ type: "worker.spawn", name }, "coordinator");
  return world;
}
const { state } = people();
const who = (text: string) => mentions(state, text).flatMap(({ id }) => id ?? []);

describe("a mention", () => {
  test("is a whole name after an @, in any case; the longest name counts", () => {
    expect(who("@alice, @BOB: (@Human)")).toEqual(["alice", "bob", "human"]);
    expect(who("@Alice Maria and @alice-maria, @alice maria's")).toEqual(["alice-maria", "alice-maria", "alice-maria"]);
    expect(who("@claude-code @STRASSE **@bob**")).toEqual(["claude-code", "stra-e", "bob"]);
    expect(who('@"Alice Maria" @"bob" @all @Everyone')).toEqual(["alice-maria", "bob", "*", "*"]);
  });

  test.each([
    "mail to x@alice.com or a.@bob",
    "@alicent, alice, @, @ bob",
    "@bob-please @bob.com @bob/package https://site/@bob bob@bob",
    "`@bob` and ``a ` @alice``",
    "```\n@bob\n```",
    "~~~ts\n@bob();\n```\n@alice\n~~~",
    "```\nnever closed @bob",
    '@"nobody at all"',
  ])("is not in code, mail addresses, words or paths: %j", (text) => expect(who(text)).toEqual([]));

  test("comes after code that has ended", () => {
    expect(who("```\n@alice\n```\n@bob `x` @human")).toEqual(["bob", "human"]);
    expect(who("`` ` `` @bob ` @alice")).toEqual(["bob", "alice"]);
  });

  test.each([
    ["@alice look", ["alice"]],
    ["@alice, @bob and @human: look", ["alice", "bob", "human"]],
    ["Please look, @alice.", ["alice"]],
    ["Done.\n- @bob takes over from @alice", ["bob"]],
    ["Ask @bob", []],
    ["@alice takes over what @bob did", ["alice"]],
  ])("addresses at the beginning of a clause and only refers within one: %j", (text, addressed) => {
    expect(mentions(state, text).flatMap((one) => (one.addressed ? [one.id] : []))).toEqual(addressed);
  });

  test("is found in any text that has none, wherever it is put, and nothing else is", () => {
    const plain = fc.string({
      unit: fc.constantFrom("a", "é", " ", ".", ",", "\n", "(", "日", "-", "1"),
      maxLength: 30,
    });
    const name = fc.constantFrom("alice", "BOB", "Claude-Code", '"alice maria"', "straße", "all");
    fc.assert(
      fc.property(plain, name, plain, (before, called, after) => {
        const id =
          ({ '"alice maria"': "alice-maria", straße: "stra-e", all: "*" } as Record<string, string>)[called] ??
          called.toLowerCase();
        expect(who(`${before} @${called} ${after}`)).toEqual(
          called === "alice" && /^maria(?![\p{L}\p{N}_])/iu.test(after) ? ["alice-maria"] : [id],
        );
        expect(who(`${before}x@${called} ${after}`)).toEqual([]);
        expect(who(`${before.replaceAll("`", "")} \`@${called}\` ${after}`)).toEqual([]);
        expect(who(`${before}\n\`\`\`\n@${called} ${after}\n\`\`\``)).toEqual([]);
      }),
    );
  });

  test("costs in proportion to the text, however many there are", () => {
    expectProportional(6_000, (size) => {
      mentions(state, "@alice ".repeat(size));
      mentions(state, "`".repeat(size / 2) + "@".repeat(size / 2) + "` @ ".repeat(size / 2));
    });
  });
});

describe("a message without recipients", () => {
  const post = (text: string) => {
    const world = people();
    world.tell({ type: "message.post", text });
    return world.all("message.posted").at(-1)!.data.to;
  };

  test("is for those it begins with, else for the coordinator", () => {
    expect(post("@bob how far?")).toEqual(["bob"]);
    expect(post('@bob, @"Alice Maria": how far?')).toEqual(["bob", "alice-maria"]);
    expect(post("Tell @bob to stop")).toEqual(["coordinator"]);
    expect(post("@all stop")).toEqual(["coordinator", "alice", "bob", "alice-maria", "claude-code", "stra-e"]);
    expect(leadingMentions(state, "a @bob")).toEqual([]);
  });

  test("that begins with a name nobody has is refused, with the names there are", () => {
    expect(refusal(() => post("@bbo how far?"))).toMatch(
      /^not_found: there is no participant "bbo"; participants: Human, Coord/,
    );
  });
});

describe("recipients", () => {
  test.each([
    ["BOB", ["bob"]],
    ["@Bob", ["bob"]],
    ['@"alice maria"', ["alice-maria"]],
    ["bob, @alice,bob", ["bob", "alice"]],
    ["@all", ["coordinator", "alice", "bob", "alice-maria", "claude-code", "stra-e"]],
  ])("are found by name however it is written: %s", (to, expected) => {
    const world = people();
    world.tell({ type: "message.post", to, text: "x" });
    expect(world.all("message.posted").at(-1)!.data.to).toEqual(expected);
  });
});

describe("priority", () => {
  const post = (world: ReturnType<typeof start>, priority: "immediate" | "normal" | "background", from = "bob") =>
    world.tell({ type: "message.post", from, to: "alice", text: "x", priority }, from);

  test("background wakes nobody, whatever they wait for, and is read with the next turn", () => {
    const world = start();
    post(world, "background");
    expect(canRun(world.thinker("alice"))).toBe(false);
    world.tell({ type: "message.post", to: "alice", text: "go" });
    world.turn("alice", "wait", { wait: { for: "mail" } });
    expect(world.thinker("alice")).toMatchObject({ unread: [], conversation: [{ entries: [{}, {}] }, {}, {}] });
    post(world, "background");
    expect(world.thinker("alice").wait).toEqual({ for: "mail" });
    post(world, "normal");
    expect([world.thinker("alice").wait, canRun(world.thinker("alice"))]).toEqual([undefined, true]);
  });

  test("immediate is heard by who waits for an answer, normal is not; who waits goes on waiting", () => {
    const world = start();
    world.tell({ type: "message.post", to: "alice", text: "go" });
    world.tell({ type: "question.ask", by: "alice", text: "?" }, "alice");
    world.turn("alice", "ask", { wait: { for: "question", question: "q1" } });
    post(world, "normal");
    expect(canRun(world.thinker("alice"))).toBe(false);
    post(world, "immediate");
    expect(canRun(world.thinker("alice"))).toBe(true);
    world.turn("alice");
    expect(world.thinker("alice")).toMatchObject({ unread: [], wait: { for: "question" } });
  });
});

test("a block of code ends only at a fence of its own kind, of at least its length and with nothing behind it", () => {
  const { state } = start();
  const found = (text: string) => mentions(state, text).map(({ id }) => id);
  for (const inside of ["~~~", "``` js", "``"])
    expect(found(`\`\`\`\n${inside}\n@alice\n\`\`\`\n@bob`)).toEqual(["bob"]);
  expect(found("```\n@alice\n`````  \n@bob")).toEqual(["bob"]);
  expect(found("````\n@alice\n```\n@alice")).toEqual([]);
});

test("a sign without a name after it is nobody", () => {
  const { state } = start();
  expect(mentions(state, 'write to @"" or @"\n" or @a.b/c')).toEqual([]);
});

test("after something else nobody stands before the text any more", () => {
  const { state } = start();
  expect(leadingMentions(state, "@alice please ask @bob, @human").map(({ id }) => id)).toEqual(["alice"]);
  expect(leadingMentions(state, "well @alice, @bob").map(({ id }) => id)).toEqual([]);
});
