import { expect, test } from "vitest";
import { start } from "../core.test-help.ts";
import { foreignSources, isTainted, sourcesOf, sourcesSay, taintInWords } from "./taint.ts";

type World = ReturnType<typeof start>;

function ask(world: World, more: object): void {
  world.append({ type: "question.asked", data: { question: "q1", by: "alice", text: "May I?", ...more } } as never);
}
const answer = (world: World, said: string, more: object = {}) =>
  world.append({ type: "question.answered", data: { question: "q1", answer: said, ...more } } as never, "human");
const read = (world: World, outside: string, links: string[] = []) =>
  world.append({
    type: "tool.ended",
    data: {
      turn: "alice.1",
      participant: "alice",
      call: "c1",
      tool: "web_fetch",
      outcome: "ok",
      result: "text",
      outside,
      links,
    },
  } as never);

const approves = { turn: "alice.1", call: "c1", tool: "web_fetch", target: "evil.example" };

test("a host is known when the human allows it for good, not when they allow it once or refuse it", () => {
  for (const [said, more, known] of [
    ["allow", { remember: true }, ["evil.example"]],
    ["allow", {}, []],
    ["allow", { remember: false }, []],
    ["deny", { remember: true }, []],
    ["deny https://other.example/x", {}, []],
  ] as const) {
    const world = start();
    ask(world, { approves });
    answer(world, said, more);
    expect({ said, ...more, known: world.state.taint.known }).toEqual({ said, ...more, known });
  }
});

test("a host that the human names in an answer is known, one that the asker offered is not", () => {
  for (const [asked, said, known] of [
    [{}, "look at https://docs.example/a", ["docs.example"]],
    [{ options: ["https://evil.example/", "no"] }, "https://evil.example/", []],
    [{ default: "https://evil.example/" }, "https://evil.example/", []],
    [{ options: ["https://evil.example/", "no"] }, "rather https://docs.example/", ["docs.example"]],
  ] as const) {
    const world = start();
    ask(world, asked);
    answer(world, said);
    expect({ said, known: world.state.taint.known }).toEqual({ said, known });
  }
});

test("hosts that the human writes are known, those that others write are not", () => {
  const world = start();
  world.tell({ type: "message.post", text: "see https://docs.example/a" });
  world.tell({ type: "message.post", from: "alice", text: "see https://evil.example/a" }, "alice");
  expect(world.state.taint.known).toEqual(["docs.example"]);
  expect(isTainted(world.state)).toBe(false);
});

test("what was read from outside taints the run, once for each source; its links are known as they are", () => {
  const world = start();
  read(world, "evil.example", ["https://a.example/x#part", "no address"]);
  read(world, "evil.example");
  expect(world.state.taint).toMatchObject({
    sources: ["evil.example"],
    links: ["https://a.example/x", "no address"],
    known: [],
  });
  expect(sourcesSay(world.state)).toBe("evil.example says");
  read(world, "b.example");
  read(world, "c.example");
  expect(sourcesSay(world.state)).toBe("evil.example and 2 others say");
  expect(foreignSources(world.state)).toBe("evil.example and 2 others");
});

test("a call that read nothing from outside taints nothing", () => {
  const world = start();
  world.append({
    type: "tool.ended",
    data: {
      turn: "alice.1",
      participant: "alice",
      call: "c1",
      tool: "web_fetch",
      outcome: "ok",
      result: "text",
      links: ["https://a.example/"],
    },
  } as never);
  expect(world.state.taint).toMatchObject({ sources: [], links: [] });
  expect(foreignSources(world.state)).toBe("");
});

test("a host that a command reaches taints the run", () => {
  const world = start();
  world.append({
    type: "host.opened",
    data: {
      participant: "alice",
      turn: "alice.1",
      call: "c1",
      host: "evil.example",
      port: 443,
      subject: "evil.example",
    },
  } as never);
  expect(world.state.taint.sources).toEqual(["evil.example"]);
});

const begin = (world: World, more: object = {}) =>
  world.append({ type: "run.started", data: { run: "r2", goal: "Go on", ...more } } as never);
const note = (world: World, path: string, more: object = {}) =>
  world.append({
    type: "memory.written",
    data: { participant: "coordinator", path, sha256: "a".repeat(64), outcome: "created", ...more },
  } as never);

test("the next run begins tainted by what the last one read, said once however many runs follow; its links and hosts are gone", () => {
  const world = start();
  world.tell({ type: "message.post", text: "see https://docs.example/a" });
  read(world, "evil.example", ["https://evil.example/x"]);
  begin(world, { goal: "Read https://goal.example/ and https://goal.example/b" });
  begin(world, { goal: "Read https://goal.example/ and https://goal.example/b" });
  expect(world.state.taint).toEqual({
    sources: ["evil.example (in an earlier run)"],
    known: ["goal.example"],
    links: [],
    notes: [],
    mail: [],
    inherited: true,
  });
  const clean = start();
  begin(clean);
  expect(clean.state.taint).toEqual({ sources: [], known: [], links: [], notes: [], mail: [] });
});

