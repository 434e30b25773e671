/** What stands behind the answer of a run is said alike by everything that shows it, for a node that is only claimed and checks on the whole. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import type { Check } from "../src/schema/evidence.ts";
import { command, newFolder } from "./program.ts";
import { createCast } from "./web/cast.ts";

const missing = await machine.processes.sandbox(true);

/** Ada claims that she did it; the coordinator finishes with these checks. */
async function finished(checks: Check[]) {
  const cast = await createCast({
    goal: "Make it",
    participants: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ada", role: "makes" } },
            { tool: "create_work_node", input: { name: "part", task: "Make a part", worker: "Ada" } },
            { tool: "wait_for_nodes", input: {} },
          ],
        },
        {
          calls: [
            { tool: "write_file", input: { path: "all.md", content: "all of it" } },
            { tool: "finish", input: { summary: "It is made.", checks } },
          ],
        },
      ],
      ada: [{ calls: [{ tool: "publish", input: { summary: "Trust me." } }] }],
    },
  });
  const home = newFolder({ "config.yaml": cast.config });
  const alone = (...args: string[]) => command(["--alone", ...args], { AGIRAPH_HOME: home });
  const run = await alone("run", cast.goal, "--name", "a1");
  const read = (path: string) => readFileSync(join(home, "agents/a1/runs/r1", path), "utf8");
  return {
    followed: run.out,
    status: (await alone("status", "a1")).out.replace(/\s+/g, " "),
    agent: JSON.parse((await alone("status", "a1", "--json")).out),
    board: (await alone("board", "a1")).out,
    output: read("_output.md"),
    manifest: JSON.parse(read("published/manifest.json")),
  };
}

test.skipIf(missing).each<[shown: "claimed" | "verified", what: string, checks: Check[]]>([
  ["claimed", "a file that is there proves nothing of it", [{ file: "all.md" }, { links: true }]],
  ["verified", "a command on the whole does", [{ run: "grep -q all all.md" }]],
])("the answer is %s: %s", async (shown, _, checks) => {
  const { agent, followed, status, board, output, manifest } = await finished(checks);
  expect(followed).toMatch(new RegExp(`proof .*${shown} +only claimed: n1`));
  expect(status).toContain(`its answer is ${shown}; claimed only: n1-part`);
  expect(agent).toMatchObject({ evidence: shown, claimed: ["n1-part"] });
  expect(board).toMatch(/n1 part +Ada +○ claimed/);
  expect(output).toMatch(new RegExp(`Evidence: ${shown}\n[\\s\\S]*Claimed only:\n- n1-part: Trust me\\.`));
  expect(manifest).toMatchObject({ evidence: shown, checks: checks.map(() => ({ outcome: "passed" })) });
});
