import { expect, test } from "vitest";
import { filesIn, type TreeEntry, walkTree } from "./tree.ts";

const file = (name: string): TreeEntry => ({ name, kind: "file" });
const folder = (name: string): TreeEntry => ({ name, kind: "folder" });
const tree: Record<string, TreeEntry[]> = {
  "": [file("a"), folder("b"), { name: "link", kind: "other" }, file("z")],
  b: [file("c"), folder("d")],
  "b/d": [file("e")],
};
const list = async (path: string) => tree[path] ?? [];

async function paths(options: Parameters<typeof walkTree>[1] = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of walkTree(list, options)) found.push(path);
  return found;
}

test("a tree is walked depth first, a folder before what is in it, and links are named only", async () => {
  expect(await paths()).toEqual(["a", "b", "b/c", "b/d", "b/d/e", "link", "z"]);
  expect(await filesIn(list)).toEqual(["a", "b/c", "b/d/e", "z"]);
  expect(await filesIn(list, 2)).toEqual(["a", "b/c"]);
});

test("what is skipped is not named; what is not entered is; a walk may begin anywhere", async () => {
  expect(await paths({ skip: ({ name }) => name === "b" })).toEqual(["a", "link", "z"]);
  expect(await paths({ enter: (_, depth) => depth < 2 })).toEqual(["a", "b", "b/c", "b/d", "link", "z"]);
  expect(await paths({ from: "b" })).toEqual(["b/c", "b/d", "b/d/e"]);
});
