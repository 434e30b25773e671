import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machine } from "../../lib/machine/index.ts";
import type { Cli } from "../driver.ts";
import { all, playCli, settle } from "../running.test-help.ts";
import { startCli } from "../session/start.ts";
import { codex } from "./codex.ts";
import { codexExec } from "./codex-exec.ts";

/** A Codex without an app server, whose turns use 10 tokens each and answer with their prompt. `wait` in a prompt never ends. */
const script = `#!/bin/sh
[ "$1" = exec ] || { echo "error: unrecognized subcommand" >&2; exit 2; }
echo "$*" >> "$HOME/calls"
n=$(wc -l < "$HOME/calls")
text=$(cat)
echo '{"type":"thread.started","thread_id":"t-1"}'
case "$text" in *wait*) exec sleep 1000;; esac
echo '{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","status":"in_progress"}}'
echo '{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":0,"status":"completed"}}'
echo "{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"i2\\",\\"type\\":\\"agent_message\\",\\"text\\":\\"$text\\"}}"
echo "{\\"type\\":\\"turn.completed\\",\\"usage\\":{\\"input_tokens\\":$((n * 10)),\\"output_tokens\\":0}}"
`;

async function start(cli: Cli, asks = false) {
  const home = mkdtempSync(join(tmpdir(), "agiraph-exec-"));
  const file = join(home, "codex-program");
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  const session = await startCli(cli, {
    launch: { file, system: "Be kind.", workspace: home, home, path: process.env.PATH!, asks },
    tag: `codex-exec-test-${process.pid}/${home}`,
    world: machine,
    signal: new AbortController().signal,
  });
  onTestFinished(async () => {
    await session.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { session, calls: () => readFileSync(join(home, "calls"), "utf8").trim().split("\n") };
}

test("a version without an app server is driven by exec: each turn is a process, resumes the conversation, and counts once", async () => {
  const { session, calls } = await start(codex);
  const first = await all(session.prompt("one"));
  expect(first).toMatchObject([
    { type: "conversation", id: "t-1" },
    { type: "tool", name: "shell", input: { command: "ls" } },
    { type: "result", outcome: "ok", text: "a" },
    { type: "text", text: "one" },
    { type: "usage", input: 10 },
    { type: "end", how: "done", text: "one" },
  ]);
  const second = await all(session.prompt("two"));
  expect(second.slice(-2)).toMatchObject([{ input: 10 }, { how: "done", text: "two" }]);
  const flags = "--json --skip-git-repo-check";
  expect(calls()).toEqual([`exec ${flags} -`, `exec resume ${flags} t-1 -`]);
});

test("a message is refused, an interrupt ends the turn, and the conversation goes on", async () => {
  const { session } = await start(codexExec);
  const ended = await all(session.prompt("wait"), ({ type }) => {
    if (type !== "conversation") return;
    expect(session.say("hello")).toBe(false);
    session.interrupt();
  });
  expect(ended.at(-1)).toEqual({ type: "end", how: "aborted" });
  expect((await all(session.prompt("on"))).at(-1)).toMatchObject({ how: "done", text: "on" });
  await session.close();
  expect((await all(session.prompt("late"))).at(-1)).toMatchObject({ how: "failed", reason: "closed" });
});

test("where it would have to ask it is not started, and the reason says what to do", async () => {
  const { session, calls } = await start(codex, true);
  expect(await all(session.prompt("one"))).toMatchObject([
    {
      how: "failed",
      reason: "version",
      why: expect.stringMatching(/cannot ask for permission.*Install a newer one.*allow in the policy/),
    },
  ]);
  expect(calls).toThrow("ENOENT");
});

test("an app server that answered and then ends, or is killed before it did, is no reason for exec", async () => {
  for (const [exit, isAnswered] of [
    [{ code: 2 }, true],
    [{ code: null, signal: "SIGKILL" }, false],
  ] as const) {
    const played = playCli(codex);
    const turn = all(played.session.prompt("one"));
    await settle();
    if (isAnswered) played.say({ id: played.heard[0].id, result: {} });
    await settle();
    played.exit(exit);
    expect((await turn).at(-1)).toMatchObject({ how: "failed", reason: isAnswered ? "exit" : "killed" });
  }
});
