/**
 * Looks at this machine and home the way the runtime will: the same config, the same keys, a real write, a real sandbox. Where a daemon serves
 * the home it is the one that looks, because it is the one that works; it is handed what is set here first.
 */

import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { OfferedProgram } from "../../api/models.ts";
import { BackendError } from "../../backend/backend.ts";
import { type Backends, createBackends } from "../../backend/backends.ts";
import { missingVariable } from "../../channel/channels.ts";
import { examine, type Finding, report } from "../../cli/view/doctor.ts";
import { createClient } from "../../client/index.ts";
import { commandRef } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { sandboxUser } from "../../lib/machine/sandbox-user.ts";
import { money } from "../../lib/text/amounts.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import type { Config } from "../../schema/config.ts";
import { Problem } from "../../schema/problem.ts";
import { findDaemon, type RunningDaemon } from "../daemon/find.ts";
import { handOver } from "../daemon/hand-over.ts";
import { refusalOf, wasDiscovered } from "../home/environment.ts";
import { readSettings } from "../home/settings.ts";
import { trustCommand } from "../home/trust.ts";
import { loadTools } from "../house/own-tools.ts";
import { createPrograms, type Programs } from "../programs/found.ts";
import { exit } from "./exit.ts";
import { allSkills } from "./skills.ts";
import { openTerminal } from "./terminal.ts";

const leastFree = 1e9;
/** Some programs take seconds to print their version. */
const programPatienceMs = 15_000;

export async function doctor(home: string, call: boolean, json: boolean): Promise<number> {
  const daemon = await findDaemon(home);
  const findings = daemon ? await askedOf(home, daemon, call) : await lookedAtHere(home, call);
  const terminal = openTerminal();
  // In a pipe each finding stays on its line, so that grep finds it whole.
  const columns = terminal.live ? terminal.width() : Number.POSITIVE_INFINITY;
  if (json) process.stdout.write(`${visibleJson(findings)}\n`);
  else terminal.say(report(findings, { colors: terminal.colors, columns }));
  return findings.some(({ state }) => state === "wrong") ? exit.problem : exit.done;
}

async function askedOf(home: string, daemon: RunningDaemon, call: boolean): Promise<Finding[]> {
  const notes: string[] = [];
  await handOver(home, daemon, (line) => notes.push(line));
  const client = createClient({ url: daemon.url, token: daemon.token });
  const { findings } = await client.doctor({ query: { call: call ? "true" : "false" } });
  const found = [`running at ${daemon.url} (pid ${daemon.pid}); the rest shows its environment`, ...notes].join("; ");
  return [{ what: "daemon", state: "fine", found }, ...findings];
}

async function lookedAtHere(home: string, call: boolean): Promise<Finding[]> {
  const { path, config, left } = await readSettings(home);
  const closed = refusalOf(home)?.message;
  const backends = createBackends({
    config,
    env: process.env,
    clock: machine.clock,
    fetch: (url, init) => fetch(url, init),
    ...(closed ? { closed } : {}),
  });
  const own = wasDiscovered(home) ? [] : (await loadTools(home, (await import("../../tool/index.ts")).tools)).wrong;
  const programs = createPrograms({
    home,
    env: process.env,
    config: () => config,
    ...(closed ? { closed: true } : {}),
  });
  const house = { backends, env: process.env, toolFaults: () => own, programs };
  return await findingsOf(home, { path, config, left }, house, call);
}

interface Looked {
  path: string | null;
  config: Config;
  /** What the config says and was not taken, because nobody named this home. */
  left?: readonly string[];
}

/** What is looked at besides the config. */
interface Examined {
  backends: Backends;
  env: Readonly<Record<string, string | undefined>>;
  toolFaults(): Problem[];
  programs: Programs;
  /** Of a house that is open: what was edited since and does not count. */
  edits?(): { problem: Problem | undefined; restart: string[] };
}

