/**
 * A run as a workflow file: the team and the work graph that emerged in it, so that both can be run again. What was specific becomes a parameter: the
 * goal, and the parameters that the run had; wherever their values stand in a text, the parameter stands there instead.
 *
 * Left out: sub-nodes and sub-workers (their node brings them again), nodes that failed or were cancelled, reruns, and the resolution of conflicts. What a
 * file cannot say of the run stands in a comment at its top: the folder that was given to it, that it was started to stay, triggers at a fixed time.
 */
import { stringify } from "yaml";
import { lead } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { slug } from "../core/team/names.ts";
import { isWorker } from "../core/team/worker.ts";
import { commandRef } from "../lib/command-line.ts";
import { shortLine } from "../lib/text/text.ts";
import type { Node } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import type { Schedule } from "../schema/schedule.ts";
import type { SetupStep } from "../schema/setup-step.ts";
import type { Stage } from "../schema/stage.ts";
import type { Worker } from "../schema/worker.ts";
import type { ParamValue, Team } from "../schema/workflow.ts";
import { escapeMarks } from "./expressions.ts";

/** `state` is as the run was at its end, or is now. */
export function freezeRun(state: State, name: string): string {
  const { agent, run } = state;
  if (!agent || !run) throw new Problem("wrong_state", "there is no run that could be written down");
  const team = run.team;
  const own = team?.params && Object.hasOwn(team.params, "goal") ? "run_goal" : "goal";
  const params: Record<string, ParamValue> = { ...team?.params, [own]: run.goal };
  const general = generalize(params, team);
  const nodes = lastingNodes(state);
  const people = workersIn(state, nodes);
  if (!people.length)
    throw new Problem("wrong_state", `${run.id} of ${agent.id} had no workers: there is no team to write down`);
  const ids = planIds(nodes);
  const stages = stagesOf(state, nodes);
  const isLed = lead(state) !== undefined;
  const file = {
    name,
    about: `Made from ${run.id} of ${agent.id}`,
    params: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, paramOf(key === own, value)])),
    ...environmentOf(team),
    goal: `\${{ params.${own} }}`,
    model: agent.model,
    ...budgetOf(state),
    ...(team?.context === "kept" && agent.folder ? { context: { folder: agent.folder } } : {}),
    [isLed ? "workers" : "agents"]: Object.fromEntries(people.map((one) => [one.name, memberOf(one, state, general)])),
    ...(isLed && team?.coordinator
      ? { coordinator: { ...team.coordinator, ...promptOf(team.coordinator, general) } }
      : {}),
    ...(team?.setup?.length ? { setup: team.setup.map((step) => stepOf(step, params)) } : {}),
    ...(team?.documents?.length
      ? {
          documents: Object.fromEntries(
            team.documents.map(({ name: called, text, ...one }) => [called, { ...one, text: general(text, "marked") }]),
          ),
        }
      : {}),
    ...(team?.triggers?.length ? { triggers: team.triggers.flatMap((one) => triggerOf(one, general)) } : {}),
    ...(team?.policy?.length ? { policy: team.policy } : {}),
    ...(team?.kickoff ? { kickoff: general(team.kickoff) } : {}),
    ...(stages.length
      ? {
          stages: stages.map(({ name: called, contract: { policy } }) => ({
            name: called,
            policy,
            ...limitsOf(team?.stages.find((one) => one.name === called)),
          })),
        }
      : {}),
    ...(nodes.length ? { nodes: nodes.map((node) => nodeOf(node, state, ids, stages, general)) } : {}),
  };
  return commentOn(state) + stringify(file, { lineWidth: 0, blockQuote: "literal" });
}

/** What the file does not say. */
function commentOn({ agent, run }: State): string {
  const team = run?.team;
  const lines = [
    ...(agent?.folder && team?.context !== "kept"
      ? [`It worked on ${shortLine(agent.folder, 1_000)}: give it a folder with --folder.`]
      : []),
    ...(team?.on_idle === "stay"
      ? [`It stayed when everybody was idle: start it with ${commandRef("workflow start FILE")}.`]
      : []),
    ...(team?.triggers ?? []).flatMap(({ schedule, to, text }) =>
      schedule.type === "at_time"
        ? [`Left out, a trigger at ${schedule.at}${to === undefined ? "" : ` for ${to}`}: ${shortLine(text, 200)}`]
        : [],
    ),
  ];
  return lines.map((line) => `# ${line}\n`).join("");
}

const limitsOf = ({ max_turns, timeout_seconds }: { max_turns?: number; timeout_seconds?: number } = {}) => ({
  ...(max_turns === undefined ? {} : { max_turns }),
  ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
});

