import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseWorkflow } from "./workflow-file.ts";

const parse = (text: string) => parseWorkflow(text, "w.yaml", "w");
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (problem) {
    return (problem as Error).message;
  }
  return "nothing";
};
const head = "agents:\n  Ada: x\n";

test("the review of the first specification is taken as it is written", () => {
  const text = readFileSync(new URL("../../test/workflows/review.yaml", import.meta.url), "utf8");
  const { team } = parseWorkflow(text, "review.yaml", "review").start({});
  expect(team).toEqual({
    workflow: "review",
    lead: false,
    workers: [
      { name: "reviewer", model: "anthropic/claude-sonnet-4-5", role: "Review code, @coder to fix." },
      { name: "coder", model: "anthropic/claude-sonnet-4-5", role: "Fix issues from reviewer." },
    ],
    setup: [{ shell: "git diff HEAD~1", as: "diff" }],
    kickoff: "${{ setup.diff }}\n@reviewer please review.\n",
    nodes: [],
    stages: [],
  });
});

const many = `
params:
  ref: HEAD~1
  depth: { type: number, default: 3, short: d, about: How deep }
  strict: { type: boolean }
  tone: { choices: [kind, harsh], default: kind }
  topic: { required: true }
env: [CI_NAME]
goal: "Look at \${{ params.topic }} (\${{ workflow.name }}:\${{ workflow.tag }})"
agents:
  Ada:
    role: "Be \${{params.tone}} about \${{ params.topic }}; strict: \${{ params.strict }}; write $\${{ so }}"
    model: a/\${{ params.tone }}
    max_turns: \${{ params.depth }}
setup:
  - { shell: 'git log "\${{ params.ref }}" -\${{ params.depth }}', as: log, timeout: 2m }
  - { shell: "grep \${{ env.CI_NAME }} <<<\${{ log }}", timeout: 5 }
kickoff: "@Ada \${{ setup.log }} in \${{ source.folder }}"
documents:
  notes.md: { owner: Ada, text: "On \${{ params.topic }}: \${{ log }}" }
  empty.md: ""
`;

test("values are filled in where they are known, typed where they stand alone; outputs of the setup stay", () => {
  const { start, params } = parse(many);
  expect(params.map(({ name, type, required }) => [name, type, required])).toEqual([
    ["ref", "string", false],
    ["depth", "number", false],
    ["strict", "boolean", false],
    ["tone", "choice", false],
    ["topic", "string", true],
  ]);
  const given = { topic: "a ${{ setup.log }} $${{ b", depth: "7", strict: "yes" };
  const { team, goal } = start({
    params: given,
    env: { CI_NAME: "ci", OTHER: "x" },
    tag: "t1",
    source: { folder: "/f" },
  });
  expect(goal).toBe("Look at a ${{ setup.log }} $${{ b (w:t1)");
  expect(team).toMatchObject({
    tag: "t1",
    params: { ref: "HEAD~1", depth: 7, strict: true, tone: "kind", topic: given.topic },
    workers: [
      {
        // What is in a value is not taken for an expression: the runtime makes ${{ of $${{.
        role: "Be kind about a $${{ setup.log }} $$${{ b; strict: true; write $${{ so }}",
        model: "a/kind",
        max_turns: 7,
      },
    ],
    setup: [
      {
        shell: 'git log "${PARAMS_REF}" -"${PARAMS_DEPTH}"',
        as: "log",
        timeout_seconds: 120,
        env: { PARAMS_REF: "HEAD~1", PARAMS_DEPTH: "7" },
      },
      {
        shell: 'grep "${ENV_CI_NAME}" <<<"${SETUP_LOG}"',
        timeout_seconds: 5,
        env: { ENV_CI_NAME: "ci" },
        outputs: { SETUP_LOG: "log" },
      },
    ],
    kickoff: "@Ada ${{ setup.log }} in /f",
    documents: [
      { name: "notes.md", owner: "Ada", text: "On a $${{ setup.log }} $$${{ b: ${{ setup.log }}" },
      { name: "empty.md", text: "" },
    ],
  });
});

test("without a setup nothing is escaped", () => {
  const { team } = parse(`params: {a: x}\n${head}kickoff: "@Ada \${{ params.a }} $\${{ b }}"`).start({
    params: { a: "${{ c }}" },
  });
  expect(team.kickoff).toBe("@Ada ${{ c }} ${{ b }}");
});

test.each([
  [{}, "params: topic is required; give it with --topic"],
  [{ topic: "x", tpic: "y" }, "params: there is no parameter tpic; did you mean topic?"],
  [{ topic: "x", nothing: "y" }, "params: there is no parameter nothing; parameters: ref, depth, strict, tone, topic"],
  [{ topic: "x", depth: "many" }, "params: depth must be a number"],
  [{ topic: "x", strict: "maybe" }, "params: strict must be a boolean"],
  [{ topic: "x", tone: "rude" }, "params: tone must be one of kind, harsh"],
  [{ topic: { a: 1 } }, "params: topic must be a string"],
  [{ topic: "x", depth: 0 }, "w.yaml, line 14, column 16: agents.Ada.max_turns: Too small"],
])("a value that cannot be is refused before anything starts: %j", (params, message) => {
  const env = { CI_NAME: "ci" };
  expect(refusal(() => parse(many).start({ params, env, source: { folder: "/f" } }))).toContain(message);
});

