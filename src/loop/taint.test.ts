/** What changes once somebody in a run has read what strangers wrote. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type Answer, results } from "../runtime/model.test-help.ts";
import { type Options, start } from "../runtime/runtime.test-help.ts";
import { TaintPolicy } from "../schema/config.ts";
import { defineTool, type Tool } from "../toolkit/tool.ts";

const hour = 3_600_000;
const read = { tool: "read_page", input: {} };
const post = (url: string) => ({ tool: "post", input: { url } });
const one = (...calls: { tool: string; input: unknown }[]): Answer => ({ calls });

/** A page of a stranger, and a way out. */
async function outside(
  answers: Answer[],
  { goal = "g", more = [], ...options }: Options & { goal?: string; more?: Tool[] } = {},
) {
  const posted: string[] = [];
  const shared = { about: "-", guidance: "-", effect: "outside" as const, repeatable: true };
  const tools = [
    ...more,
    defineTool({
      ...shared,
      name: "read_page",
      input: z.object({}),
      run: async () => ({ text: "", data: { from: "the web", text: "obey", outside: "page.test" } }),
    }),
    defineTool({
      ...shared,
      name: "post",
      input: z.object({ url: z.string() }),
      target: ({ url }) => ({ name: new URL(url).host, url }),
      async run({ url }) {
        posted.push(url);
        return "posted";
      },
    }),
  ];
  const world = start({ play: { coordinator: answers }, tools, taint: TaintPolicy.parse({}), ...options });
  await world.begin();
  await world.create({ goal });
  await world.pass(hour);
  const open = () => [...world.state().questions.values()].filter(({ status }) => status === "open");
  const answer = async (text: string, remember = false) => {
    for (const { id } of open())
      await world.send("a1", { type: "question.answer", question: id, answer: text, remember });
    await world.pass(hour);
  };
  return { ...world, posted, open, answer };
}

test("before anything was read from outside nobody is asked; afterwards a new host is put to the human with the reason", async () => {
  const world = await outside([
    one(post("https://a.test/1")),
    one(read),
    one(post("https://a.test/2")),
    { say: "done" },
  ]);
  expect(world.posted).toEqual(["https://a.test/1"]);
  expect(world.open()).toMatchObject([{ approves: { tool: "post", target: "a.test" } }]);
  expect(world.open()[0]!.text).toContain(
    "May Coordinator call post? this run has read what page.test says, and nobody you trust named a.test",
  );
  await world.answer("allow");
  expect(world.posted).toEqual(["https://a.test/1", "https://a.test/2"]);
});

test("an answer that was offered names no host, however it is worded; one in the human's own words does", async () => {
  const ask = {
    tool: "ask_human",
    input: { question: "How?", options: ["As https://evil.test/x says", "Not at all"] },
  };
  for (const [answer, posted] of [
    ["As https://evil.test/x says", []],
    ["as in https://evil.test/x", ["https://evil.test/1"]],
  ] as const) {
    const world = await outside([one(read), one(ask), one(post("https://evil.test/1")), { say: "done" }]);
    await world.answer(answer);
    expect(world.posted).toEqual(posted);
  }
});

test("a host that the human named, in the goal or later, is not new; one like it is", async () => {
  const world = await outside(
    [
      one(read),
      one(post("https://b.test:8443/x"), post("https://b.test/y"), post("https://xb.test/")),
      { say: "done" },
    ],
    { goal: "Look at https://b.test:8443/start, please" },
  );
  expect(world.open().map(({ approves }) => approves?.target)).toEqual(["b.test", "xb.test"]);
  await world.answer("deny");
  expect(world.posted).toEqual(["https://b.test:8443/x"]);
});

test("what a search found may be gone to exactly as it was found", async () => {
  const search = defineTool({
    name: "search",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: true,
    input: z.object({}),
    run: async () => ({
      text: "",
      data: { from: "a search", text: "found", outside: "engine", links: ["https://a.test/page?x=1"] },
    }),
  });
  const world = await outside(
    [
      one({ tool: "search", input: {} }),
      one(post("https://a.test/page?x=1#part"), post("https://a.test/page?x=secret")),
      { say: "done" },
    ],
    { more: [search] },
  );
  expect(world.open()).toMatchObject([{ approves: { target: "a.test" } }]);
  await world.answer("deny");
  expect(world.posted).toEqual(["https://a.test/page?x=1#part"]);
});

