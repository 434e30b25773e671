/** What an agent may be given of this machine, with real files and real programs. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import { openRooms } from "../src/main/house/house.ts";
import type { Problem } from "../src/schema/problem.ts";
import { bash, type Call, newHome, removeHome, told } from "./desk.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await removeHome(home);
});

const folder = mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "agiraph-project-"));
const beside = `${folder}-secret`;
mkdirSync(beside);
mkdirSync(join(folder, "src"));
writeFileSync(join(beside, "key"), "the secret key");
writeFileSync(join(folder, "src/a.ts"), "export const a = 1;\n");
symlinkSync(beside, join(folder, "out"));
symlinkSync(join(beside, "key"), join(folder, "src/key"));
linkSync(join(beside, "key"), join(folder, "src/hard"));
afterAll(() => {
  for (const path of [folder, beside]) rmSync(path, { recursive: true, force: true });
});

async function ran(calls: Call[], given = { folder }) {
  const done = await told(calls, { given });
  homes.push(done.home);
  return done.results.map(({ result }) => result);
}

test("links inside the folder that lead out are not followed", async () => {
  const read = (path: string) => ({ tool: "read_file", input: { path } });
  const texts = await ran([
    read("project/src/a.ts"),
    read("project/out/key"),
    read("project/src/key"),
    read("project/src/hard"),
    { tool: "list_files", input: { path: "project/out" } },
    { tool: "search_files", input: { query: "secret" } },
    { tool: "list_files", input: { path: "project" } },
  ]);
  expect(texts[0]).toContain("export const a = 1;");
  expect(texts.join()).not.toContain("the secret key");
  for (const text of [texts[1], texts[2], texts[4]]) expect(text).toContain("links are not followed");
  expect(texts[3]).toContain("copy it into your scratch with bash");
  expect(texts[6]).toContain("project/out  a link");
});

const missing = await machine.processes.sandbox();

describe.skipIf(missing)("in the sandbox", () => {
  test("commands read the folder at its own path, and can neither change it nor see what lies beside it", async () => {
    const texts = await ran([
      bash(`cat ${folder}/src/a.ts`),
      bash(
        `echo x > ${folder}/new; rm -rf ${folder}/src; chmod 777 ${folder}; touch ${folder}/src/a.ts; mv ${folder} gone; true`,
      ),
      bash(`cat ${folder}/out/key ${folder}/src/key ${beside}/key; ls ${beside}`),
      bash(`cp -r ${folder}/src mine && echo '// mine' >> mine/a.ts && cat mine/a.ts`),
      { tool: "read_file", input: { path: "mine/a.ts" } },
    ]);
    expect(texts[0]).toBe("export const a = 1;\n[exit code 0]");
    expect(texts[1]!.match(/Read-only file system/g)!.length).toBeGreaterThan(2);
    expect(texts[2]).not.toContain("the secret key");
    expect(texts[3]).toContain("// mine");
    expect(texts[4]).toContain("// mine");
    expect(readFileSync(join(folder, "src/a.ts"), "utf8")).toBe("export const a = 1;\n");
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  test("an agent without the folder sees nothing of it", async () => {
    const done = await told([bash(`ls ${folder}`), { tool: "list_files", input: { path: "project" } }]);
    homes.push(done.home);
    expect(done.results[0]!.result).toMatch(/No such file/);
    expect(done.results[1]!.outcome).toBe("error");
  });
});

test("who asks for tools before all of them are there waits for them, and is refused when the house closes first", async () => {
  const open = async () => {
    const path = newHome();
    homes.push(path);
    const house = await openRooms({ path, env: {}, notice: () => undefined, plain: true });
    await house.runtime.open();
    return house;
  };
  const ask = (house: Awaited<ReturnType<typeof open>>, tools: string[]) =>
    house.runtime
      .create({ goal: "x", name: "a1", model: "scripted/none", start: false, tools })
      .catch(({ code, message }: Problem) => `${code}: ${message}`);
  const house = await open();
  const [good, bad] = [ask(house, ["bash", "web_fetch"]), ask(house, ["bush"])];
  await house.equip();
  expect(await good).toBe("a1");
  expect(await bad).toMatch(/^invalid: there is no tool "bush"; tools: .*\bbash, .*web_fetch/);
  await house.close();
  const other = await open();
  const never = ask(other, ["bash"]);
  await other.close();
  expect(await never).toMatch(/^closed: /);
});
