import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { foldersOf } from "./installed.ts";

test("a program is shown with where its name leads, its packages, and the Node that runs it", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agiraph-installed-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["bin", "lib/node_modules/@a/cli/bin", "native", "node/bin"])
    mkdirSync(join(root, folder), { recursive: true });
  const script = join(root, "lib/node_modules/@a/cli/bin/cli.js");
  writeFileSync(script, "#!/usr/bin/env node\n");
  writeFileSync(join(root, "native/tool"), "\x7fELF");
  writeFileSync(join(root, "node/bin/node"), "\x7fELF");
  symlinkSync(script, join(root, "bin/cli"));
  const path = `relative:${join(root, "nowhere")}:${join(root, "node/bin")}:/usr/bin`;
  const found = (...names: string[]) =>
    foldersOf(
      names.map((name) => join(root, name)),
      path,
    );

  expect(await found("bin/cli")).toEqual(["bin", "lib/node_modules", "node/bin"].map((name) => join(root, name)));
  symlinkSync(join(root, "lib"), join(root, "current"));
  const linked = await found("current/node_modules/@a/cli/bin/cli.js");
  expect(linked).toContain(join(root, "current/node_modules"));
  expect(await found("native/tool", "native/missing")).toEqual([join(root, "native")]);
  expect(await foldersOf(["/usr/bin/env", "/bin/sh"], path)).toEqual([]);
});

test("of a folder that holds much else a program is shown alone, and a Python environment as a whole", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agiraph-installed-")));
  const alone = [join(homedir(), `.agiraph-installed-${process.pid}`), join(tmpdir(), `installed-${process.pid}.py`)];
  onTestFinished(() => {
    for (const path of [root, ...alone]) rmSync(path, { recursive: true, force: true });
  });
  for (const path of alone) writeFileSync(path, "");
  expect(await foldersOf(alone, "")).toEqual(alone);
  mkdirSync(join(root, "env/bin"), { recursive: true });
  for (const name of ["env/pyvenv.cfg", "env/bin/agent", "agent.py"]) writeFileSync(join(root, name), "");
  expect(await foldersOf([join(root, "env/bin/agent")], "")).toEqual([join(root, "env")]);
  expect(await foldersOf([join(root, "agent.py")], "")).toEqual([root]);
});
