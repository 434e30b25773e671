/** What a home, or a word that reaches the daemon of one, makes happen that nobody said yes to. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ask, clearLater, upAndReady } from "../daemon.ts";
import { createLab, newFolder, put } from "../program.ts";
import { attack } from "./attack.ts";

const secret = "name: Erika Mustermann\nmail: [erika@example.org\n";

/** What a model that is a script could name. The first is a diary, of which a fault would tell lines. */
function targets(): Record<string, string> {
  const folder = newFolder({ "diary.yaml": secret, "script.yaml": "participants: { coordinator: [] }\n" });
  execFileSync("mkfifo", [join(folder, "pipe")]);
  return {
    "a private file": join(folder, "diary.yaml"),
    "a FIFO": join(folder, "pipe"),
    "a device without end": "/dev/zero",
    "a script that lies somewhere": join(folder, "script.yaml"),
    nothing: join(folder, "missing"),
    "a folder": folder,
    "a way out": `demo/../../..${folder}/diary.yaml`,
  };
}

/** Who could name a model from outside. Each answers what was said about it. */
const ways: Record<string, (home: string, model: string) => Promise<string>> = {
  "the API": async (home, model) => said(await ask(home, "POST /agents", { goal: "g", model })),
  "a team over the API": async (home, model) =>
    said(await ask(home, "POST /agents", { goal: "g", team: { workers: [{ name: "Bob", role: "r", model }] } })),
  "the next run": async (home, model) => {
    const { id } = (await ask(home, "POST /agents", { goal: "g", start: false })).body;
    return said(await ask(home, `POST /agents/${id}/runs`, { model }));
  },
  "a workflow": async (home, model) => {
    put(home, { "workflows/evil.yaml": `about: x\nworkers: { Bob: { role: r, model: ${JSON.stringify(model)} } }\n` });
    return said(await ask(home, "POST /agents", { goal: "g", workflow: "evil" }));
  },
};

const said = ({ status, body }: { status: number; body: { error?: { message: string } } }) => {
  expect(status).toBe(400);
  return body.error!.message;
};

attack("home", "B3 no path is read because a model is called scripted/PATH", async ({ held }) => {
  const lab = await createLab();
  const home = clearLater(newFolder({ "config.yaml": lab.config() }));
  await upAndReady(home);
  const refusals = new Set<string>();
  for (const path of Object.values(targets()))
    for (const act of Object.values(ways)) {
      const message = await act(home, `scripted/${path}`);
      expect(message).toContain("what is played here is scripted/demo");
      refusals.add(message.replace(path, "PATH"));
      held();
    }
  expect([...refusals], "whether it is there cannot be told").toHaveLength(1);
});

attack(
  "home",
  "B3 no participant has a script played by naming it",
  async ({ held }) => {
    const lab = await createLab();
    const home = clearLater(newFolder({ "config.yaml": lab.config("limits: { node_retries: 0 }\n") }));
    await upAndReady(home);
    for (const [what, path] of Object.entries(targets()))
      for (const how of ["spawn_worker", "create_work_node"]) {
        const model = `scripted/${path}`;
        const name =
          how === "spawn_worker" ? { name: "Bob", role: "r" } : { name: "Bob", role: "r", model: "lab/test" };
        lab.play(
          { tool: "spawn_worker", input: how === "spawn_worker" ? { ...name, model } : name },
          {
            tool: "create_work_node",
            input: { name: "n", task: "t", worker: "Bob", ...(how === "spawn_worker" ? {} : { model }) },
          },
          { tool: "wait_for_nodes", input: { nodes: ["n1"] } },
          { tool: "finish", input: { summary: "done" } },
        );
        const { id } = (await ask(home, "POST /agents", { goal: `${what} ${how}` })).body;
        await expect
          .poll(async () => (await ask(home, `GET /agents/${id}`)).body.status, { timeout: 8_000 })
          .toBe("completed");
        const log = readFileSync(join(home, "agents", id, "events.jsonl"), "utf8");
        expect(log).toContain("what is played here is scripted/demo");
        expect(log).not.toMatch(/Erika|erika@|ENOENT|EISDIR|plain file/);
        held();
      }
  },
  60_000,
);

attack(
  "home",
  "B3 a config cannot choose a script",
  async ({ held, tries }) => {
    for (const path of Object.values(targets()).slice(0, tries(1, 7))) {
      const home = clearLater(newFolder({ "config.yaml": `model: scripted/${path}\nembeddings: "off"\n` }));
      const daemon = await upAndReady(home);
      expect(said(await ask(home, "POST /agents", { goal: "g" }))).toContain("what is played here is scripted/demo");
      daemon.child.kill("SIGKILL");
      held();
    }
  },
  60_000,
);
