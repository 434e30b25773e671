/** Layer 3, the shared context: inbox (what is for me?), channel (what happened so far?), document (what are we working on?). */
import { expect, test } from "vitest";
import { createFilesStore } from "../../src/store/file-store.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { call, openHouse, pair } from "./house.ts";

const params = { agent: "t" };

test("inbox: what is addressed to an agent stays unread until its turn has ended, wakes it, and is shown once", async () => {
  const held = Promise.withResolvers<void>();
  const answer = () => held.promise.then(() => ({ text: "Seen." }));
  const { client, rest, events, asked, told } = await openHouse({ rae: [answer] });
  await client.createAgent(pair("@Rae look."));
  await expect.poll(() => asked("rae").length).toBe(1);
  expect(events("t").filter(({ type }) => type === "turn.ended")).toEqual([]);
  await client.send({ params, body: { message: "And hurry.", to: "rae" } });
  held.resolve();
  await rest("t");
  expect(told("rae", 0)).not.toContain("And hurry.");
  expect(told("rae", 1).split("And hurry.")).toHaveLength(2);
  expect(asked("rae")).toHaveLength(2);
  expect(asked("cody")).toHaveLength(0);
});

test("channel: append-only, and any agent reads the whole of it, with paging and search", async () => {
  const { client, rest, results, channel } = await openHouse({
    rae: [{ text: "@Cody the first loop is wrong." }],
    cody: [
      call("channel_read", { limit: 50 }),
      call("channel_read", { query: "FIRST loop" }),
      call("channel_read", { limit: 1, before: 8 }),
    ],
  });
  await client.createAgent(pair("@Rae look at the loops."));
  await rest("t");
  expect((await channel("t")).slice(0, 2)).toEqual([
    "human to rae: @Rae look at the loops.",
    "rae to human, cody: @Cody the first loop is wrong.",
  ]);
  const [all, found, page] = results("cody", 3);
  expect(all).toMatch(/look at the loops\.[\s\S]*the first loop is wrong/);
  expect(found).toContain("the first loop is wrong");
  expect(found).not.toContain("look at the loops");
  expect(page).toContain("look at the loops");
  expect(page).not.toContain("is wrong");
});

test("channel: what agents do and what tools return is not in it", async () => {
  const { client, rest, channel } = await openHouse({
    rae: [call("document_write", { name: "a.md", content: "secret of the tool" }), { text: "Written." }],
  });
  await client.createAgent(pair("@Rae write."));
  await rest("t");
  expect(await channel("t")).toEqual(["human to rae: @Rae write.", "rae to human: Written."]);
});

test("document: shared and editable, by its owner or, if it has none, by all", async () => {
  const { client, rest, results } = await openHouse({
    rae: [call("document_append", { name: "plan.md", content: "- look at the loop\n" }), { text: "@Cody your turn." }],
    cody: [
      call("document_append", { name: "plan.md", content: "- mend the loop\n" }),
      call("document_append", { name: "hers.md", content: "and Cody's\n" }),
    ],
  });
  const documents = [
    { name: "plan.md", text: "# Plan\n" },
    { name: "hers.md", text: "Rae's\n", owner: "Rae" },
  ];
  await client.createAgent(pair("@Rae begin.", { documents }));
  await rest("t");
  const plan = await client.readDocument({ params: { ...params, document: "plan.md" }, query: {} });
  expect(plan).toMatchObject({ text: "# Plan\n- look at the loop\n- mend the loop\n", version: 3 });
  expect(plan.history.map(({ version, by }) => `${version} ${by}`)).toEqual(["3 cody", "2 rae", "1 human"]);
  expect(results("cody", 2)[1]).toContain("hers.md belongs to rae");
  const hers = await client.readDocument({ params: { ...params, document: "hers.md" }, query: {} });
  expect(hers.text).toBe("Rae's\n");
});

test("document: an agent is shown the documents of its run that its task needs, and the names of the others", async () => {
  const { client, rest, told } = await openHouse();
  const documents = [
    { name: "brief.md", text: "The budget is 40 euros." },
    { name: "poem.md", text: "Roses." },
  ];
  await client.createAgent(pair("@Rae what is the budget in brief.md?", { documents }));
  await rest("t");
  const prompt = told("rae").split("Shared documents")[1]?.slice(0, 800);
  expect(prompt).toContain("The budget is 40 euros.");
  expect(told("rae").includes("poem.md")).toBe(true);
});

test("storage: files and memory are two stores behind one interface, and one contract suite holds both", () => {
  const files = createFilesStore({ home: "/nowhere", files: {} as never });
  const memory = createMemoryStore();
  expect(Object.keys(memory).toSorted()).toEqual(Object.keys(files).toSorted());
});
