/** Workflows from the command line: real processes, a real daemon, a model server on loopback. */
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { clearLater, start } from "./daemon.ts";
import { agiraph as alone, createLab, newFolder } from "./program.ts";

let lab: Awaited<ReturnType<typeof createLab>>;
beforeAll(async () => {
  lab = await createLab();
});

const finish = { tool: "finish", input: { summary: "It is done." } };
const brief = `about: For briefs
budget: { usd: 3 }
workers:
  Ada: looks things up
  Ben: { role: writes, model: lab/test }
`;
const home = () =>
  clearLater(
    newFolder({ "config.yaml": lab.config(), "workflows/brief.yaml": brief, "workflows/bad.yaml": "about: x" }),
  );

test("a workflow is listed, chosen by name or by file, and what is wrong with one is said before there is an agent", async () => {
  const at = home();
  const agiraph = async (...args: string[]) => await start(at, args).ended;
  const list = await agiraph("workflows");
  expect(list.out).toMatch(/brief +For briefs +2 +0/);
  expect(list.out).toContain("research-brief");
  expect(list.out.replace(/\s+/g, " ")).toMatch(/bad is invalid: .*bad\.yaml: agents: is required/);

  lab.play(finish);
  const run = await agiraph("run", "On chips", "--name", "chips", "--workflow", "brief");
  expect([run.code, run.err]).toEqual([0, ""]);
  expect(lab.system()).toContain("The workflow brief declares the team of every run");
  const [agent] = JSON.parse((await agiraph("ls", "--json")).out);
  expect(agent).toMatchObject({ id: "chips", workflow: "brief", worker_count: 2 });

  const file = join(newFolder({ "mine.yaml": brief.replace("Ada", "Zoe") }), "mine.yaml");
  lab.play(finish);
  await agiraph("run", "On ships", "--name", "ships", "--workflow", file);
  const created = JSON.parse((await agiraph("events", "ships", "--types", "agent.created", "--json")).out);
  expect(created.data).toMatchObject({
    team: { workflow: "mine", workers: [{ name: "Zoe" }, {}] },
    budget: { usd: 3 },
  });

  for (const [name, message] of [
    ["nope", "there is no workflow nope; workflows: bad, brief, "],
    ["bad", "bad.yaml: agents: is required"],
    ["./nope.yaml", "there is no file"],
  ] as const) {
    const { code, err } = await agiraph("run", "g", "--workflow", name);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  }
});

test("alone, without a daemon, it is the same", async () => {
  const at = home();
  lab.play(finish);
  const { code, out, err } = await alone(at, "run", "On chips", "--name", "chips", "--workflow", "brief");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("budget 3 usd");
  expect(lab.system()).toContain("Its workers are here: Ada, Ben.");
});
