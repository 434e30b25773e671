/** Whatever a program does, a turn has exactly one end, which says what happened and keeps the last output. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeCode } from "../clis/claude-code.ts";
import { codex } from "../clis/codex.ts";
import type { Activity, End } from "../driver.ts";
import { all, playCli, settle } from "../running.test-help.ts";

const result = { type: "result", subtype: "success", is_error: false, result: "Done.", session_id: "s1" };

/** Claude Code that does this when it is prompted. */
const play = (act: Parameters<typeof playCli>[1], options: Parameters<typeof playCli>[2] = {}) =>
  playCli(
    claudeCode,
    (message: { type: string }, played) => {
      if (message.type === "user") act?.(message as never, played);
    },
    options,
  );

const endOf = (seen: Activity[]): End => {
  expect(seen.filter(({ type }) => type === "end")).toHaveLength(1);
  return seen.at(-1) as End;
};

test("it ends by itself without a result, or is killed: its last words are kept, without secrets", async () => {
  const noResult = play((_, { say, exit }) => {
    say("half a thought\n", '{"type":"assist');
    exit({ code: 0, output: "it used gateway-token-1 and mcp-secret-1" });
  });
  const end = endOf(await all(noResult.session.prompt("go")));
  expect(end).toMatchObject({ how: "failed", kind: "transient", reason: "exit" });
  expect(end).toMatchObject({ output: 'half a thought\n{"type":"assist\nit used [secret] and [secret]' });

  const killed = play((_, { exit }) => exit({ code: null, signal: "SIGKILL" }));
  expect(endOf(await all(killed.session.prompt("go")))).toMatchObject({ reason: "killed", kind: "transient" });
  const memory = play((_, { exit }) => exit({ code: null, signal: "SIGKILL", ended: "more than 4 GB of memory" }));
  expect(endOf(await all(memory.session.prompt("go")))).toMatchObject({
    why: expect.stringContaining("4 GB of memory"),
  });
});

test("a message that comes after its end, before anyone has heard of that, is not taken", async () => {
  const { session } = play((_, { say }) =>
    say(`${JSON.stringify({ type: "system", subtype: "init", session_id: "s1" })}\n${JSON.stringify(result)}\n`),
  );
  const turn = session.prompt("x")[Symbol.asyncIterator]();
  expect((await turn.next()).value).toEqual({ type: "conversation", id: "s1" });
  await turn.next();
  expect(session.say("hurry")).toBe(false);
  await turn.return?.();
});

test("nor is one that comes while it is looked for what else may have ended it", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: nothing, resolve: answer } = Promise.withResolvers<undefined>();
  const { session, heard } = play((_, { say }) => say(result), {
    outside() {
      ask();
      return nothing;
    },
  });
  const seen = all(session.prompt("x"));
  await asked;
  expect(session.say("hurry")).toBe(false);
  answer(undefined);
  expect(endOf(await seen)).toMatchObject({ how: "done" });
  expect(heard.filter(({ type }) => type === "user")).toHaveLength(1);
  expect(session.say("hurry")).toBe(false);
});

test("an exit code after a result does not matter; the next turn says that it has ended", async () => {
  const { session } = play((_, { say, exit }) => {
    say(result);
    exit({ code: 1, output: "oh" });
  });
  expect(endOf(await all(session.prompt("go")))).toMatchObject({ how: "done", text: "Done." });
  expect(endOf(await all(session.prompt("again")))).toMatchObject({ how: "failed", reason: "exit", output: "oh" });
});

test("silence ends it after a while, longer if a tool runs, and never while it waits for a permission", async () => {
  const limits = { silentMs: 1_000, toolMs: 10_000 };
  const tool = { type: "assistant", message: { content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] } };
  const request = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t1" };
  const quiet = play(undefined, { limits });
  const turn = all(quiet.session.prompt("go"));
  await settle();
  quiet.pass(999);
  quiet.say(tool);
  await settle();
  quiet.pass(9_000);
  quiet.say({ type: "control_request", request_id: "r1", request });
  await settle();
  quiet.pass(1e9);
  await settle();
  expect(quiet.stopped()).toBe(false);
  quiet.session.permit("r1", { allow: true });
  await settle();
  quiet.pass(9_999);
  await settle();
  expect(quiet.stopped()).toBe(false);
  quiet.pass(1);
  expect(endOf(await turn)).toMatchObject({ how: "failed", reason: "silent", kind: "transient" });
  expect(quiet.stopped()).toBe(true);

  const dumb = play(undefined, { limits });
  const nothing = all(dumb.session.prompt("go"));
  await settle();
  dumb.pass(1_000);
  expect(endOf(await nothing)).toMatchObject({ reason: "silent" });
});

