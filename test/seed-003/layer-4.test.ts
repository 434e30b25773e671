/** Layer 4, coordination by mentions: natural language is the address. */
import { expect, test } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { call, openHouse, pair } from "./house.ts";

const missing = await machine.processes.sandbox();

test("a mention delivers the message to the one who is mentioned and wakes them at once, and nobody else", async () => {
  const { client, rest, events, asked, told } = await openHouse({
    rae: [{ text: "@Cody mend it. Rae and bob@cody.example are no address." }],
    cody: [{ text: "Mended." }],
  });
  await client.createAgent(pair("@Rae look."));
  await rest("t");
  expect(told("cody")).toContain("@Cody mend it.");
  expect([asked("rae").length, asked("cody").length]).toEqual([1, 1]);
  // Nothing lies between the message and the turn that it woke: no timer, no poll.
  const types = events("t").map(({ type }) => type);
  const woken = types.lastIndexOf("turn.started");
  expect(types.slice(0, woken)).toContain("message.posted");
  expect(types.slice(0, woken).filter((type) => type === "trigger.fired")).toEqual([]);
  const [posted, started] = [events("t")[types.lastIndexOf("message.posted", woken)]!, events("t")[woken]!];
  expect(Date.parse(started.ts) - Date.parse(posted.ts)).toBeLessThan(1_000);
});

test.skipIf(missing)(
  "agents work with each other by mentions alone, without a board: they write, read and run",
  async () => {
    const { client, rest, results } = await openHouse({
      rae: [
        call("write_file", { path: "list.md", content: "one\n" }),
        call("bash", { command: "cat list.md" }),
        { text: "@Cody there is a list." },
      ],
      cody: [call("write_file", { path: "mine.md", content: "two\n" }), call("read_file", { path: "mine.md" })],
    });
    await client.createAgent(pair("@Rae begin a list."));
    await rest("t");
    expect(results("rae", 2)[1]).toContain("one");
    expect(results("cody", 2)[1]).toContain("two");
  },
);
