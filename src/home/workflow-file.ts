/**
 * A workflow file becomes a team. Everything that can be wrong with it is said before anything starts, with the line and the column.
 * Not here: which files there are (workflows.ts), how a team enters a run (core/run/workflow.ts).
 */
import { resolve } from "node:path";
import { z } from "zod";
import { assertUsable } from "../core/board/usable-check.ts";
import { type Flaw, flawIn } from "../core/run/workflow.ts";
import { BudgetLimit } from "../schema/budget.ts";
import { PolicyRule } from "../schema/policy-rule.ts";
import { Problem } from "../schema/problem.ts";
import { Team, WorkflowName } from "../schema/workflow.ts";
import {
  Workflow,
  workflowAgent,
  workflowParam,
  workflowStep,
  workflowTrigger,
  workflowWhen,
  workflowWorker,
} from "../schema/workflow-file.ts";
import { type Param, paramFlaw, paramsOf, sampleOf, valuesOf } from "./workflow-params.ts";
import { type People, stepOf, teamOf } from "./workflow-team.ts";
import { checkExpressions, type Declared, fillIn, looksSecret, type Values } from "./workflow-values.ts";
import { readYaml, together, type Written } from "./yaml.ts";

/** A workflow with all that it needs. */
export interface Ready {
  team: Team;
  /** What a new agent is to achieve, unless it is told. */
  goal: string;
  model?: string | undefined;
  budget: BudgetLimit;
  /** The folder that its agent works on and that its context is bound to. */
  folder?: string | undefined;
}

export interface Usable extends Ready {
  name: string;
  about?: string | undefined;
  params: Param[];
  /** It uses `source.commit`. */
  usesCommit: boolean;
  /** With these values. What is in it otherwise is filled with defaults and samples. Throws `invalid`: a parameter is missing, unknown or wrong. */
  start(given: WorkflowInput): Ready;
}

export interface WorkflowInput {
  params?: Readonly<Record<string, unknown>> | undefined;
  /** Of which only what the file lists is looked at. */
  env?: Values["env"] | undefined;
  tag?: string | undefined;
  /** Where the file comes from. */
  source?: Values["source"] | undefined;
}

export const usualTag = "main";

/** `fallback` is its name if the file says none. Throws `invalid`, with the place. */
export function parseWorkflow(text: string, path: string, fallback: string): Usable {
  const file = readYaml(text, path, { noun: "field of a workflow", keys: keysAt });
  const { value, check, wrongWithin } = file;
  if (typeof value !== "object" || value === null || Array.isArray(value)) check(Workflow, value);
  const declared = check<Declared & { name?: string }>(
    z.looseObject({ ...pick(Workflow.shape, "name", "params", "env", "setup") }),
    value,
  );
  const name = declared.name ?? fallback;
  if (!WorkflowName.safeParse(name).success)
    throw new Problem(
      "invalid",
      `${path}: the name of the file may contain only lower-case letters, digits, - and _; or give the workflow a name: in the file`,
    );
  const params = paramsOf(declared);
  checkDeclared(declared, params, file);
  const flaws = checkExpressions(value, declared, (...place) => {
    // A field that is misspelt is named as such, whatever stands in it.
    check(z.strictObject(anything), value);
    return wrongWithin(...place);
  });
  if (flaws.length) throw together(flaws);
  const sample = build(file, name, {
    params: Object.fromEntries(params.map((param) => [param.name, sampleOf(param)])),
    env: Object.fromEntries((declared.env ?? []).map((variable) => [variable, variable])),
    workflow: { name, tag: usualTag },
    source: { folder: "/folder", commit: "0".repeat(40) },
  });
  return {
    ...sample,
    name,
    params,
    usesCommit: text.includes("source.commit"),
    start({ params: given = {}, env = {}, tag = usualTag, source = {} }) {
      const values = { params: valuesOf(params, given), env: allowed(declared, env), workflow: { name, tag }, source };
      const { team, ...ready } = build(file, name, values);
      return {
        ...ready,
        team: { ...team, ...(tag === usualTag ? {} : { tag }), ...(params.length ? { params: values.params } : {}) },
      };
    },
  };
}

const anything = Object.fromEntries(Object.keys(Workflow.shape).map((field) => [field, z.unknown().optional()]));

const allowed = ({ env: names = [] }: Declared, env: Values["env"]): Values["env"] =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

