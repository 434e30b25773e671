/**
 * One setup step, in the sandbox: the agent's folder to read, a folder of the setup to write (which is also its HOME), and of the network what the
 * config allows to all commands. What it prints is its output; what it reports as errors is only shown if it fails.
 *
 * Values of parameters and outputs of earlier steps reach it as environment variables, never as a part of the command.
 */
import { join } from "node:path";
import { programTag } from "../../home/layout.ts";
import { expandHosts } from "../../lib/network/registries.ts";
import type { Redactor } from "../../lib/text/redact.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import { anySignal } from "../../lib/time/abort.ts";
import type { Exit, World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { SetupResult, SetupStep } from "../../schema/setup-step.ts";
import type { NetworkRules } from "../network/host-gate.ts";
import { cacheEnv } from "../workspace/caches.ts";

export interface StepOptions {
  world: World;
  home: string;
  agent: string;
  run: string;
  /** Where it may write; it is there. */
  root: string;
  /** The agent's folder and what belongs to it, to read; it works in the first. */
  projects: readonly string[];
  network: NetworkRules | undefined;
  /** False: without a sandbox, because a person allowed it. */
  sandboxed: boolean;
  redact: Redactor;
  signal: AbortSignal;
  /** The whole output of an earlier step. */
  output(as: string): Promise<string>;
  put(content: string): Promise<string>;
}

const usualSeconds = 120;
const mostOutput = 1_000_000;
/** What is in the event; the whole is a blob. */
const longestShown = 10_000;
/** The kernel takes no longer variable. */
const longestVariable = 100_000;

export async function runStep(step: SetupStep, number: number, options: StepOptions): Promise<SetupResult> {
  const { world, redact, put } = options;
  const since = world.clock.mono();
  const of = { step: number, ...(step.as === undefined ? {} : { as: step.as }), shell: step.shell };
  const { outcome, code, text } = await attempt(step, number, options);
  const output = redact.text(text.toWellFormed());
  const seconds = Math.max(0, Math.round(world.clock.mono() - since)) / 1000;
  const kept = output && step.as !== undefined && outcome === "passed" ? { resource: await put(output) } : {};
  const size = Buffer.byteLength(output);
  return { ...of, outcome, code, output: shortenMiddle(output, longestShown), size, ...kept, seconds };
}

interface Attempt {
  outcome: SetupResult["outcome"];
  code: number | null;
  text: string;
}

async function attempt(step: SetupStep, number: number, options: StepOptions): Promise<Attempt> {
  const { world, root, signal } = options;
  const errored = (text: string): Attempt => ({ outcome: "errored", code: null, text });
  const missing = options.sandboxed ? await world.processes.sandbox(hostsOf(options).length > 0) : null;
  if (missing) return errored(`it needs a sandbox, and ${missing}`);
  const values = await valuesFor(step, options);
  const long = Object.entries(values).find(([, value]) => value.length > longestVariable);
  if (long)
    return errored(
      `${long[0]} has ${long[1].length} characters, and an environment variable may have ${longestVariable}; let the step before write it to a file in $HOME`,
    );
  const seconds = step.timeout_seconds ?? usualSeconds;
  const late = new AbortController();
  const cancel = world.clock.after(seconds * 1000, () => late.abort());
  const stop = anySignal(signal, late.signal);
  const errors = `step-${number}.err`;
  try {
    await world.files.within(root).remove(errors);
    const exit = await start(step.shell, join(root, errors), values, stop.signal, options);
    signal.throwIfAborted();
    const told = await errorsIn(world, root, errors);
    const all = [exit.output.trimEnd(), told.trimEnd()].filter(Boolean).join("\n");
    if (late.signal.aborted) return { outcome: "late", code: null, text: `${all}\n[it took longer than ${seconds} s]` };
    if (exit.ended) return { outcome: "failed", code: exit.code, text: `${all}\n[ended by force: ${exit.ended}]` };
    if (exit.code !== 0) return { outcome: "failed", code: exit.code, text: all };
    if (exit.output.length > mostOutput)
      return errored(`it printed more than ${mostOutput} characters; let it write a file in $HOME, and print less`);
    return { outcome: "passed", code: 0, text: exit.output.trim() };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Problem) throw error;
    return errored(error instanceof Error ? error.message : String(error));
  } finally {
    cancel();
    stop.release();
  }
}

/** A link that a step left there is not followed. */
async function errorsIn({ files }: World, root: string, name: string): Promise<string> {
  const found = await files
    .within(root)
    .read(name, 10_000_000)
    .catch(() => null);
  return String(found ?? "").slice(-longestShown);
}

async function start(
  shell: string,
  errors: string,
  values: Record<string, string>,
  signal: AbortSignal,
  options: StepOptions,
): Promise<Exit> {
  const { world, home, agent, run, root, projects, sandboxed } = options;
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: root,
    TMPDIR: "/tmp",
    LANG: "C.UTF-8",
    ...cacheEnv(root),
    // The user's repository belongs to somebody else inside of the sandbox.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    ...values,
  };
  return await world.processes.run({
    command: ["bash", "--norc", "-c", 'exec bash --norc -c "$1" 2>"$2"', "bash", shell, errors],
    tag: `${programTag(home)}${agent}/${run}/setup`,
    folder: projects[0] ?? root,
    env,
    signal,
    output: mostOutput + 100,
    alone: true,
    ...(sandboxed ? { sandbox: { write: [root], read: [], projects, hosts: hostsOf(options) } } : {}),
  });
}

const hostsOf = ({ network }: StepOptions): string[] => expandHosts(network?.hosts ?? []);

async function valuesFor(
  { env = {}, outputs = {} }: SetupStep,
  { output }: StepOptions,
): Promise<Record<string, string>> {
  const values = { ...env };
  for (const [name, as] of Object.entries(outputs)) values[name] = await output(as);
  return values;
}