const paramOf = (isGoal: boolean, value: ParamValue) => {
  const written = typeof value === "string" ? escapeMarks(value) : value;
  return isGoal ? { about: "What is to be achieved", default: written } : written;
};

/** As the file writes it (workflow-team.ts); one at a fixed time would not come again. */
function triggerOf({ schedule, to, text }: NonNullable<Team["triggers"]>[number], general: General): object[] {
  const when = whenOf(schedule);
  return when ? [{ ...when, ...(to === undefined ? {} : { to }), text: general(text) }] : [];
}

function whenOf(schedule: Schedule): object | undefined {
  switch (schedule.type) {
    case "scheduled":
      return { cron: schedule.cron, ...(schedule.zone === undefined ? {} : { zone: schedule.zone }) };
    case "heartbeat":
      return { every: `${schedule.interval_seconds}s` };
    case "delayed":
      return { after: `${schedule.delay_seconds}s` };
    case "on_idle":
      return { idle: `${schedule.idle_seconds}s` };
    case "on_event":
      return { on: schedule.pattern, ...(schedule.filter === undefined ? {} : { filter: schedule.filter }) };
    case "at_time":
      return undefined;
  }
}

/** `marked`: expressions in the text are meant as such; otherwise they are characters. */
type General = (text: string, expressions?: "marked") => string;

/** The same text for any values: the longest values first, none that is too short to be meant. */
function generalize(params: Record<string, ParamValue>, team: Team | undefined): General {
  const values = Object.entries(params)
    .flatMap(([key, value]) => (String(value).trim().length >= 4 ? [[key, String(value)] as const] : []))
    .sort(([, a], [, b]) => b.length - a.length);
  const outputs = new Set((team?.setup ?? []).flatMap(({ as }) => as ?? []));
  return (text, expressions) => {
    const kept: string[] = [];
    const keep = (expression: string): string => `\u0000${kept.push(expression) - 1}\u0000`;
    const output = (as: string) => (outputs.has(as) ? keep(`\${{ setup.${as} }}`) : undefined);
    let plain = withoutQuotes(text.replaceAll("\u0000", ""), output).replace(
      /\[data: ([\w-]{1,40})\]/g,
      (all, as: string) => output(as) ?? all,
    );
    if (expressions) plain = plain.replace(/\$?\$\{\{.*?\}\}/gs, keep);
    for (const [key, value] of values) plain = plain.replaceAll(value, () => keep(`\${{ params.${key} }}`));
    return (expressions ? plain : escapeMarks(plain)).replace(/\0(\d+)\0/g, (_, at: string) => kept[Number(at)]!);
  };
}

/** What the setup printed, as it was put into a text (runtime/setup/fill.ts). */
const opening = /<outside_data id="([0-9a-f]{1,64})" from="the setup step ([\w-]{1,40})">/;

function withoutQuotes(text: string, replace: (as: string) => string | undefined): string {
  let [made, rest] = ["", text];
  for (let found = opening.exec(rest); found; found = opening.exec(rest)) {
    const [mark, id, as = ""] = found;
    const end = `</outside_data id="${id}">`;
    const at = rest.indexOf(end, found.index);
    const instead = at < 0 ? undefined : replace(as);
    const to = instead === undefined ? found.index + mark.length : at + end.length;
    made += rest.slice(0, found.index) + (instead ?? mark);
    rest = rest.slice(to);
  }
  return made + rest;
}

/** What came of the run: its own nodes that were completed; those that still live, if none was. */
function lastingNodes({ nodes }: State): Node[] {
  const own = [...nodes.values()].filter(({ parent, again, resolves }) => !parent && !again && !resolves);
  const done = own.filter(({ status }) => status === "completed");
  return done.length ? done : own.filter(({ status }) => status !== "failed" && status !== "cancelled");
}

/** Who did something, or is still there. */
function workersIn({ participants }: State, nodes: readonly Node[]): Worker[] {
  const did = new Set(nodes.flatMap((node) => ("worker" in node && node.worker) || []));
  return [...participants.values()].filter(
    (one): one is Worker => isWorker(one) && !one.spawner && (did.has(one.id) || !one.retired),
  );
}