/** The same for a terminal and for the page. `call`: the chosen model is asked, which costs a little. */
export async function findingsOf(home: string, looked: Looked, house: Examined, call = false): Promise<Finding[]> {
  const { config } = looked;
  return await examine({
    node: async () => [{ what: "Node", state: "fine", found: process.version }],
    home: () => lookAtHome(home),
    config: async () => lookAtConfig(home, looked, house),
    sandbox: () => lookAtSandbox(config.sandbox.bash),
    models: () => lookAtModels(house.backends, call, refusalOf(home) !== undefined),
    programs: async () => lookAtPrograms(await house.programs.look(programPatienceMs)),
    search: async () => [lookAtSearch(config.web.search)],
    tools: async () => house.toolFaults().map(({ message }) => leftOut(message)),
    skills: () => lookAtSkills(home),
    channels: async () => lookAtChannels(config.channels, house.env),
  });
}

function lookAtConfig(home: string, { path, left = [] }: Looked, { edits }: Examined): Finding[] {
  const what = "config";
  const { problem, restart = [] } = edits?.() ?? {};
  if (problem)
    return [{ what, state: "wrong", found: problem.message, remedy: "fix it; until then the previous settings apply" }];
  if (left.length) {
    const found = `${path}; ignored because this home was found automatically: ${left.join(", ")}`;
    return [{ what, state: "note", found, remedy: `to trust it: --home ${home}` }];
  }
  if (restart.length) {
    const found = `${path}; edited since the daemon started, and not in effect yet: ${restart.join(", ")}`;
    return [
      { what, state: "note", found, remedy: `${commandRef("down")}; the next command starts the daemon with it` },
    ];
  }
  return [{ what, state: "fine", found: path ?? `none (${join(home, "config.yaml")}); using defaults` }];
}

const leftOut = (found: string): Finding => ({
  what: "own tool",
  state: "wrong",
  found,
  remedy: `fix it, then run ${commandRef("down")}: tools are loaded when the daemon starts`,
});

async function lookAtHome(home: string): Promise<Finding[]> {
  const refusal = refusalOf(home);
  if (refusal)
    return [
      {
        what: "home",
        state: "note",
        found: `${home} is not trusted: its agents do not run and nothing in it is used`,
        remedy: `if you know who made it: ${trustCommand(home)}`,
      },
    ];
  const { files, clock } = machine;
  const probe = join(home, ".doctor");
  const began = clock.mono();
  try {
    await files.makeDir(home);
    await files.write(probe, "Can this be written?\n");
    await files.remove(probe);
  } catch (error) {
    const found = `${home} cannot be written: ${(error as Error).message}`;
    return [{ what: "home", state: "wrong", found, remedy: "choose another home with --home or AGIRAPH_HOME" }];
  }
  const took = clock.mono() - began;
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const found = `${home}, durable write in ${took.toFixed(0)} ms, ${(free / 1e9).toFixed(0)} GB free`;
  return [
    free < leastFree
      ? {
          what: "home",
          state: "wrong",
          found,
          remedy: "free some space: an agent stops when its log cannot be written",
        }
      : { what: "home", state: "fine", found },
  ];
}

async function lookAtModels(backends: Backends, call: boolean, isRefused: boolean): Promise<Finding[]> {
  const choice = await backends.choose();
  const findings: Finding[] = choice.found
    .filter(({ keyFrom }) => keyFrom)
    .map(({ provider, keyFrom, baseUrl }) => ({
      what: provider,
      state: "fine",
      found: `key from ${keyFrom}, asked at ${baseUrl}`,
    }));
  if (choice.ollama)
    findings.push({ what: "ollama", state: "fine", found: choice.ollama.join(", ") || "works, without a model" });
  if (isRefused) return [...findings, { what: "model", state: "note", found: "an untrusted home sends nothing" }];
  if (!choice.model) {
    const remedy = `set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, start Ollama, or install an agent program; ${commandRef("demo")} works without`;
    return [...findings, { what: "model", state: "wrong", found: choice.why, remedy }];
  }
  const chosen = `${choice.model} (${choice.why})`;
  if (!call)
    return [...findings, { what: "model", state: "fine", found: `${chosen}; not tested, use --call to test it` }];
  try {
    const said = await askOnce(backends, choice.model);
    return [...findings, { what: "model", state: "fine", found: `${chosen} answered: ${said}` }];
  } catch (error) {
    if (!(error instanceof BackendError) && !(error instanceof Problem)) throw error;
    return [
      ...findings,
      {
        what: "model",
        state: "wrong",
        found: error.message,
        remedy: "see the message; check key, model name and quota",
      },
    ];
  }
}

