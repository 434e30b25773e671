import { expect, test } from "vitest";
import type { Summary } from "../../api/agents.ts";
import type { WorkflowLine } from "../../api/workflows.ts";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { WorkflowPreview } from "../new/workflow.tsx";
import { HelpPanel } from "./help-panel.tsx";
import { Instances } from "./instances.tsx";
import { type Param, ParamsForm, valuesOf, whyNot } from "./params-form.tsx";
import { helpAt } from "./schema-help.ts";

const params: Param[] = [
  { name: "place", type: "string", required: true, about: "Where to look" },
  { name: "count", type: "number", required: false, default: 3 },
  { name: "deep", type: "boolean", required: false, default: false },
  { name: "speed", type: "choice", required: false, choices: ["slow", "fast"] },
];

test("parameters are asked for by their type, with defaults, and sent only where they differ", async () => {
  const form = await draw(<ParamsForm params={params} typed={{}} change={() => undefined} />);
  expect(wordsOf(form)).toBe(
    "place Where to look count (optional) deep (optional) true false speed (optional) Not given slow fast",
  );
  expect(form).toContain('value="3"');
  expect(whyNot(params, {})).toBe("Fill in place");
  expect(whyNot(params, { place: "src", count: "many" })).toBe("count is a number");
  expect(whyNot(params, { place: "src" })).toBeUndefined();
  expect(valuesOf(params, { place: "src" })).toEqual({ place: "src" });
  const all = { place: "src", count: "5", deep: "true", speed: "fast" };
  expect(valuesOf(params, all)).toEqual({ place: "src", count: 5, deep: true, speed: "fast" });
  expect(valuesOf(params, { place: "src", count: "3", deep: "false" })).toEqual({ place: "src" });
});

test("the instances of a workflow are the agents that were started with it", async () => {
  const one = (id: string, more: object) =>
    ({
      id,
      goal: "g",
      cost: { usd: 0.5, tokens: 1 },
      created_at: "2026-01-01T10:00:00.000Z",
      open_questions: 0,
      ...more,
    }) as Summary;
  const all = [
    one("loop", { workflow: "review", status: "completed", result: "# Done\n\nNothing to mend." }),
    one("page", { workflow: "review", status: "waiting_for_human", open_questions: 2 }),
    one("other", { workflow: "brief", status: "working" }),
  ];
  const words = wordsOf(await draw(<Instances name="review" all={all} />));
  expect(words).toContain("2 agents, 1 done");
  expect(words).toMatch(/Done loop .*\$0\.50 Done.* Waits for you page .*Waits for you: 2 questions/);
  expect(words).not.toContain("other");
  expect(wordsOf(await draw(<Instances name="new" all={all} />))).toContain("It has not been run yet.");
});

test("the fields of a place are offered, but not those that are written there", async () => {
  const panel = await draw(<HelpPanel help={helpAt("agents:\n  coder:\n    role: x\n", 22)} write={() => undefined} />);
  expect(wordsOf(panel)).toMatch(/^In agents, coder \d+ fields/);
  expect(panel).toMatch(/<button type="button" disabled="" title="It is written there already"><code>role/);
  expect(panel).toContain('title="Write soul"');
});

test("a team that nobody leads is shown with its first message", async () => {
  const line = { name: "review", about: null, workers: [], nodes: [], stages: [], path: "review.yaml", led: false };
  const workflow = { ...line, kickoff: "@reviewer please look." } as unknown as WorkflowLine;
  const words = wordsOf(await draw(<WorkflowPreview workflow={workflow} />));
  expect(words).toContain("@reviewer please look.");
  expect(words).toContain("Nobody leads it and it defines no nodes: they talk in the channel.");
});