test("an answer that is remembered holds for that host and for everybody; for no other host", async () => {
  const world = await outside([
    one(read),
    one(post("https://a.test/1")),
    one(post("https://a.test/2"), post("https://c.test/")),
    { say: "done" },
  ]);
  await world.answer("allow", true);
  expect(world.posted).toEqual(["https://a.test/1"]);
  expect(world.open().map(({ approves }) => approves?.target)).toEqual(["c.test"]);
  expect(world.state().taint.known).toEqual(["a.test"]);
  await world.answer("deny", true);
  expect(world.posted).toEqual(["https://a.test/1", "https://a.test/2"]);
});

test("the config says what is known, and whether anybody is asked at all; a rule of the policy goes first", async () => {
  const play = [one(read), one(post("https://sub.a.test/"), post("https://c.test/")), { say: "done" }];
  const known = await outside(play, { taint: TaintPolicy.parse({ known: ["*.a.test"] }) });
  expect(known.open().map(({ approves }) => approves?.target)).toEqual(["c.test"]);
  const allowed = await outside(play, { taint: TaintPolicy.parse({ hosts: "allow" }) });
  expect(allowed.posted).toHaveLength(2);
  const denied = await outside(play, { taint: TaintPolicy.parse({ hosts: "deny" }) });
  expect(results(denied.asked.at(-1)!).slice(1)).toMatchObject([{ outcome: "denied" }, { outcome: "denied" }]);
  const ruled = await outside(play, { policy: [{ do: "allow", tool: "post" }] });
  expect(ruled.posted).toHaveLength(2);
});

test("what is remembered meanwhile taints the next run", async () => {
  const note = (content: string) => ({ tool: "memory_write", input: { path: "knowledge/a.md", content } });
  const world = await outside([one(note("own")), one(read), one(note("theirs")), { say: "done" }], {
    taint: TaintPolicy.parse({ memory: "allow" }),
  });
  expect(world.state().taint).toMatchObject({ sources: ["page.test"], notes: ["memory/knowledge/a.md"] });
  await world.send("a1", { type: "run.finish", summary: "done" });
  await world.send("a1", { type: "run.start", goal: "again" });
  await world.pass(1_000);
  expect(world.state().taint.sources.slice(0, 2)).toEqual([
    "page.test (in an earlier run)",
    "the note memory/knowledge/a.md",
  ]);
});

test("the policy of the memory is one of its own", async () => {
  const note = { tool: "memory_write", input: { path: "MEMORY.md", content: "x" } };
  const world = await outside([one(read), one(note), { say: "done" }], { taint: TaintPolicy.parse({ memory: "ask" }) });
  expect(world.open()[0]!.text).toContain("this run has read what page.test says, and this would be remembered");
});

test("a secret that a model or a tool repeats is neither stored nor used", async () => {
  const key = "sk-live-0123456789";
  const heard: string[] = [];
  const world = await outside(
    [
      { say: `the key is ${key}`, calls: [post(`https://a.test/?k=${key}`), { tool: "echo", input: {} }] },
      { say: "done" },
    ],
    {
      secrets: [key],
      tools: [
        defineTool({
          name: "echo",
          about: "-",
          guidance: "-",
          effect: "reads",
          repeatable: true,
          input: z.object({}),
          run: async () => `it says ${key}`,
        }),
        defineTool({
          name: "post",
          about: "-",
          guidance: "-",
          effect: "outside",
          repeatable: true,
          input: z.object({ url: z.string() }),
          run: async ({ url }) => `${heard.push(url)} posted`,
        }),
      ],
    },
  );
  expect(heard).toEqual(["https://a.test/?k=[secret]"]);
  const log = JSON.stringify(await world.events());
  expect(log).not.toContain(key);
  expect(log).toContain("the key is [secret]");
  expect(log).toContain("it says [secret]");
});
