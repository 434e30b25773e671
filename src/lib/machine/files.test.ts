import { spawnSync } from "node:child_process";
import { chownSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const nobody = 65_534;

/** Runs the text as a module of its own, by a user whom permissions bind, with `files` and `root` at hand. */
async function asNobody(text: string): Promise<{ root: string; said: string }> {
  const root = await mkdtemp(join(tmpdir(), "agiraph-nobody-"));
  onTestFinished(async () => await rm(root, { recursive: true, force: true }));
  const who = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if (who.uid) chownSync(root, nobody, nobody);
  const module = fileURLToPath(new URL("./files.ts", import.meta.url));
  const script = `const { files } = await import(${JSON.stringify(module)}); const root = ${JSON.stringify(root)};\n${text}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    ...who,
    cwd: "/",
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return { root, said: stdout };
}

const frozenTree = `
  await files.makeDir(root + "/published/deep/er");
  for (const path of ["a", "deep/b", "deep/er/c"]) await files.write(root + "/published/" + path, "x");
  for (const path of ["a", "deep/b", "deep/er/c", "deep/er", "deep", ""]) await files.freeze(root + "/published/" + path);
`;

test("a frozen folder can be removed with all in it, by a user whom permissions bind", async () => {
  const { root } = await asNobody(`${frozenTree} await files.remove(root + "/published");`);
  expect(readdirSync(root)).toEqual([]);
});

test("nothing is written into a frozen folder, by a user whom permissions bind", async () => {
  const { said } = await asNobody(`${frozenTree}
    const codes = [];
    for (const act of [
      () => files.write(root + "/published/a", "y"),
      () => files.write(root + "/published/deep/new", "y"),
      () => files.open(root + "/published/a"),
      () => files.makeDir(root + "/published/new"),
      () => files.remove(root + "/published/deep/er/c"),
    ]) codes.push(await act().then(() => "done", (error) => error.code));
    console.log(codes.join(" "));
    await files.remove(root + "/published");
  `);
  expect(said.trim()).toBe("EACCES EACCES EACCES EACCES EACCES");
});
