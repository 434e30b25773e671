import { afterAll, beforeAll, expect, test } from "vitest";
import { startTeam, type Team } from "../team.test-help.ts";

let team: Team;
const text = "We ship the website on Tuesday mornings.";

beforeAll(async () => {
  team = await startTeam();
  for (const subject of ["release day", "another thing"])
    await team.runtime.send(
      team.agent,
      { type: "insight.propose", by: "ada", subject, text: `${subject}: ${text}` },
      { actor: "ada" },
    );
});
afterAll(() => team.close());

test("what is proposed is listed; the human accepts it once, and it is a note with its source", async () => {
  const listed = await team.ask(`GET ${team.at}/insights`);
  expect(listed.body.items.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    ["i1", "open"],
    ["i2", "open"],
  ]);
  for (let time = 0; time < 2; time++) {
    const { status, body } = await team.ask(`POST ${team.at}/insights/i1/accept`, {});
    expect([status, body.status, body.path, body.decided_by]).toEqual([
      200,
      "accepted",
      "memory/knowledge/release-day.md",
      "human",
    ]);
  }
  const note = await team.ask(`GET ${team.at}/memory/memory/knowledge/release-day.md`);
  expect(note.body.text).toContain(text);
  const { items, files } = (await team.ask(`GET ${team.at}/notes`)).body;
  expect(files).toBeGreaterThan(0);
  expect(items.find(({ path }: { path: string }) => path === "memory/knowledge/release-day.md")).toMatchObject({
    ...{ subject: "release day", tier: "working", visibility: "private", source: "ada", fading: "fresh", times: 0 },
    fades_at: expect.any(String),
  });
});

test("what is declined is not there, and cannot be accepted any more", async () => {
  const { status, body } = await team.ask(`POST ${team.at}/insights/i2/decline`, { reason: "not true" });
  expect([status, body.status, body.reason]).toEqual([200, "declined", "not true"]);
  const late = await team.ask(`POST ${team.at}/insights/i2/accept`, {});
  expect([late.status, late.body.error.code]).toEqual([409, "wrong_state"]);
  expect((await team.ask(`POST ${team.at}/insights/i9/accept`, {})).status).toBe(404);
});

test("tier and visibility of a note are changed in its file; another path is refused", async () => {
  const path = "memory/knowledge/release-day.md";
  const { status, body } = await team.ask(`POST ${team.at}/notes`, { path, tier: "core", visibility: "public" });
  expect([status, body.tier, body.visibility, body.fading]).toEqual([200, "core", "public", "stays"]);
  expect((await team.ask(`GET ${team.at}/memory/${path}`)).body.text).toContain("visibility: public\n");
  expect(
    (await team.ask(`GET ${team.at}/notes?tier=core`)).body.items.map((one: { path: string }) => one.path),
  ).toContain(path);
  for (const [wrong, code] of [
    ["memory/none.md", 404],
    ["SOUL.md", 404],
    ["../../x.md", 403],
  ] as const)
    expect((await team.ask(`POST ${team.at}/notes`, { path: wrong, tier: "core" })).status, wrong).toBe(code);
});
