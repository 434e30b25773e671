/**
 * A scenario on a real disk: a home of its own, the fake models and the fake web, and the program in processes that can be killed.
 * Nothing of this machine's own keys or config reaches it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { machine } from "../../src/lib/machine/index.ts";
import type { NewAgent } from "../../src/runtime/runtime.ts";
import type { CommandInput, Receipt } from "../../src/schema/command.ts";
import type { Event } from "../../src/schema/event.ts";
import { bin, mortal as mortalFile, person as personFile } from "../built.ts";
import { plainEnv } from "../program.ts";
import { type Example, example } from "./example.ts";
import { events, outcome } from "./log.ts";
import { type Cast, startTeam, type Team } from "./model.ts";
import { startWeb, type Web } from "./web.ts";

export const models = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-6.1-sol",
  google: "google/gemini-3.8-flash",
};

export type Match = (event: Event, before: readonly Event[]) => boolean;

export interface Stage {
  example: Example;
  agent: string;
  home: string;
  /** Of the user, if the agent was given one. */
  folder: string;
  /** What comes after `agiraph` at the start. */
  args: string[];
  team: Team;
  web: Web;
  /** The program with these arguments; killed when the first of the moments has come, and started again to go on. */
  live(moments?: Match[]): Promise<Ended>;
  program(...args: string[]): Program;
  /** The same, killed at a point (repository/program.ts), or if there is none writing down which it reaches. */
  mortal(point: string, ...args: string[]): Program;
  /** The same house without the terminal, for what a person does over the API. */
  person(): Promise<Person>;
  until(match: Match, who: { ended: Promise<unknown> }): Promise<Event>;
  events(): Event[];
  outcome(run?: string): ReturnType<typeof outcome>;
}

export interface Ended {
  code: number | null;
  signal?: string | null;
  out: string;
  err: string;
}

export interface Program {
  child: ChildProcess;
  ended: Promise<Ended>;
}

export interface Person {
  create(given: NewAgent): Promise<string>;
  send(command: CommandInput, key?: string): Promise<Receipt>;
  ended: Promise<unknown>;
  leave(): Promise<void>;
  kill(): Promise<void>;
}

const orphan = new URL("orphan.ts", import.meta.url).href;
/** Not in /tmp: programs in a sandbox have one of their own. */
const place = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();

export interface Setting {
  articles?: Record<string, string>;
  /** Over the example's config. */
  config?: Record<string, unknown>;
  cast(web: Web): Cast;
  /** Makes the folder that the agent is given. */
  folder?(path: string): Promise<unknown>;
}

