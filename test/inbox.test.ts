/** `agiraph inbox` and `answer` as people use them: real processes, a real disk, a model over HTTP, a webhook that is really called. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { verify } from "../src/channel/sign.ts";
import { machine } from "../src/lib/machine/index.ts";
import { serve } from "../src/lib/machine/server.test-help.ts";
import type { Event } from "../src/schema/event.ts";
import { bin } from "./built.ts";
import { type Step, startModelServer } from "./model-server.ts";
import { command, plainEnv } from "./program.ts";

async function setUp(steps: Step[], config = "") {
  const home = mkdtempSync(join(tmpdir(), "agiraph-inbox-"));
  const model = await startModelServer(steps);
  onTestFinished(async () => {
    await model.close();
    await machine.files.remove(home);
  });
  await writeFile(join(home, "config.yaml"), config);
  const { HOME = "" } = process.env;
  const keys = { ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: model.url, HOOK_SECRET: "s3cret" };
  const env = { HOME, AGIRAPH_HOME: home, OLLAMA_HOST: "http://127.0.0.1:9", ...keys };
  const run = (...args: string[]) => command(["--alone", ...args], env);
  const start = (...args: string[]) => {
    const child: ChildProcess = spawn(process.execPath, [bin, "--alone", ...args], {
      env: { ...plainEnv(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout!.on("data", (bytes) => {
      out += bytes;
    });
    child.stderr!.on("data", (bytes) => {
      err += bytes;
    });
    const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      child.on("close", (code) => resolve({ code, out, err }));
    });
    return { child, ended };
  };
  const events = async (agent: string): Promise<Event[]> =>
    (await readFile(join(home, "agents", agent, "events.jsonl"), "utf8"))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { home, model, start, run, events };
}

const ask: Step = {
  calls: [{ tool: "ask_human", input: { question: "Which \u001b[31mof the two?", options: ["this", "that"] } }],
};
const finish: Step = { calls: [{ tool: "finish", input: { summary: "It is that." } }] };

test("a question reaches the webhook before the program ends, is in the inbox, and its answer lets the run finish", async () => {
  const hook = await serve((_, response) => setTimeout(() => response.end("ok"), 300));
  const config = `channels:\n  out: { kind: webhook, url: "${hook.url("/in")}", secret_env: HOOK_SECRET }\n`;
  const { model, start, run, events } = await setUp([ask, finish], config);
  const first = await start("run", "Choose", "--name", "chooser").ended;
  expect(first.code).toBe(4);
  expect(first.out).toContain('agiraph answer chooser q1 "…"');
  const [{ body, headers }] = hook.asked as [(typeof hook.asked)[0]];
  expect(JSON.parse(body)).toMatchObject({ agent: "chooser", kind: "question", id: "q1", options: ["this", "that"] });
  verify("s3cret", String(headers["agiraph-signature"]), body, Date.now());

  const inbox = await run("inbox");
  expect([inbox.code, inbox.err]).toEqual([0, ""]);
  expect(inbox.out).toContain("Needs you (1)");
  expect(inbox.out).toMatch(
    /chooser asks \(q1\) {2}just now\n {2}Which <U\+001B>\[31mof the two\?\n {2}choices: this \/ that\n {2}→ agiraph answer chooser q1 "…"/,
  );
  expect(inbox.out).not.toContain("\u001b[31m");
  expect(model.asked).toHaveLength(1);

  const answered = await run("answer", "chooser", "q1", "that");
  expect([answered.code, answered.out]).toEqual([0, "Answered q1; chooser resumes with: agiraph resume chooser\n"]);
  expect(model.asked).toHaveLength(1); // nobody was set to work by it
  expect((await run("inbox")).out).toBe("Nothing needs you.\n");
  const again = await run("answer", "chooser", "q1", "this");
  expect([again.code, again.err]).toEqual([1, "agiraph: q1 is already answered; open questions: none\n"]);

  const last = await run("resume", "chooser");
  expect([last.code, last.out.includes("It is that.")]).toEqual([0, true]);
  expect(JSON.stringify(model.asked.at(-1))).toContain("Answer to q1: that");
  const sent = (await events("chooser")).filter(({ type }) => type === "delivery.sent");
  expect([sent.length, hook.asked.length]).toEqual([1, 1]);
});

test("a word to an agent that rests answers what it asked, and the run finishes with it", async () => {
  const { model, run, events } = await setUp([ask, finish]);
  expect((await run("run", "Choose", "--name", "chooser")).code).toBe(4);
  const nobody = await run("send", "chooser", "hello", "--to", "Zoe");
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('there is no participant "Zoe"')]);
  const sent = await run("send", "chooser", "Take that.");
  expect([sent.code, sent.out]).toEqual([0, "Sent to coordinator (m1), read with: agiraph resume chooser\n"]);
  expect((await run("inbox")).out).toBe("Nothing needs you.\n");
  expect(model.asked).toHaveLength(1); // nobody was set to work by it
  expect((await run("resume", "chooser")).code).toBe(0);
  expect(JSON.stringify(model.asked.at(-1))).toContain("Take that.");
  const answers = (await events("chooser")).filter(({ type }) => type === "question.answered");
  expect(answers).toMatchObject([{ actor: "human", data: { question: "q1", answer: "Take that.", message: "m1" } }]);
});

test("a channel that fails is said, is in the inbox, and its secret nowhere", async () => {
  const config = `channels:\n  team: { kind: slack, url: "http://127.0.0.1:9/services/topsecret" }\n`;
  const { run, events } = await setUp([ask], config);
  const first = await run("run", "Choose", "--name", "chooser");
  const inbox = await run("inbox");
  expect(inbox.out).toContain("New (1)");
  expect(inbox.out).toContain("chooser: The channel team has failed 1 times: 127.0.0.1:9 cannot be reached");
  expect(`${first.out}${first.err}${inbox.out}${JSON.stringify(await events("chooser"))}`).not.toContain("topsecret");
});

test("who is not there, what is not asked and a home in use are told", async () => {
  const { home, start, run } = await setUp([{ ...ask, waitMs: 60_000 }]);
  expect((await run("answer", "nobody", "q1", "x")).err).toBe(
    "agiraph: there is no agent nobody; known agents: none\n",
  );
  expect((await run("answer", "nobody")).code).toBe(2);
  await writeFile(join(home, "config.yaml"), "channels: { team: { kind: slack, url_env: NOT_THERE } }\n");
  expect((await run("doctor")).out).toMatch(/channel team +slack; NOT_THERE is not set/);
  const busy = start("run", "Choose", "--name", "chooser");
  await expect
    .poll(async () => (await machine.files.stat(join(home, "agents/chooser/events.jsonl"))) !== null)
    .toBe(true);
  for (const args of [["inbox"], ["answer", "chooser", "q1", "x"]]) {
    const { code, err } = await run(...args);
    expect([code, err.includes(home)]).toEqual([3, true]);
  }
  busy.child.kill("SIGINT");
  await busy.ended;
});

test("without a daemon every command of a client works as with it; what is about the daemon says so", async () => {
  const { home, model, run } = await setUp([ask, { text: "I have read it." }]);
  const json = async (...args: string[]) => {
    const { code, out, err } = await run("--json", ...args);
    expect([code, err], args.join(" ")).toEqual([0, ""]);
    return JSON.parse(out);
  };
  expect(await json("new", "Choose", "--name", "chooser")).toMatchObject({ id: "chooser", status: "working" });
  expect(model.asked).toEqual([]); // nobody was set to work by it
  expect((await run("watch", "choo")).out).toContain("chooser is waiting for your answer");
  expect((await json("ls"))[0]).toMatchObject({ id: "chooser", open_questions: 1 });
  // Its only question needs no name, and files go with a message.
  expect(await json("answer", "chooser", "that")).toMatchObject({ question: "q1", answer: "that" });
  await writeFile(join(home, "notes.txt"), "forty-two");
  const sent = await json("send", "chooser", "Read this", "--attach", join(home, "notes.txt"), "--wait", "20");
  expect(sent.reply).toMatchObject({ from: "coordinator", text: "I have read it." });
  expect(JSON.stringify(model.asked.at(-1))).toContain("notes.txt");
  expect((await json("events", "chooser", "--types", "run.started")).data).toEqual({ run: "r1", goal: "Choose" });
  const up = await run("up");
  expect([up.code, up.err]).toEqual([
    1,
    "agiraph: up needs the daemon and does not work with --alone; run it without --alone\n",
  ]);
});
