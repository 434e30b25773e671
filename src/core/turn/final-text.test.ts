import { describe, expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";
import { canRun } from "../team/worker.ts";
import { longFinalText } from "./final-text.ts";

/** A turn of words only. */
function say(world: World, who: string, text: string): void {
  const of = world.begin(who);
  world.tell({ type: "turn.answer", ...of, text, calls: [], cost: { usd: 0, tokens: 0 } }, who);
  world.tell({ type: "turn.end", ...of }, who);
}
const posted = (world: World) =>
  world.all("message.posted").map(({ data }) => [data.from, data.to.join(" "), data.text]);
const human = (world: World, to = "coordinator") => world.tell({ type: "message.post", to, text: "well?" });

describe("last words", () => {
  test("of the coordinator reach the human once, and nobody spins", () => {
    const world = start();
    say(world, "coordinator", "It is 42.");
    expect(posted(world)).toEqual([["coordinator", "human", "It is 42."]]);
    expect(world.thinker("coordinator")).toMatchObject({ next: "rest", turn: undefined, unread: [] });
    expect(world.state.participants.get("human")?.unread).toMatchObject([{ from: "coordinator", text: "It is 42." }]);
  });

  test("are not posted again if a tool sent them, whatever the spaces and the case", () => {
    const world = start();
    const of = world.answer("coordinator", ["send_message"]);
    world.tell({ type: "message.post", from: "coordinator", to: "human", text: "It is  42.\n" }, "coordinator");
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "Sent" }, "coordinator");
    world.tell({ type: "turn.end", ...of }, "coordinator");
    say(world, "coordinator", "it is 42.");
    expect(posted(world)).toHaveLength(1);
    human(world);
    say(world, "coordinator", "It is 42.");
    expect(posted(world)).toHaveLength(3);
  });

  test("are said once however a crash cuts the log", () => {
    for (const lost of [0, 1, 2]) {
      const world = start();
      say(world, "coordinator", "It is 42.");
      world.restart(lost);
      const { turn } = world.thinker("coordinator");
      if (turn) world.tell({ type: "turn.end", turn: turn.id, participant: "coordinator" }, "coordinator");
      expect(posted(world)).toHaveLength(1);
      expect(world.all("turn.ended")).toHaveLength(1);
    }
  });

  test("go to whoever is mentioned in them, in one message; not to who is gone or unknown, nor to oneself", () => {
    const world = start();
    world.tell({ type: "worker.retire", worker: "bob" });
    say(world, "coordinator", "@Alice, please look; @bob is gone, @nobody too. @coordinator signs.");
    expect(posted(world).map(([, to]) => to)).toEqual(["human alice"]);
  });

  test("wake whom they address; who is only referred to reads them with its next turn", () => {
    const world = start();
    say(world, "coordinator", "@alice, take over what @bob did.");
    expect(world.all("message.posted").at(-1)!.data).toMatchObject({ to: ["human", "alice"], mentions: ["bob"] });
    expect(world.thinker("bob").unread).toMatchObject([{ priority: "background" }]);
    expect([canRun(world.thinker("alice")), canRun(world.thinker("bob"))]).toEqual([true, false]);
    say(world, "alice", "I would rather leave that to @Bob.");
    expect(posted(world).at(-1)).toEqual(["alice", "bob", "I would rather leave that to @Bob."]);
  });

  test("to @all reach everyone who is there, but not oneself", () => {
    const world = start();
    say(world, "coordinator", "@ALL we are done.");
    expect(posted(world).at(-1)![1]).toBe("human alice bob");
  });

  test("of a worker reach the human only if the human wrote to it, and others only by name", () => {
    const world = start();
    world.tell({ type: "message.post", from: "bob", to: "alice", text: "hm" }, "bob");
    say(world, "alice", "I think so.");
    expect(posted(world)).toHaveLength(1);
    human(world, "alice");
    world.turn("alice", "look");
    say(world, "alice", "Nearly done.");
    expect(posted(world).at(-1)).toEqual(["alice", "human", "Nearly done."]);
    world.tell({ type: "message.post", from: "bob", to: "alice", text: "hm" }, "bob");
    say(world, "alice", "Ask @Bob.");
    expect(posted(world).at(-1)).toEqual(["alice", "bob", "Ask @Bob."]);
  });

  test("that are empty, or come with calls, are no message", () => {
    const world = start();
    world.turn("coordinator", "look");
    say(world, "coordinator", " \n");
    expect(posted(world)).toEqual([]);
  });

  test("are not delivered to whom there was enough talk with", () => {
    const world = start({ messages_without_effect: 1 });
    world.tell({ type: "message.post", from: "coordinator", to: "alice", text: "hm" }, "coordinator");
    say(world, "coordinator", "@alice hm?");
    expect(posted(world).at(-1)![1]).toBe("human");
  });
});

test("long words are kept as a resource only if somebody else than the human is to have them", () => {
  const words = (text: string, who = "coordinator") => {
    const world = start();
    const of = world.begin(who);
    world.tell({ type: "turn.answer", ...of, text, calls: [], cost: { usd: 0, tokens: 0 } }, who);
    const one = world.thinker(who);
    return longFinalText(world.state, one, one.turn!);
  };
  const long = (start: string, length = 1_201) => start.padEnd(length, " x");
  expect(words(long("@alice, look"))).toBe(long("@alice, look"));
  expect(words(long("@alice, look", 1_200))).toBeUndefined();
  expect(words(long("look"))).toBeUndefined();
  expect(words(long("@human, look"))).toBeUndefined();
  expect(words(long("@nobody, look"))).toBeUndefined();
});