describe("a flood", () => {
  const limits = { line: 10_000, noise: 20_000, turn: 50_000 };
  const floods: Record<string, string> = {
    "one endless line": "x".repeat(10_001),
    "many lines that are no messages": `${"noise\n".repeat(4_001)}`,
    "too many messages": `${JSON.stringify({ type: "system", x: "y".repeat(900) })}\n`.repeat(60),
  };
  test.each(Object.entries(floods))("of %s ends it", async (_, text) => {
    const { session, stopped } = play((_, { say }) => say(text), { limits });
    expect(endOf(await all(session.prompt("go")))).toMatchObject({ how: "failed", reason: "flood", kind: "permanent" });
    expect(stopped()).toBe(true);
    expect(endOf(await all(session.prompt("again")))).toMatchObject({ reason: "closed" });
  });
});

test("an interrupt that it does not follow ends it by force", async () => {
  const { session, pass, stopped, heard } = play(undefined);
  const turn = all(session.prompt("go"));
  await settle();
  session.interrupt();
  await settle();
  expect(heard.at(-1)).toMatchObject({ type: "control_request", request: { subtype: "interrupt" } });
  expect(stopped()).toBe(false);
  pass(2_000);
  expect(endOf(await turn)).toEqual({ type: "end", how: "aborted" });
  expect(stopped()).toBe(true);
});

test("whoever stops reading ends it, and a second turn beside the first is refused", async () => {
  const { session, stopped } = play((_, { say }) => say({ type: "system", subtype: "init", session_id: "s1" }));
  for await (const activity of session.prompt("go")) {
    expect(activity).toEqual({ type: "conversation", id: "s1" });
    expect(endOf(await all(session.prompt("beside")))).toMatchObject({ how: "failed", reason: "closed" });
    break;
  }
  expect(stopped()).toBe(true);
});

test("whatever a program writes, in whatever pieces, each turn has one end and nothing is thrown", async () => {
  const json = fc.json({ maxDepth: 3 });
  const types = ["system", "assistant", "user", "result", "stream_event", "control_request", "control_response"];
  const methods = [
    "turn/started",
    "turn/completed",
    "item/started",
    "item/completed",
    "error",
    "thread/tokenUsage/updated",
  ];
  const shaped = fc.record({
    type: fc.constantFrom(...types),
    method: fc.option(fc.constantFrom(...methods), { nil: undefined }),
    id: fc.option(fc.nat(5), { nil: undefined }),
    message: fc.anything({ maxDepth: 3 }),
    params: fc.anything({ maxDepth: 3 }),
    result: fc.anything({ maxDepth: 3 }),
    error: fc.option(fc.anything({ maxDepth: 2 }), { nil: undefined }),
    event: fc.anything({ maxDepth: 3 }),
    request: fc.anything({ maxDepth: 3 }),
    usage: fc.anything({ maxDepth: 2 }),
    is_error: fc.boolean(),
  });
  const safe = (value: unknown) => {
    try {
      return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? 1 : one)) ?? "null";
    } catch {
      return "{}";
    }
  };
  const line = fc.oneof(json, fc.string(), shaped.map(safe));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(claudeCode, codex),
      fc.array(line),
      fc.nat(50),
      fc.boolean(),
      async (cli, lines, size, asks) => {
        const text = lines.join("\n");
        let played = false;
        const { session } = playCli(
          cli,
          (_, { say, exit }) => {
            if (played) return;
            played = true;
            for (let at = 0; at < text.length; at += size + 1) say(text.slice(at, at + size + 1));
            exit({ code: 0 });
          },
          { launch: { asks } },
        );
        const seen = await all(session.prompt("go"), (activity) => {
          if (activity.type === "permission") session.permit(activity.id, { allow: false, why: "no" });
        });
        endOf(seen);
        await session.close();
      },
    ),
    { numRuns: 300 },
  );
});
