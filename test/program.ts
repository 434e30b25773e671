/** The program as people start it, in a home of its own, with a model on loopback that plays what a test says. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../src/backend/server.test-help.ts";
import { afterThisFile } from "../src/lib/cleanup.test-help.ts";
import { machine } from "../src/lib/machine/index.ts";
import { unmarked } from "../src/runtime/model.test-help.ts";
import { bin, program } from "./built.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));

const folders: string[] = [];
afterThisFile(async () => {
  for (const folder of folders.splice(0)) await machine.files.remove(folder);
});

export function newFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "agiraph-test-"));
  folders.push(folder);
  put(folder, files);
  return folder;
}

export function put(folder: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Nothing of ours but the program, which is on the PATH under its name. */
export function plainEnv(): Record<string, string> {
  // It goes with the file that made it, this module may stay.
  if (!existsSync(linked)) {
    linked = newFolder();
    symlinkSync(bin, join(linked, "agiraph"));
  }
  return { PATH: `${linked}${delimiter}${process.env.PATH ?? ""}`, HOME: "/nonexistent", LANG: "C.UTF-8" };
}
let linked = "";

/** Runs a program of Node to its end, with an environment that has nothing of ours. */
export function node(args: string[], { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...plainEnv(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended: Ended = { code: null, out: "", err: "" };
  child.stdout.on("data", (bytes) => {
    ended.out += bytes;
  });
  child.stderr.on("data", (bytes) => {
    ended.err += bytes;
  });
  return new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ ...ended, code })));
}

/** A command without a daemon, where it is not about one. */
export const agiraph = (home: string, ...args: string[]): Promise<Ended> =>
  /^(up|down|status|logs|open)$/.test(args[0] ?? "")
    ? node([bin, ...args], { env: { AGIRAPH_HOME: home } })
    : command(["--alone", ...args], { AGIRAPH_HOME: home });

/**
 * A command in this process, one after the other, with an environment that has nothing of ours: to start a process takes longer than what most of
 * them do. That a process ends when its command does is seen by those who start one. So is which home a folder leads to: a process that has found one
 * that way takes it for found from then on.
 */
export function command(args: string[], env: Record<string, string> = {}, cwd = root): Promise<Ended> {
  const ended = last.then(() => runHere(args, { ...plainEnv(), ...env }, cwd));
  last = ended.catch(() => undefined);
  return ended;
}
let last: Promise<unknown> = Promise.resolve();

async function runHere(args: string[], env: Record<string, string>, cwd: string): Promise<Ended> {
  const { main }: typeof import("../src/main.ts") = await import(program);
  const before = { env: { ...process.env }, argv: process.argv, cwd: process.cwd() };
  const ended: Ended = { code: null, out: "", err: "" };
  const release = [
    take(process.stdout, (text) => (ended.out += text)),
    take(process.stderr, (text) => (ended.err += text)),
  ];
  // Not another object: parts of Node read the variables of the process itself.
  const set = (variables: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, variables);
  };
  process.argv = [process.execPath, bin, ...args];
  set(env);
  process.chdir(cwd);
  try {
    ended.code = await main(args);
  } finally {
    process.chdir(before.cwd);
    set(before.env);
    process.argv = before.argv;
    for (const end of release) end();
  }
  return ended;
}

/** Gives what is written to a stream, and whoever listens to it, back at the end. */
function take(stream: NodeJS.WriteStream, hear: (text: string) => void): () => void {
  const { write } = stream;
  const listeners = stream.listeners("error");
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    hear(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const done = rest.find((one) => typeof one === "function");
    if (done) process.nextTick(done);
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
    for (const one of stream.listeners("error")) if (!listeners.includes(one)) stream.off("error", one as () => void);
  };
}

/** Without naming the home: it is looked for from the folder on. */
export const agiraphIn = (cwd: string, ...args: string[]): Promise<Ended> => node([bin, "--alone", ...args], { cwd });

export type Step = { say?: string; tool?: string; input?: unknown };
export interface Question {
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string; description: string; parameters: unknown } }[];
}

/** A model that takes the steps one after the other, whoever asks. */
export async function createLab() {
  const server = await serve();
  const asked: Question[] = [];
  let steps: Step[] = [];
  server.answer(({ body }, response) => {
    asked.push(body as never);
    const { say, tool, input = {} } = steps.shift() ?? { say: "I have nothing more to do." };
    const call = { index: 0, id: `c${asked.length}`, type: "function" };
    const delta = tool
      ? {
          ...(say ? { content: say } : {}),
          tool_calls: [{ ...call, function: { name: tool, arguments: JSON.stringify(input) } }],
        }
      : { content: say };
    const chunk = (rest: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "test", ...rest })}\n\n`;
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(
        [
          chunk({ choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] }),
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: tool ? "tool_calls" : "stop" }] }),
          chunk({ choices: [], usage }),
          "data: [DONE]\n\n",
        ].join(""),
      );
  });
  return {
    asked,
    url: server.url,
    /** Runs a goal with this model in a folder whose home was trusted and is not named: its config cannot say where the model is, the environment can. */
    async runIn(cwd: string, goal: string): Promise<Ended> {
      const env = { OLLAMA_HOST: server.url, HOME: newFolder() };
      await node([bin, "trust"], { cwd, env });
      return await node([bin, "--alone", "run", goal, "--model", "ollama/test"], { cwd, env });
    },
    /** The config of a home whose agents ask this model. */
    config: (more = "") =>
      `model: lab/test\nembeddings: "off"\nproviders:\n  lab:\n    base_url: ${server.url}\n${more}`,
    play(...next: Step[]) {
      steps = next;
      asked.length = 0;
    },
    system: (nth = 0): string => JSON.stringify(asked[nth]?.messages.filter(({ role }) => role === "system")),
    /** What the calls were answered, as the model was told last. */
    results: (): string[] =>
      (asked.at(-1)?.messages ?? [])
        .filter(({ role }) => role === "tool")
        .map(({ content }) => unmarked(String(content))),
    offered: (nth = 0): string[] => (asked[nth]?.tools ?? []).map((tool) => tool.function.name),
  };
}
