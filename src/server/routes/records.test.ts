import { afterAll, beforeAll, expect, test } from "vitest";
import { startTeam, type Team } from "../team.test-help.ts";

let team: Team;
beforeAll(async () => {
  team = await startTeam();
});
afterAll(() => team.close());

test("a document is given to an owner by name, and to everyone again", async () => {
  const at = `${team.at}/documents/glossary.md`;
  expect((await team.ask(`PATCH ${at}`, { owner: "Ada" })).status).toBe(404);
  await team.ask(`PUT ${team.at}/workspace/documents/glossary.md`, { text: "# Words\n" });
  expect((await team.ask(`PATCH ${at}`, { owner: "Ada" })).body).toMatchObject({ name: "glossary.md", owner: "ada" });
  expect((await team.ask(`PATCH ${at}`, { owner: "Nobody" })).body.error.code).toBe("not_found");
  const { body } = await team.ask(`PATCH ${at}`, { owner: null });
  expect([body.version, body.owner]).toEqual([1, undefined]);
});

test("a document is written from the version that was read; from another one it is refused with the newer text", async () => {
  const at = `${team.at}/documents/decisions.md`;
  expect((await team.ask(`GET ${at}`)).status).toBe(404);
  expect((await team.ask(`PUT ${at}`, { content: "# One\n", base: 1 })).status).toBe(404);
  expect((await team.ask(`PUT ${at}`, { content: "# One\n" })).body).toMatchObject({
    version: 1,
    by: "human",
    size: 6,
  });
  expect((await team.ask(`PUT ${at}`, { content: "# Two\n", base: 1 })).body).toMatchObject({ version: 2 });
  for (const base of [1, undefined]) {
    const refused = await team.ask(`PUT ${at}`, { content: "mine", ...(base ? { base } : {}) });
    expect([refused.status, refused.body.error]).toEqual([
      409,
      {
        code: "conflict",
        message: "decisions.md is at version 2 by human; put your change into its text and write it with base 2",
        details: { version: 2, by: "human", text: "# Two\n" },
      },
    ]);
  }
  expect((await team.ask(`PUT ${at}`, { content: "# Two\n\nmine\n", base: 2 })).body).toMatchObject({ version: 3 });
  const { body } = await team.ask(`GET ${at}`);
  expect(body).toMatchObject({ version: 3, text: "# Two\n\nmine\n", truncated: false });
  expect(body.history.map((one: { version: number; by: string }) => [one.version, one.by])).toEqual([
    [3, "human"],
    [2, "human"],
    [1, "human"],
  ]);
  expect((await team.ask(`GET ${at}?version=1`)).body.text).toBe("# One\n");
  expect((await team.ask(`GET ${at}?version=9`)).status).toBe(404);
  expect((await team.ask(`PUT ${team.at}/documents/..%2Fx.md`, { content: "x" })).status).toBe(400);
});

test("what is the same again is no new version", async () => {
  const at = `${team.at}/documents/same.md`;
  await team.ask(`PUT ${at}`, { content: "x" });
  expect((await team.ask(`PUT ${at}`, { content: "x", base: 1 })).body).toMatchObject({ version: 1 });
});