function pick<T extends object, K extends keyof T>(from: T, ...keys: K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

function checkDeclared({ env = [], setup = [] }: Declared, params: readonly Param[], { wrong }: Written): void {
  for (const param of params) {
    const flaw = paramFlaw(param, params);
    if (flaw) throw wrong(["params", param.name, ...(flaw.field ? [flaw.field] : [])], flaw.what);
  }
  for (const [at, name] of env.entries())
    if (looksSecret(name)) throw wrong(["env", at], `${name} looks like a key; keys do not belong into a workflow`);
  for (const [at, { as }] of setup.entries())
    if (as !== undefined && setup.findIndex((step) => step.as === as) < at)
      throw wrong(["setup", at, "as"], `${as} is the name of an earlier step`);
}

/** The file with these values. */
function build(
  { value, check, wrong, wrongWithin }: Written,
  name: string,
  values: Values,
): Ready & { about?: string } {
  const hasSetup = Array.isArray((value as { setup?: unknown }).setup);
  const workflow = check<Workflow>(Workflow, fillIn(value, values, hasSetup, wrongWithin));
  const { agents, workers } = workflow;
  if (agents && workers)
    throw wrong(["workers"], "give agents (nobody leads) or workers (with a coordinator), not both");
  if (!agents && !workers) throw wrong(["agents"], "is required: who works in it");
  const people: People = agents ? "agents" : "workers";
  for (const [called, given] of Object.entries(workers ?? {}))
    if (typeof given === "object" && given.role === undefined && given.prompt === undefined && !given.ref)
      throw wrong(["workers", called, "role"], "is required: what it is for");
  for (const [at, trigger] of (workflow.triggers ?? []).entries())
    if (workflowWhen.filter((when) => trigger[when as keyof typeof trigger] !== undefined).length !== 1)
      throw wrong(["triggers", at], `must have exactly one of ${workflowWhen.join(", ")}`);
  const setup = (workflow.setup ?? []).map((step, at) =>
    stepOf(step, values, (from, what) => {
      throw wrongWithin(["setup", at, "shell"], from, what);
    }),
  );
  const team = check<Team>(Team, { ...teamOf(name, workflow, people), ...(setup.length ? { setup } : {}) });
  const flaw = flawIn(team) ?? unusableCheck(team);
  if (flaw) throw wrong(placeOf(flaw, people), flaw.message);
  const { about, context, goal = about ?? `Run the workflow ${name}`, model, budget = {} } = workflow;
  const folder = typeof context === "object" ? resolve(values.source.folder ?? "/", context.folder) : undefined;
  return {
    team: folder === undefined ? team : { ...team, context: "kept" },
    goal,
    budget,
    ...(about ? { about } : {}),
    ...(model ? { model } : {}),
    ...(folder === undefined ? {} : { folder }),
  };
}

/** Where the file says what the team has there. */
function placeOf({ path: [part, ...rest] }: Flaw, people: People): PropertyKey[] {
  return [part === "workers" ? people : part === "lead" ? "coordinator" : part!, ...rest];
}

/** The first check that cannot be done, whatever is published. */
function unusableCheck({ nodes }: Team): Flaw | undefined {
  for (const [at, { checks }] of nodes.entries())
    for (const [nth, check] of (checks ?? []).entries())
      try {
        assertUsable(check);
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        return { path: ["nodes", at, "checks", nth], message: problem.message };
      }
  return undefined;
}

/** The fields that this part of the file may have. */
function keysAt([part, one, deeper]: readonly PropertyKey[]): string[] | undefined {
  if (part === undefined) return Object.keys(Workflow.shape);
  if (part === "budget" || deeper === "budget") return Object.keys(BudgetLimit.shape);
  if (part === "params") return Object.keys(workflowParam.shape);
  if (part === "setup") return Object.keys(workflowStep.shape);
  if (part === "triggers") return Object.keys(workflowTrigger.shape);
  if (part === "policy") return Object.keys(PolicyRule.shape);
  if (part === "context") return ["folder"];
  if (part === "documents") return ["owner", "text"];
  if (deeper === "soul" || (part === "coordinator" && one === "soul"))
    return ["role", "expertise", "style", "principles"];
  if (part === "coordinator") return ["model", "prompt", "soul"];
  if (deeper !== undefined) return undefined;
  if (part === "agents") return Object.keys(workflowAgent.shape);
  if (part === "workers") return Object.keys(workflowWorker.shape);
  if (part === "nodes") return Object.keys(Team.shape.nodes.unwrap().element.shape);
  return part === "stages" ? Object.keys(Team.shape.stages.unwrap().element.shape) : undefined;
}
