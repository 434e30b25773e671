/** Who hears of which event, from whom, and in which words: as it arrives in their inbox. */
import { expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";

const reason = { code: "x", message: "it broke", next_mover: "human" };
const at = "2026-01-01T00:00:00.000Z";

/** The last entry that the participant has not read, unless it was there before. */
function heard(world: World, who: string, act: () => void) {
  const before = world.state.participants.get(who)!.unread.length;
  act();
  const { unread } = world.state.participants.get(who)!;
  const entry = unread.length > before ? unread.at(-1)! : undefined;
  return entry && { from: entry.from, kind: entry.kind, text: entry.text };
}
const append =
  (world: World, type: string, data: object, actor = "system") =>
  () =>
    world.append({ type, data } as never, actor);

test("a suggestion that was not taken up is told to who made it", () => {
  const world = start();
  append(world, "suggestion.made", { suggestion: "sg1", by: "alice", text: "Look there" }, "alice")();
  const dismissed = append(world, "suggestion.dismissed", { suggestion: "sg1", reason: "no time" }, "coordinator");
  expect(heard(world, "alice", dismissed)).toEqual({
    from: "coordinator",
    kind: "message",
    text: "Your suggestion sg1 was not taken up: no time",
  });
});

test("a rejected result is told only to who does not hear it as the result of a call", () => {
  for (const [model, isTold] of [
    ["scripted/test", false],
    ["command:./worker", true],
  ] as const) {
    const world = start();
    append(world, "worker.spawned", { worker: "carol", name: "Carol", role: "", kind: "harnessed", model })();
    const node = world.node({ worker: "carol", checks: [{ file: "a.md" }] });
    const rejected = { node, worker: "carol", on: "a".repeat(64), failed: [1], attempt: 1, attempts: 2 };
    const entry = heard(world, "carol", append(world, "node.rejected", rejected));
    if (isTold)
      expect(entry).toMatchObject({ from: "system", kind: "nudge", text: expect.stringMatching(/^Not published/) });
    else expect(entry).toBeUndefined();
  }
});

test("an approval is no answer in the inbox: the turn resumes; a host is named in the answer about it", () => {
  const world = start();
  const ask = (question: string, more: object) =>
    append(world, "question.asked", { question, by: "alice", text: "?", ...more }, "alice")();
  const answer = (question: string) =>
    heard(world, "alice", append(world, "question.answered", { question, answer: "allow" }, "human"));
  ask("q1", { approves: { turn: "alice.1", call: "c1", tool: "bash" } });
  expect(answer("q1")).toBeUndefined();
  ask("q2", { host: { host: "a.example", subject: "a.example", call: "c1", command: "curl" } });
  expect(answer("q2")).toEqual({
    from: "human",
    kind: "answer",
    text: "Answer to q2 (may commands reach a.example?): allow",
  });
});

test("a trigger speaks with the name of the colleague who set it, and as the system if it was set by oneself or the human", () => {
  const schedule = { type: "delayed", delay_seconds: 60 } as const;
  for (const [by, from] of [
    ["coordinator", "coordinator"],
    ["alice", "system"],
    ["human", "system"],
  ] as const) {
    const world = start();
    world.tell(
      { type: "trigger.create", schedule, action: { type: "send_message", to: "alice", text: "Look" } } as never,
      by,
    );
    world.now += 60_000;
    expect(heard(world, "alice", () => world.tick())).toEqual({ from, kind: "fire", text: "Look" });
  }
});

test("workers at a checkpoint go on when their stage is completed, those of other stages do not hear of it", () => {
  const world = start();
  const stands = (worker: string, stage: string) => {
    const node = world.node({ worker });
    world.state.nodes.set(node, { ...world.state.nodes.get(node)!, stage, checkpoint: "half" } as never);
  };
  stands("alice", "s1");
  stands("bob", "s2");
  const completed = { stage: "s1", assessment: "good" };
  const text = "s1 is completed: good\nYour node goes on from its checkpoint.";
  expect(heard(world, "alice", append(world, "stage.completed", completed, "coordinator"))).toEqual({
    from: "coordinator",
    kind: "stage",
    text,
  });
  expect(world.state.participants.get("bob")!.unread.some((entry) => entry.text === text)).toBe(false);
});

test("a conversation among agents without a human is put to the human; one of two participants to the lead", () => {
  const world = start();
  append(world, "message.limited", { between: ["coordinator", "agent:dan"], count: 9, hops: true })();
  expect(world.state.participants.get("human")!.unread.at(-1)).toMatchObject({
    from: "system",
    kind: "message",
    text: expect.stringMatching(
      /^9 messages went from agent to agent without a word of a human; the last one is from agent:dan/,
    ),
  });
  const two = append(world, "message.limited", { between: ["alice", "bob"], count: 7 });
  expect(heard(world, "coordinator", two)).toMatchObject({
    from: "system",
    text: expect.stringMatching(/^Alice and Bob exchanged 7 messages/),
  });
});

test("mail that another agent refused goes back to its sender, or to the lead if the sender is gone; nobody waits for a notice", () => {
  const world = start();
  const refused = (by: string, more: object = {}) =>
    append(world, "outbox.refused", { outgoing: "9/dan", to: "dan", by, message: "m4", reason, ...more });
  const entry = { from: "system", kind: "nudge", text: "Your message m4 to agent:dan was not delivered: it broke." };
  expect(heard(world, "alice", refused("alice"))).toEqual(entry);
  expect(heard(world, "coordinator", refused("gone"))).toEqual(entry);
  expect(heard(world, "coordinator", refused("gone", { message: undefined }))?.text).toMatch(/^Your vote to agent:dan/);
  expect(heard(world, "alice", refused("alice", { notice: true }))).toBeUndefined();
});

test("votes are told to those they concern: who votes for another, that it is time to look again, and who leads now", () => {
  const world = start();
  world.tell(
    { type: "proposal.create", text: "Which?", options: ["a", "b"], voters: ["alice", "human"] },
    "coordinator",
  );
  expect(
    heard(world, "alice", append(world, "proposal.delegated", { proposal: "p1", voter: "bob", to: "alice" })),
  ).toEqual({
    from: "bob",
    kind: "vote",
    text: "Bob votes as you do on p1.",
  });
  const due = append(world, "proposal.review_due", { proposal: "p1" });
  expect(heard(world, "coordinator", due)).toBeUndefined();
  const settled = (verdict: object) =>
    world.state.proposals.set("p1", {
      ...world.state.proposals.get("p1")!,
      status: "settled",
      verdict,
      ended_at: at,
    } as never);
  settled({ result: "won", option: "a" });
  const again = (result: string) => ({
    from: "system",
    kind: "vote",
    text: `Look at p1 again: Which? It was decided on ${at}: ${result}. Is it still right? If not, put it to the vote again.`,
  });
  expect(heard(world, "coordinator", due)).toEqual(again("a"));
  settled({ result: "none", why: "a tie" });
  expect(heard(world, "human", due)).toEqual(again("no result"));
  const led = append(world, "run.led", { run: "r1", lead: "bob" });
  expect(heard(world, "alice", led)).toEqual({
    from: "system",
    kind: "vote",
    text: "Bob leads this run now: what concerns the whole run goes there.",
  });
});

test("what was restored is told to who works there, by name as far as they are named", () => {
  const world = start();
  const node = world.node({ worker: "alice" });
  const restored = (more: object) =>
    heard(
      world,
      "alice",
      append(world, "workspace.restored", {
        workspace: node,
        version: "a".repeat(64),
        why: "missing",
        files: 3,
        paths: ["a", "b"],
        ...more,
      }),
    );
  expect(restored({})).toMatchObject({
    from: "system",
    kind: "nudge",
    text: expect.stringMatching(
      /^Your files were gone\. They were put back as they were saved last: a, b and 1 more\./,
    ),
  });
  expect(restored({ files: 0, paths: [] })?.text).toContain("saved last: nothing.");
});

test("a stage that reconvenes without nodes lists nothing", () => {
  const world = start();
  const reconvened = append(world, "stage.reconvened", { stage: "s9", completed: [], open: [] });
  expect(heard(world, "coordinator", reconvened)).toEqual({
    from: "system",
    kind: "stage",
    text: "s9 reconvenes; completed: none",
  });
});