test("a variable or a source that is not there is an error with its place", () => {
  const { start } = parse(many);
  const params = { topic: "x" };
  expect(refusal(() => start({ params, source: { folder: "/f" } }))).toBe(
    "w.yaml, line 17, column 20: setup.1.shell: ${{ env.CI_NAME }} has no value here; set the environment variable CI_NAME",
  );
  expect(refusal(() => start({ params, env: { CI_NAME: "x" } }))).toBe(
    "w.yaml, line 18, column 36: kickoff: ${{ source.folder }} has no value here; the file is not in a folder",
  );
});

const setup = "setup:\n  - { shell: ls, as: list }\n";
test.each([
  [
    `${head}kickoff: "@Ada \${{ diff }}"`,
    "line 3, column 16: kickoff: ${{ diff }}: no setup step above has as: diff; names: workflow.name, workflow.tag, source.folder, source.commit",
  ],
  [
    `${setup}${head}kickoff: "@Ada \${{ lst }}"`,
    "${{ lst }}: no setup step above has as: lst; did you mean setup.list?",
  ],
  [
    `params: {topic: x}\n${head}kickoff: |\n  Hello\n  @Ada \${{ params.tpoic }}`,
    "line 6, column 8: kickoff: ${{ params.tpoic }}: there is no params.tpoic; did you mean params.topic?",
  ],
  [`params: {topic: x}\n${head}kickoff: "@Ada \${{ parms.topic }}"`, "there is no parms; did you mean params.topic?"],
  [`${head}kickoff: "@Ada \${{ github.ref }}"`, "there is no github; use params, setup, env, workflow, source"],
  [`${head}kickoff: "@Ada \${{ env.HOME }}"`, "there is no env.HOME; list it under env: first"],
  [`${head}kickoff: "@Ada \${{ params.a || 'x' }}"`, "${{ params.a || 'x' }} is not a name such as params.ref"],
  [`${head}kickoff: "@Ada \${{ params.a"`, "${{ is not closed by }}"],
  [
    `${setup}${head}model: \${{ list }}`,
    "line 5, column 8: model: ${{ list }}: the output of the setup is not known here",
  ],
  [`${setup}agents:\n  Ada: { role: x, memory: "\${{ list }}" }`, "the output of the setup is not known here"],
  [
    `setup:\n  - { shell: "echo \${{ b }}", as: a }\n  - { shell: ls, as: b }\n${head}`,
    "setup.0.shell: ${{ b }}: no setup step above has as: b",
  ],
  [
    `setup:\n  - { shell: "echo '\${{ workflow.name }}'" }\n${head}`,
    "setup.0.shell: ${{ workflow.name }} is in single quotes",
  ],
  [
    `setup:\n  - { shell: ls, as: a }\n  - { shell: ls, as: a }\n${head}`,
    "setup.1.as: a is the name of an earlier step",
  ],
  [
    `setup:\n  - { shell: ls, as: env }\n${head}`,
    "setup.0.as: must not be one of params, setup, env, workflow, source",
  ],
  [
    `setup:\n  - { shel: ls }\n${head}`,
    "line 2, column 7: setup.0.shel is not a field of a workflow; did you mean shell?",
  ],
  [`setup:\n  - { shell: ls, timeout: soon }\n${head}`, "setup.0.timeout: must be seconds, or a duration"],
  [
    `params: {a: b}\nworkers: {Ada: x}\nnodes:\n  - { title: t, spec: s, checks: [{ run: "echo \${{ params.a }}" }] }`,
    "nodes.0.checks.0.run: ${{ params.a }}: nothing is filled in here",
  ],
  [`env: [API_TOKEN]\n${head}`, "line 1, column 7: env.0: API_TOKEN looks like a key"],
  [`env: [OPENAI_API_KEY]\n${head}`, "looks like a key"],
  [`params: {n: {type: number}}\n${head}`, "params.n: a number needs a default, or required: true"],
  [`params: {n: {type: choice}}\n${head}`, "params.n.type: a choice needs choices"],
  [`params: {n: {type: number, default: many}}\n${head}`, "params.n.default: must be a number"],
  [`params: {n: {choices: [a], default: b}}\n${head}`, "params.n.default: must be one of a"],
  [`params: {n: {required: true, default: b}}\n${head}`, "params.n.required: what has a default need not be given"],
  [`params: {aa: {short: x}, bb: {short: x}}\n${head}`, "params.aa.short: -x is the short flag of bb"],
  [`params: {n: {requird: true}}\n${head}`, "params.n.requird is not a field of a workflow; did you mean required?"],
  [`params: {N: x}\n${head}`, "params.N: "],
  [`${head}documents: {notes: x}`, "documents.notes: "],
  [`${head}documents: {notes.md: {owner: Bob}}`, "documents.notes.md.owner: Bob is not in this team; workers: Ada"],
  [`${head}documents: {../x.md: x}`, "documents.../x.md: "],
])("what cannot be is said before anything runs: %j", (text, message) => {
  expect(refusal(() => parse(text))).toContain(message);
});
