/** What a workflow file says, as the parts of a team. */
import { slug } from "../core/team/names.ts";
import { secondsOf } from "../lib/time/duration.ts";
import type { SetupStep } from "../schema/setup-step.ts";
import type { Workflow } from "../schema/workflow-file.ts";
import { expressionsIn } from "./expressions.ts";
import { compileShell } from "./shell-variables.ts";
import { knownValue, nameOf, noValue, type Values } from "./workflow-values.ts";

/** Where the file has its people. */
export type People = "agents" | "workers";

export function teamOf(name: string, workflow: Workflow, people: People): object {
  const { coordinator, kickoff, nodes, stages, documents } = workflow;
  const isLed = coordinator === undefined ? people === "workers" : coordinator !== false;
  const { model, prompt, soul } = typeof coordinator === "object" ? coordinator : {};
  return {
    workflow: name,
    workers: Object.entries(workflow[people] ?? {}).map(([called, given]) => ({ name: called, ...memberOf(given) })),
    nodes: nodes.map((node) => ({ ...node, id: node.id ?? slug(node.title) })),
    stages,
    ...(isLed ? {} : { lead: false }),
    ...(model || prompt || soul
      ? {
          coordinator: {
            model,
            ...(prompt ? { prompt: textOf(prompt) } : {}),
            ...(soul ? { soul: soulText(soul) } : {}),
          },
        }
      : {}),
    ...(kickoff === undefined ? {} : { kickoff }),
    ...triggersOf(workflow, people),
    ...(workflow.policy === undefined ? {} : { policy: workflow.policy }),
    ...(documents === undefined
      ? {}
      : {
          documents: Object.entries(documents).map(([file, given]) => ({
            name: file,
            ...(typeof given === "string" ? { text: given } : given),
          })),
        }),
  };
}

/** Those of the file, and those of its people. */
function triggersOf(workflow: Workflow, people: People): { triggers?: object[] } {
  const own = Object.entries(workflow[people] ?? {}).flatMap(([to, given]) => {
    if (typeof given === "string") return [];
    const at = given.schedule ?? given.wakeup;
    const text = given.wakeup_prompt ?? "It is time: look at what is new and do what your role asks of you.";
    return at === undefined ? [] : [{ schedule: wakeupOf(at), to, text }];
  });
  const triggers = [
    ...(workflow.triggers ?? []).map(({ to, text, ...when }) => ({
      schedule: scheduleOf(when),
      text,
      ...(to === undefined ? {} : { to }),
    })),
    ...own,
  ];
  return triggers.length ? { triggers } : {};
}

const wakeupOf = (at: string | number): object =>
  secondsOf(at) === undefined
    ? { type: "scheduled", cron: String(at) }
    : { type: "on_idle", idle_seconds: secondsOf(at)! };

function scheduleOf({ cron, zone, every, after, idle, on, filter }: When): object {
  if (cron !== undefined) return { type: "scheduled", cron, ...(zone === undefined ? {} : { zone }) };
  if (every !== undefined) return { type: "heartbeat", interval_seconds: secondsOf(every) };
  if (after !== undefined) return { type: "delayed", delay_seconds: secondsOf(after) };
  if (idle !== undefined) return { type: "on_idle", idle_seconds: secondsOf(idle) };
  return { type: "on_event", pattern: on, ...(filter === undefined ? {} : { filter }) };
}
type When = Omit<NonNullable<Workflow["triggers"]>[number], "to" | "text">;

type Member = NonNullable<Workflow["agents"]>[string];

function memberOf(given: Member): object {
  if (typeof given === "string") return { role: given };
  const {
    role,
    prompt,
    system_prompt,
    soul,
    agent_command,
    schedule: _s,
    wakeup: _w,
    wakeup_prompt: _p,
    ...rest
  } = given;
  const told = [role, prompt && textOf(prompt), system_prompt].filter(Boolean);
  return {
    ...rest,
    role: told.join("\n\n"),
    ...(agent_command === undefined ? {} : { model: `command:${agent_command}` }),
    ...(soul === undefined ? {} : { soul: soulText(soul) }),
  };
}

type Prompt = string | { system: string } | { append: string };

const textOf = (prompt: Prompt): string =>
  typeof prompt === "string" ? prompt : "append" in prompt ? prompt.append : prompt.system;

function soulText(soul: NonNullable<Exclude<Member, string>["soul"]>): string {
  if (typeof soul === "string") return soul;
  const { role, expertise = [], style, principles = [] } = soul;
  return [
    ...(role ? [role] : []),
    ...(expertise.length ? [`What you know well: ${expertise.join(", ")}.`] : []),
    ...(style ? [`How you speak: ${style}`] : []),
    ...(principles.length ? ["What you hold to:", ...principles.map((one) => `- ${one}`)] : []),
  ].join("\n");
}

/** Values reach the command as environment variables. */
export function stepOf(
  { shell: written, as, timeout }: NonNullable<Workflow["setup"]>[number],
  values: Values,
  refuse: (at: number, what: string) => never,
): SetupStep {
  const found = expressionsIn(written, refuse);
  const { shell, variables } = compileShell(written, found, refuse);
  const env: Record<string, string> = {};
  const outputs: Record<string, string> = {};
  for (const [variable, of] of variables) {
    const name = nameOf(of);
    if (name.namespace === "setup") outputs[variable] = name.key;
    else
      env[variable] = String(
        knownValue(name, values) ?? refuse(found.find((one) => one.name === of)!.from, noValue(of)),
      );
  }
  return {
    shell,
    ...(as === undefined ? {} : { as }),
    ...(timeout === undefined ? {} : { timeout_seconds: secondsOf(timeout)! }),
    ...(Object.keys(env).length ? { env } : {}),
    ...(Object.keys(outputs).length ? { outputs } : {}),
  };
}
