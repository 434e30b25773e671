/**
 * Seed 000, test 4, as work on a repository: a worker hands on parts of its node to two programs with their own loops, each in a checkout of its own, and
 * to one model that is asked once. One program makes a mistake that the check of its node finds, and mends it; a reviewer merges both; the conflict
 * becomes a node for somebody else; the worker adds its own part to what was merged.
 */
import { type Cast, call, calls, ended, sure } from "../scenarios/model.ts";
import { models } from "../scenarios/stage.ts";

const parts = "# Parts\n\n";
const listed = { backend: "- backend: the API\n", frontend: "- frontend: the page\n" };
export const allParts = `${parts}${listed.backend}${listed.frontend}- docker: the containers\n`;
export const docker = "FROM python:3.13\nCOPY backend /app\n";
const api = (result: string) => `todos = []\n\n\ndef add(text):\n    todos.append(text)\n    return ${result}\n`;
export const backend = api("todos");
export const page = "export const App = () => <h1>Todos</h1>;\n";

export const files = {
  "PARTS.md": parts,
  Makefile: "test:\n\t@python3 -B -m unittest discover -q -s tests 2>&1\n",
  ".gitignore": "__pycache__/\n",
  "tests/test_app.py": `import os
import re
import sys
import unittest

sys.path.insert(0, "backend")


def read(path):
    with open(path) as file:
        return file.read()


class App(unittest.TestCase):
    def test_parts_are_there(self):
        for part in re.findall("^- ([a-z]+):", read("PARTS.md"), re.M):
            self.assertTrue(os.path.isdir(part), part)

    def test_backend_adds(self):
        if os.path.exists("backend/main.py"):
            import main

            self.assertEqual(main.add("milk"), ["milk"])

    def test_frontend_shows(self):
        if os.path.exists("frontend/App.jsx"):
            self.assertIn("<h1>Todos</h1>", read("frontend/App.jsx"))
`,
};

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** A stand-in for an agent CLI that keeps to the file protocol. */
const program = (task: string, make: string, result: string) => `set -e
grep -q ${quoted(task)} _task.md
printf 'TO: walt\\nI begin.\\n---\\n' >> _outbox.md
${make}
printf '%s\\n' ${quoted(result)} > _result.md
`;
const put = (path: string, text: string) => `mkdir -p $(dirname ${path}) && printf %s ${quoted(text)} > ${path}`;

export const programs = {
  backend: `command:${program(
    "FastAPI",
    `${put("PARTS.md", `${parts}${listed.backend}`)}
if grep -q 'test_backend_adds' _inbox.md; then ${put("backend/main.py", backend)}; else ${put("backend/main.py", api("text"))}; fi`,
    "The API is in backend/main.py.",
  )}`,
  frontend: `command:${program(
    "React",
    `${put("PARTS.md", `${parts}${listed.frontend}`)}\n${put("frontend/App.jsx", page)}`,
    "The page is in frontend/App.jsx.",
  )}`,
};

const tests = { checks: [{ tests: true }] };
const runTests = call("bash", { command: "make test" });
const waitForConflict = calls(call("wait_for_nodes", { node_ids: ["n6"] }));

export const cast = (): Cast => ({
  coordinator: [
    calls(
      call("spawn_worker", { name: "Walt", role: "leads the building", model: models.openai }),
      call("create_work_node", {
        name: "Todo app",
        task: "Build the todo app: API, page, containers.",
        worker: "Walt",
        ...tests,
      }),
      call("wait_for_nodes"),
    ),
    {
      when: ({ all }) => /n1-todo-app completed[^:\n]*:/.test(all),
      otherwise: calls(call("wait_for_nodes")),
      does: calls(call("merge", { node: "n1" })),
    },
    calls(call("finish", { summary: "The todo app is there.", ...tests })),
  ],
  walt: [
    calls(
      call("spawn_worker", { name: "Bea", role: "builds APIs", type: "autonomous", agent_command: "backend" }),
      call("spawn_worker", { name: "Finn", role: "builds pages", type: "autonomous", agent_command: "frontend" }),
      call("spawn_worker", {
        name: "Dov",
        role: "writes container files",
        model: models.google,
        single_inference: true,
      }),
      call("create_work_node", { name: "Backend", task: "Build the FastAPI backend.", worker: "Bea", ...tests }),
      call("create_work_node", { name: "Frontend", task: "Build the React frontend.", worker: "Finn", ...tests }),
      call("create_work_node", { name: "Docker", task: "Write a Dockerfile.", worker: "Dov", workspace: "scratch" }),
      call("wait_for_nodes"),
    ),
    {
      when: (sight) => ended(sight) >= 3,
      otherwise: calls(call("wait_for_nodes")),
      does: calls(
        call("spawn_worker", { name: "Mona", role: "resolves conflicts", model: models.anthropic }),
        call("spawn_worker", { name: "Rhea", role: "reviews and merges", model: models.google }),
        call("create_work_node", {
          name: "Review",
          task: "Read what Backend and Frontend changed and merge it.",
          worker: "Rhea",
          depends_on: ["n2", "n3"],
          workspace: "scratch",
        }),
        call("wait_for_nodes"),
      ),
    },
    {
      when: (sight) => ended(sight) >= 4,
      otherwise: calls(call("wait_for_nodes")),
      does: calls(
        call("read_file", { path: "published/n4-docker/result.md" }),
        call("read_file", { path: "PARTS.md" }),
      ),
    },
    ({ lines }) => {
      const [container = "", list = ""] = lines.flatMap((line) =>
        line.by === "tool" && line.tool === "read_file" ? [line.text] : [],
      );
      return calls(
        call("write_file", { path: "docker/Dockerfile", content: container }),
        call("write_file", { path: "PARTS.md", content: `${list.trimEnd()}\n- docker: the containers\n` }),
        runTests,
      );
    },
    sure(runTests, ({ result }) =>
      calls(call("publish", { summary: `All parts. Tests: ${/^OK$/m.test(result("bash")) ? "they pass" : "?"}` })),
    ),
  ],
  rhea: [
    calls(
      call("read_file", { path: "published/n2-backend/changes.patch" }),
      call("read_file", { path: "published/n3-frontend/changes.patch" }),
    ),
    calls(call("merge", { node: "n2" }), call("merge", { node: "n3", worker: "Mona" })),
    waitForConflict,
    {
      when: ({ all }) => /^n6-\S+ completed[^:\n]*:/m.test(all),
      otherwise: waitForConflict,
      does: calls(call("merge", { node: "n6" })),
    },
    ({ result }) =>
      calls(
        call("write_file", { path: "review.md", content: `${result("merge")}\n` }),
        call("publish", { summary: "Both parts are merged." }),
      ),
  ],
  mona: [
    calls(call("read_file", { path: "PARTS.md" })),
    ({ result }) => {
      const lines = result("read_file").split("\n");
      const kept = lines.filter((line) => !/^(<{7}|={7}|>{7})/.test(line)).join("\n");
      return calls(
        call("write_file", { path: "PARTS.md", content: `${kept.trimEnd()}\n` }),
        call("publish", { summary: "Both parts are listed." }),
      );
    },
  ],
  dov: () => ({ text: docker }),
});