function memberOf(
  { id, role, model, tools, max_turns, memory, soul, single_inference, ref }: Worker,
  state: State,
  general: General,
) {
  const budget = state.accounts.get(`worker:${id}`)?.limit;
  const more = {
    ...(model ? { model } : {}),
    ...(tools ? { tools } : {}),
    ...(max_turns ? { max_turns } : {}),
    ...(memory ? { memory: general(memory) } : {}),
    ...(soul ? { soul } : {}),
    ...(single_inference ? { single_inference } : {}),
    ...(ref ? { ref } : {}),
    ...(budget && Object.keys(budget).length ? { budget } : {}),
  };
  const told = general(role) || (ref ? "" : "works");
  return Object.keys(more).length ? { ...(told ? { role: told } : {}), ...more } : told;
}

const promptOf = ({ prompt }: NonNullable<Team["coordinator"]>, general: General) =>
  prompt ? { prompt: general(prompt) } : {};

/** Readable, and each once. */
function planIds(nodes: readonly Node[]): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { id, planned, name } of nodes) {
    const base = planned ?? slug(name);
    let free = base;
    for (let nth = 2; [...ids.values()].includes(free); nth++) free = `${base.slice(0, 36)}-${nth}`;
    ids.set(id, free);
  }
  return ids;
}

function nodeOf(
  node: Node,
  { participants, run }: State,
  ids: ReadonlyMap<string, string>,
  stages: readonly Stage[],
  general: General,
) {
  const { id, name, task, acceptance, checks, if_unverified, refs, depends_on, model, workspace } = node;
  const worker = "worker" in node && node.worker ? participants.get(node.worker)?.name : undefined;
  const known = depends_on.flatMap((need) => ids.get(need) ?? []);
  const shown = Object.entries(refs).flatMap(([called, ref]) => {
    const [of = "", ...path] = ref.split("/");
    const source = ids.get(of);
    return source ? [[called, [source, ...path].join("/")]] : [];
  });
  const named = shown.filter(([called, ref]) => called !== ref);
  const stage = stages.find((one) => one.id === node.stage)?.name;
  return {
    id: ids.get(id),
    title: name.slice(0, 100).trim() || id,
    ...(stage ? { stage } : {}),
    ...(worker ? { worker } : {}),
    ...(known.length ? { depends_on: known } : {}),
    ...(named.length ? { refs: Object.fromEntries(named) } : {}),
    spec: general(task),
    ...(acceptance ? { acceptance: general(acceptance) } : {}),
    ...(checks?.length ? { checks, ...(if_unverified ? { if_unverified } : {}) } : {}),
    ...(model ? { model } : {}),
    ...(workspace ? { workspace } : {}),
    // Those of a node that somebody else created may be the usual ones.
    ...limitsOf(run?.team?.nodes.find((one) => one.id === node.planned)),
  };
}

/** Only if every node belongs to one, in their order. */
function stagesOf({ stages }: State, nodes: readonly Node[]): Stage[] {
  const used = [...stages.values()].filter((stage) => nodes.some((node) => node.stage === stage.id));
  return nodes.some(({ stage }) => stage === undefined) ? [] : used;
}

/** As it was written: variables become expressions again. */
function stepOf({ shell, as, timeout_seconds, env = {}, outputs = {} }: SetupStep, params: Record<string, ParamValue>) {
  const names = new Map<string, string>();
  for (const [variable, of] of Object.entries(outputs)) names.set(variable, `setup.${of}`);
  for (const variable of Object.keys(env)) names.set(variable, expressionOf(variable, params));
  const written = escapeMarks(shell).replace(/\$\{([A-Z][A-Z0-9_]*)\}/g, (all, variable: string) =>
    names.has(variable) ? `\${{ ${names.get(variable)} }}` : all,
  );
  return { shell: written, ...(as ? { as } : {}), ...(timeout_seconds ? { timeout: timeout_seconds } : {}) };
}

function expressionOf(variable: string, params: Record<string, ParamValue>): string {
  const [space = "", ...rest] = variable.split("_");
  const key = Object.keys(params).find(
    (name) => `PARAMS_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}` === variable,
  );
  return key
    ? `params.${key}`
    : `${space.toLowerCase()}.${space === "ENV" ? rest.join("_") : rest.join("_").toLowerCase()}`;
}

/** The variables of the environment that its steps use. */
function environmentOf(team: Team | undefined): { env?: string[] } {
  const used = (team?.setup ?? []).flatMap(({ env = {} }) =>
    Object.keys(env).flatMap((variable) => (variable.startsWith("ENV_") ? [variable.slice(4)] : [])),
  );
  return used.length ? { env: [...new Set(used)] } : {};
}

function budgetOf({ accounts }: State): { budget?: object } {
  const limit = accounts.get("run")?.limit ?? accounts.get("agent")?.limit ?? {};
  return Object.keys(limit).length ? { budget: limit } : {};
}