/** A test that ran out of time leaves nothing running either. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Plays one scenario and tidies up after it. */
export async function onStage<T>(
  number: number,
  { articles, config, cast, folder: fill }: Setting,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const shown = example(number);
  const home = mkdtempSync(join(place, `agiraph-scenario-${number}-`));
  const folder = fill ? mkdtempSync(join(place, `agiraph-user-${number}-`)) : "";
  await fill?.(folder);
  const args = fill ? [...shown.args, "--folder", folder] : shown.args;
  const web = await startWeb(articles);
  const team = await startTeam(cast(web));
  // The providers' own search is not played here; ours stands in.
  const known: Record<string, object> = {
    ...Object.fromEntries(Object.values(models).map((name) => [name, {}])),
    ...(shown.config.models ?? {}),
  };
  const settings = {
    embeddings: "off",
    ...shown.config,
    models: Object.fromEntries(Object.entries(known).map(([name, about]) => [name, { ...about, search: false }])),
    web: { search: { engine: "searxng", base_url: web.url }, allow_private: [web.place] },
    taint: { known: [web.place] },
    ...config,
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(settings));
  const { HOME = "" } = process.env;
  const key = "sk-test-0123456789";
  const env = {
    ...plainEnv(),
    HOME,
    AGIRAPH_HOME: home,
    OLLAMA_HOST: "http://127.0.0.1:9",
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: team.url,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${team.url}/v1`,
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: team.url,
  };
  const left = new Set<ChildProcess>();

  function start(
    file: string,
    args: string[],
    stdin: "ignore" | "pipe",
    more: Record<string, string> = {},
  ): Program & { child: ChildProcess } {
    const alone = file === personFile ? [] : ["--alone"];
    const child = spawn(process.execPath, ["--import", orphan, file, ...alone, ...args], {
      env: { ...env, ...more },
      stdio: [stdin, "pipe", "pipe"],
    });
    left.add(child);
    running.add(child);
    const said = { out: "", err: "" };
    child.stdout!.on("data", (bytes) => (said.out += bytes));
    child.stderr!.on("data", (bytes) => (said.err += bytes));
    const ended = new Promise<Ended>((resolve) =>
      child.on("close", (code, signal) => {
        left.delete(child);
        running.delete(child);
        resolve({ code, signal, ...said });
      }),
    );
    return { child, ended };
  }

  const stage: Stage = {
    example: shown,
    agent: shown.name,
    home,
    folder,
    args,
    team,
    web,
    program: (...args) => start(bin, args, "ignore"),
    mortal: (point, ...args) => start(mortalFile, args, "ignore", { KILL_AT: point }),
    async live(moments = []) {
      let life = stage.program(...args);
      for (const moment of moments) {
        await stage.until(moment, life);
        life.child.kill("SIGKILL");
        await life.ended;
        life = stage.program("resume", shown.name);
      }
      return life.ended;
    },
    async person() {
      const { child, ended } = start(personFile, [home], "pipe");
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      /** One line each way. */
      async function ask(what: object): Promise<unknown> {
        child.stdin!.write(`${JSON.stringify(what)}\n`);
        const { value, done } = await lines.next();
        if (done) throw new Error(`the house is closed: ${JSON.stringify(await ended)}`);
        const { problem, answer } = JSON.parse(value) as { problem?: string; answer?: unknown };
        if (problem) throw new Error(problem);
        return answer;
      }
      await ask({});
      return {
        ended,
        create: (given) => ask({ create: given }) as Promise<string>,
        send: (command, sendKey) => ask({ agent: shown.name, send: command, key: sendKey }) as Promise<Receipt>,
        async leave() {
          child.stdin!.end();
          await ended;
        },
        async kill() {
          child.kill("SIGKILL");
          await ended;
        },
      };
    },
    async until(match, { ended }) {
      let over: unknown;
      ended.then((how) => {
        over = how ?? "over";
      });
      let looked: Event[] | undefined;
      for (;;) {
        const last = over;
        const all = stage.events();
        // A moment may be one of the world outside, so where nothing was written the last event is looked at again.
        const from = all === looked ? all.length - 1 : 0;
        const at = all.findIndex((event, index) => index >= from && match(event, all.slice(0, index)));
        if (at >= 0) return all[at]!;
        looked = all;
        if (last) throw new Error(`it ended before that happened: ${JSON.stringify(last)}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    events: () => events(home, shown.name),
    // Every stage has a web at a port of its own.
    outcome: (run) => JSON.parse(JSON.stringify(outcome(home, shown.name, run)).replaceAll(web.place, "web.example")),
  };
  try {
    return await play(stage);
  } finally {
    for (const child of left) child.kill("SIGKILL");
    await team.close();
    await web.close();
    if (!process.env.KEEP) await machine.files.remove(home);
    if (!process.env.KEEP && folder) await machine.files.remove(folder);
  }
}

/** A call of this tool began. */
export const began =
  (by: string, tool: string, nth = 1): Match =>
  (event, before) => {
    const is = ({ type, data }: Event) => type === "tool.started" && data.participant === by && data.tool === tool;
    return is(event) && before.filter(is).length === nth - 1;
  };

/** This participant ended its nth turn. */
export const turned =
  (by: string, nth: number): Match =>
  (event, before) => {
    const is = ({ type, data }: Event) => type === "turn.ended" && data.participant === by;
    return is(event) && before.filter(is).length === nth - 1;
  };

export const happened =
  (type: Event["type"], nth = 1): Match =>
  (event, before) =>
    event.type === type && before.filter((one) => one.type === type).length === nth - 1;
