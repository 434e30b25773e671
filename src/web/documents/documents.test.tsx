import { expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { Page } from "../pages/documents.tsx";
import { Owner } from "./owner.tsx";

function written() {
  const world = start();
  const write = (document: string, actor: string, more: object = {}) => {
    world.now += 1_000;
    world.tell({ type: "document.write", document, sha256: "a".repeat(64), size: 3, ...more }, actor);
  };
  write("glossary.md", "alice");
  write("prices.csv", "bob", { owner: "bob" });
  write("glossary.md", "bob", { sha256: "b".repeat(64) });
  return world;
}
const page = async ({ state }: ReturnType<typeof start>) =>
  wordsOf(await draw(<Page />, { states: [state], at: "/agents/chips/documents" }));

test("documents are listed with who wrote them last and who owns them, the newest first; its text is opened", async () => {
  const words = await page(written());
  expect(words).toMatch(/glossary\.md version 2 by Bob .* shared .*prices\.csv version 1 by Bob .* B/);
  expect(words).toMatch(/documents glossary\.md Shared by everyone/);
});

test("without documents, and without a run, it says what they are", async () => {
  const world = start();
  expect(await page(world)).toContain("No documents yet");
  world.tell({ type: "run.finish", summary: "done" }, "coordinator");
  expect(await page(world)).toContain("No documents yet");
});

test("who may write a document is said, and can be changed only while the run is open", async () => {
  const world = written();
  const owner = (name: string, fixed?: string) =>
    draw(<Owner agent="chips" state={world.state} document={world.state.documents.get(name)} fixed={fixed} />);
  expect(await owner("glossary.md")).toContain('title="Everyone in the run can write it"');
  const bobs = await owner("prices.csv");
  expect(bobs).toContain('title="Only Bob, the coordinator and you can write it"');
  expect(wordsOf(bobs)).toContain("Owned by you Owned by Coordinator Owned by Alice Owned by Bob");
  expect(wordsOf(await owner("prices.csv", "The run is over"))).toBe("B Owned by Bob");
  world.tell({ type: "document.own", document: "prices.csv", owner: "human" });
  expect(await owner("prices.csv")).toContain('title="Only you and the coordinator can write it"');
});
