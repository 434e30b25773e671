/** Seed 000, test 4: a worker hands on parts of its work: two programs with their own loops and one model that is asked once. */
import { expect } from "vitest";
import { done, stateOf } from "./log.ts";
import { type Cast, call, calls, ended, sure } from "./model.ts";
import { play } from "./play.ts";
import { happened, models } from "./stage.ts";
import { standIn } from "./standin.ts";

const backend = standIn(
  "FastAPI",
  "mkdir -p backend && printf 'todos = []\\n\\ndef add(text):\\n    todos.append(text)\\n    return todos\\n' > backend/main.py",
  "The API is in backend/main.py.",
);
const frontend = standIn(
  "React",
  "mkdir -p frontend && printf 'export const App = () => <h1>Todos</h1>;\\n' > frontend/App.jsx",
  "The page is in frontend/App.jsx.",
);
const docker = "FROM python:3.13\nCOPY backend /app\n";

/** Whom Walt brings for the parts of his node. */
const brought = [
  call("spawn_worker", { name: "Bea", role: "builds APIs", type: "autonomous", agent_command: "backend" }),
  call("spawn_worker", { name: "Finn", role: "builds pages", type: "autonomous", agent_command: "frontend" }),
  call("spawn_worker", { name: "Dov", role: "writes container files", model: models.google, single_inference: true }),
];
const verify = call("bash", {
  command: 'python3 -B -c \'import sys; sys.path.insert(0, "backend"); import main; print(main.add("milk"))\'',
});

const cast = (): Cast => ({
  coordinator: [
    calls(
      call("spawn_worker", { name: "Walt", role: "leads the building", model: models.openai }),
      call("create_work_node", {
        name: "Todo app",
        task: "Build the todo app: API, page, containers.",
        worker: "Walt",
      }),
      call("wait_for_nodes"),
    ),
    {
      when: ({ all }) => /n1-todo-app completed[^:\n]*:/.test(all),
      otherwise: calls(call("wait_for_nodes")),
      does: calls(call("list_files", { path: "published/n1-todo-app" })),
    },
    ({ result }) => {
      const paths = [...result("list_files").matchAll(/^published\/\S+?\/(\w+\/[\w.]+) /gm)].map(([, path]) => path);
      return calls(call("finish", { summary: `The todo app is there: ${paths.join(", ")}.` }));
    },
  ],
  walt: [
    calls(
      ...brought,
      call("create_work_node", { name: "Backend", task: "Build the FastAPI backend.", worker: "Bea" }),
      call("create_work_node", { name: "Frontend", task: "Build the React frontend.", worker: "Finn" }),
      call("create_work_node", { name: "Docker", task: "Write a Dockerfile.", worker: "Dov" }),
      call("wait_for_nodes"),
    ),
    {
      when: (sight) => ended(sight) >= 3,
      otherwise: calls(call("wait_for_nodes")),
      does: calls(
        call("read_file", { path: "published/n2-backend/backend/main.py" }),
        call("read_file", { path: "published/n3-frontend/frontend/App.jsx" }),
        call("read_file", { path: "published/n4-docker/result.md" }),
      ),
    },
    ({ lines }) => {
      const [api = "", page = "", container = ""] = lines.flatMap((line) =>
        line.by === "tool" && line.tool === "read_file" ? [line.text] : [],
      );
      return calls(
        call("write_file", { path: "backend/main.py", content: api }),
        call("write_file", { path: "frontend/App.jsx", content: page }),
        call("write_file", { path: "docker/Dockerfile", content: container }),
        verify,
      );
    },
    sure(verify, ({ result }) =>
      calls(call("publish", { summary: `API, page, containers. Tried: ${result("bash").split("\n")[0]}` })),
    ),
  ],
  dov: () => ({ text: docker }),
});

play({
  number: 4,
  sandbox: true,
  title: "a worker brings workers for nodes of its own and joins what comes of them",
  setting: { cast, config: { programs: { backend: `command:${backend}`, frontend: `command:${frontend}` } } },
  check(stage) {
    const { published, board, answer, messages } = stage.outcome();
    expect(board.map(({ id, parent, status, worker }) => [id, parent, status, worker])).toEqual([
      ["n1-todo-app", undefined, "completed", "walt"],
      ["n2-backend", "n1-todo-app", "completed", "bea"],
      ["n3-frontend", "n1-todo-app", "completed", "finn"],
      ["n4-docker", "n1-todo-app", "completed", "dov"],
    ]);
    const at = (path: string) => published[`nodes/n1-todo-app/published/${path}`];
    expect(at("backend/main.py")).toContain("def add(text)");
    expect(at("frontend/App.jsx")).toContain("<h1>Todos</h1>");
    expect(at("docker/Dockerfile")).toBe(docker);
    // Nothing was checked, and the answer says so of every node.
    expect(answer).toBe(`The todo app is there: backend/main.py, docker/Dockerfile, frontend/App.jsx.

---
Evidence: claimed

Claimed only:
- n1-todo-app: API, page, containers. Tried: ['milk'] (no checks)
- n2-backend: # Done The API is in backend/main.py. (no checks)
- n3-frontend: # Done The page is in frontend/App.jsx. (no checks)
- n4-docker: FROM python:3.13 COPY backend /app (no checks)
`);
    expect(board[0]!.summary).toContain("['milk']");
    const { participants } = stateOf(stage.events());
    expect(participants.get("bea")).toMatchObject({ kind: "autonomous", done: ["n2-backend"], spawner: "walt" });
    expect(participants.get("dov")).toMatchObject({ single_inference: true, done: ["n4-docker"], spawner: "walt" });
    // Who is asked once is asked once, with no tools.
    const dov = stage.team.asked.filter(({ who }) => who === "dov");
    expect(dov.map(({ format, tools }) => [format, tools])).toEqual([["google", []]]);
    expect(messages).toEqual(["bea → coordinator: I begin.", "finn → coordinator: I begin."]);
    expect(done(stage.events()).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  },
  killed: {
    title: "killed while the worker makes its nodes and when some of them are done, the tree ends the same",
    moments: () => [happened("node.created", 3), happened("node.completed", 2)],
  },
});
