import { describe, expect, test } from "vitest";
import { use } from "../runtime/model.test-help.ts";
import { call, node, spawn, team, told } from "../toolkit/tool.test-help.ts";

const write = (name: string, content: string, rest = {}) => call("document_write", { name, content, ...rest });

describe("documents", () => {
  test("are written, read, listed and given to an owner", async () => {
    const said = await told(
      spawn("Ann"),
      call("document_list"),
      write("Decisions.md", "# One"),
      call("document_read", { name: "decisions.md" }),
      write("Decisions.md", "# Two", { base: 1 }),
      call("document_own", { name: "documents/decisions.md", owner: "ann" }),
      call("document_list"),
      call("document_own", { name: "decisions.md" }),
      call("document_read", { name: "plan.md" }),
    );
    expect(said.slice(1)).toEqual([
      "There are no documents.",
      "Decisions.md is at version 1.",
      "# One\n[Decisions.md, version 1 by Coordinator]",
      "Decisions.md is at version 2.",
      "Decisions.md belongs to Ann now.",
      "Decisions.md: version 2 by Coordinator, 5 bytes, owned by Ann",
      "Decisions.md belongs to everyone now.",
      "error: there is no document plan.md; documents: Decisions.md",
    ]);
  });

  test.each(["../x.md", "a/b.md", "notes", "x.exe", ".md", "a..md"])("%j is not a name of one", async (name) => {
    const [, said] = await told(spawn("Ann"), write(name, "x"));
    expect(said).toMatch(/^error: document_write: name: /);
  });

  test("a write from an old version is refused with the newer text, and so is one of a document that exists", async () => {
    const [, , , old, fresh, whole] = await told(
      spawn("Ann"),
      write("a.md", "one"),
      write("a.md", "two", { base: 1 }),
      write("a.md", "mine", { base: 1 }),
      write("a.md", "mine"),
      write("a.md", "two and mine", { base: 2 }),
    );
    for (const [said, why] of [
      [old, "has changed since version 1"],
      [fresh, "exists already"],
    ]) {
      expect(said).toMatch(/^error: two\n\[a\.md, version 2 by Coordinator\]\n/);
      expect(said).toContain(`Not written: a.md ${why}. Put your change into this text and write it with base 2.`);
    }
    expect(whole).toBe("a.md is at version 3.");
  });

  test("what belongs to somebody is written by them, the coordinator and the human", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            ...[spawn("Ann"), spawn("Bea"), write("a.md", "one"), call("document_own", { name: "a.md", owner: "ann" })],
            ...[node("x", { worker: "ann" }), node("y", { worker: "bea" })],
          ],
        },
      ],
      ann: [use("document_write", { name: "a.md", content: "ann's", base: 1 }), use("publish", { summary: "s" })],
      bea: [use("document_append", { name: "a.md", content: "bea's" }), use("publish", { summary: "s" })],
    });
    expect(world.told("ann")[0]).toBe("a.md is at version 2.");
    expect(world.told("bea")[0]).toBe(
      "error: a.md belongs to ann; only ann, the coordinator or the human can write it, not bea",
    );
  });

  test("several add to one at once, and nothing is lost; it is a file that all can read", async () => {
    const names = ["Ann", "Bea", "Cal", "Dan", "Eve"];
    const lines = [1, 2, 3].map(
      (nth) => (who: string) => call("document_append", { name: "log.md", content: `${who} ${nth}` }),
    );
    const world = await team({
      coordinator: [
        { calls: names.flatMap((name) => [spawn(name), node(`for ${name}`, { worker: name })]) },
        use("wait_for_nodes"),
        use("read_file", { path: "documents/log.md" }),
      ],
      ...Object.fromEntries(
        names.map((name) => [
          name.toLowerCase(),
          [{ calls: lines.map((line) => line(name)) }, use("publish", { summary: "s" })],
        ]),
      ),
    });
    const { version } = world.state().documents.get("log.md")!;
    expect(version).toBe(15);
    const text = world.told().at(-1)!;
    for (const name of names) for (const nth of [1, 2, 3]) expect(text.split("\n")).toContain(`${name} ${nth}`);
  });

  test("their tools are in the prompt once there is one", async () => {
    const offered = (world: Awaited<ReturnType<typeof team>>) =>
      world.asked.map(({ tools }) => tools.some(({ name }) => name === "document_write"));
    expect(offered(await team({ coordinator: [use("list_triggers")] }))).toEqual([false, false]);
    expect(offered(await team({ coordinator: [{ calls: [spawn("Ann")] }] }))).toEqual([false, false]);
    const write = use("document_write", { name: "notes.md", content: "x" });
    expect(offered(await team({ coordinator: [write, use("list_triggers")] }))).toEqual([false, true, true]);
  });
});