test("what a setup step printed taints the run, one that printed nothing does not", () => {
  const sources = (...sizes: number[]) => {
    const world = start();
    const printed = { shell: "curl", outcome: "passed", code: 0, output: "", seconds: 1 };
    begin(world, { setup: sizes.map((size, at) => ({ ...printed, step: at + 1, size })) });
    return world.state.taint.sources;
  };
  expect([sources(), sources(0), sources(1), sources(0, 1)]).toEqual([[], [], ["the setup"], ["the setup"]]);
});

test("a note of the agent that was written under taint without its origin taints every later run, until it is written without taint or with it", () => {
  const world = start();
  note(world, "memory/before.md");
  expect(world.state.taint.notes).toEqual([]);
  read(world, "evil.example");
  note(world, "memory/a.md");
  note(world, "memory/b.md");
  note(world, "memory/a.md");
  note(world, "memory/c.md", { origin: "evil.example" });
  note(world, "notebook.md", { participant: "alice" });
  expect(world.state.taint.notes).toEqual(["memory/b.md", "memory/a.md"]);
  note(world, "memory/a.md", { origin: "evil.example" });
  expect(world.state.taint.notes).toEqual(["memory/b.md"]);
  const { notes } = world.state.taint;
  note(world, "memory/d.md", { origin: "evil.example" });
  expect(world.state.taint.notes).toBe(notes);
  begin(world);
  expect(world.state.taint.sources).toEqual(["evil.example (in an earlier run)", "the note memory/b.md"]);
});

test("no more is kept than can be looked at: 50 sources, 2,000 links, 2,000 hosts, 2,000 notes", () => {
  const world = start();
  const many = (count: number, of: (at: number) => string) => Array.from({ length: count }, (_, at) => of(at));
  for (const source of many(52, (at) => `s${at}.example`)) read(world, source);
  expect(world.state.taint.sources).toEqual(many(50, (at) => `s${at}.example`));
  for (const from of [0, 1_000, 2_000])
    read(
      world,
      "s0.example",
      many(1_000, (at) => `https://a.example/${from + at}`),
    );
  expect(world.state.taint.links).toHaveLength(2_000);
  expect(world.state.taint.links.at(-1)).toBe("https://a.example/1999");
  begin(world, { goal: many(2_001, (at) => `https://h${at}.example`).join(" ") });
  expect(world.state.taint.known).toEqual(many(2_000, (at) => `h${at}.example`));
  for (let at = 0; at < 2_001; at++) note(world, `memory/${at}.md`);
  expect(world.state.taint.notes).toEqual(many(2_000, (at) => `memory/${at + 1}.md`));
});

test("of a text only the first 100,000 characters are looked at, and only what is a URL names a host", () => {
  const known = (goal: string) => {
    const world = start();
    begin(world, { goal });
    return world.state.taint.known;
  };
  const first = "https://a.example ";
  expect(known(`${first}${"x".repeat(100_000)} https://late.example/`)).toEqual(["a.example"]);
  expect(known("http://a.example:99999/ and ftp://c.example and https://b.example/")).toEqual(["b.example"]);
});

test("an answer to a question about a host of a command names no host, and an approval without a target allows none", () => {
  for (const [asked, said, more] of [
    [
      { host: { host: "evil.example", subject: "evil.example", call: "alice.1/c1", command: "curl" } },
      "see https://evil.example/",
      {},
    ],
    [{ approves: { turn: "alice.1", call: "c1", tool: "bash" } }, "allow", { remember: true }],
  ] as const) {
    const world = start();
    ask(world, asked);
    const { taint } = world.state;
    answer(world, said, more);
    expect(world.state.taint).toBe(taint);
  }
});

test("mail of another agent is a foreign source, and taints only if its sender is tainted", () => {
  const world = start();
  const mail = (from: string, tainted?: string) =>
    world.append({
      type: "message.posted",
      data: {
        message: "m9",
        from,
        to: ["coordinator"],
        text: "hello",
        priority: "normal",
        mail: { hops: 1, origin: { born: "2026-01-01T00:00:00.000Z", seq: 3 }, ...(tainted ? { tainted } : {}) },
      },
    } as never);
  mail("agent:weather");
  expect(isTainted(world.state)).toBe(false);
  expect(foreignSources(world.state)).toBe("agent:weather");
  mail("agent:news", "evil.example");
  expect(world.state.taint.sources).toEqual(["agent:news (who has read what evil.example says)"]);
  expect(sourcesOf(world.state)).toBe("agent:news (who has read what evil.example says)");
  expect(foreignSources(world.state)).toBe("agent:news (who has read what evil.example says) and 2 others");
  const long = start();
  read(long, "e".repeat(600));
  expect(foreignSources(long.state)).toHaveLength(500);
});

test("people are told in a line what a run has read", () => {
  expect(sourcesOf(start().state)).toBe("nobody");
  expect(taintInWords(["a.example", "b.example"])).toBe(
    "This run has read text from outside: a.example and 1 other. Where it goes next is put to you first, unless you named the place or the config says otherwise.",
  );
});