/** Nobody needs one: what is not installed is one line. */
function lookAtPrograms(all: readonly OfferedProgram[]): Finding[] {
  const findings = all
    .filter(({ state }) => state !== "missing")
    .map(({ title, name, state, tested, about, remedy }): Finding => {
      const found = `${about}; as a model: ${name}`;
      if (state === "ready") return { what: title, state: tested ? "fine" : "note", found };
      return { what: title, state: "note", found: about, ...(remedy ? { remedy } : {}) };
    });
  const missing = all.filter(({ state }) => state === "missing");
  if (missing.length)
    findings.push({
      what: "agent programs",
      state: "fine",
      found: `${findings.length ? "also" : "none is installed;"} supported: ${missing.map(({ title, command }) => `${title} (${command})`).join(", ")}`,
    });
  return findings;
}

async function askOnce(backends: Backends, model: string): Promise<string> {
  const request = {
    model,
    participant: "doctor",
    turns: 1,
    system: "Answer with one word.",
    lines: [
      { role: "inbox" as const, entries: [{ seq: 1, from: "human", kind: "message" as const, text: "Say ready." }] },
    ],
    tools: [],
  };
  let said = "";
  for await (const part of backends.backend(model).call(request, AbortSignal.timeout(60_000)))
    if (part.type === "text") said += part.text;
    else if (part.type === "end") said += ` (${money(part.cost.usd)}, ${part.cost.tokens} tokens)`;
  return said.trim();
}

async function lookAtSandbox(choice: "required" | "off"): Promise<Finding[]> {
  const what = "sandbox";
  if (choice === "off")
    return [
      {
        what,
        state: "note",
        found: `turned off: every command needs your approval${sandboxUser() ? ", and runs as root" : ""}`,
        remedy: "sandbox.bash: required in config.yaml",
      },
    ];
  const why = await machine.processes.sandbox();
  if (why) return [{ what, state: "wrong", found: "the bash tool is disabled", remedy: why }];
  const user = sandboxUser();
  if (!user) return [{ what, state: "fine", found: "starts" }];
  const found = `works; you are root, so commands run as nobody (user ${user.uid})`;
  return [{ what, state: "note", found, remedy: "run Agiraph as its own user: everything else in it runs as root" }];
}

function lookAtSearch(search: { engine: string } | undefined): Finding {
  return search
    ? { what: "web search", state: "fine", found: search.engine }
    : {
        what: "web search",
        state: "note",
        found: "no search provider",
        remedy: "set web.search in config.yaml: brave, serper, tavily or searxng; models with built-in search use that",
      };
}

/** Nothing if there are none: most homes have none. */
async function lookAtSkills(home: string): Promise<Finding[]> {
  const all = await allSkills(home);
  if (all.length && wasDiscovered(home)) {
    const found = `${[...new Set(all.map(({ name }) => name))].join(", ")}: ignored because this home was found automatically`;
    return [{ what: "skills", state: "note", found, remedy: `to trust them: --home ${home}` }];
  }
  const used = all.filter(({ state }) => state === "accepted" || state === "own").map(({ name }) => name);
  const findings: Finding[] = used.length ? [{ what: "skills", state: "fine", found: used.join(", ") }] : [];
  for (const known of all) {
    const { name, agent } = known;
    const what = `skill ${name}`;
    const whose = agent ? ` --agent ${agent}` : "";
    if (known.state === "broken")
      findings.push({ what, state: "note", found: `ignored: ${known.why}`, remedy: "fix it or remove it" });
    if (known.state === "changed") {
      const remedy = commandRef(`skill accept ${name}${whose}`);
      findings.push({ what, state: "note", found: "changed since it was accepted; ignored", remedy });
    }
  }
  return findings;
}

/** Nothing is sent to find out. */
function lookAtChannels(channels: Config["channels"], env: Examined["env"]): Finding[] {
  return Object.entries(channels).map(([name, config]) => {
    const what = `channel ${name}`;
    const missing = missingVariable(config, env);
    return missing
      ? { what, state: "wrong", found: `${config.kind}; ${missing} is not set`, remedy: `export ${missing}=…` }
      : { what, state: "fine", found: `${config.kind}, for ${config.for.join(", ")}` };
  });
}
