/** An autonomous worker as a real program in a real sandbox: what it is given, what it says, and how it may end. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import type { Event } from "../src/schema/event.ts";
import { type DeskOptions, newHome, removeHome, told } from "./desk.ts";
import { events, of } from "./scenarios/log.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await removeHome(home);
});

/** The program as the worker Clive with one node, and the log when the node was heard of. */
async function played(program: string, until: (event: Event) => boolean, options: DeskOptions = {}) {
  const home = newHome();
  homes.push(home);
  const { run } = await told(
    [
      {
        tool: "spawn_worker",
        input: { name: "Clive", role: "tries things", type: "autonomous", agent_command: "clive" },
      },
      { tool: "create_work_node", input: { name: "Try", task: "try it out", worker: "Clive" } },
      { tool: "send_message", input: { to: "Clive", content: "mind the gap" } },
    ],
    { home, until, programs: { clive: `command:${program}` }, ...options },
  );
  const all = events(home, "a1");
  const read = (file: string) => readFileSync(join(run, "nodes/n1-try", file), "utf8");
  return { run, all, read };
}

const over = ({ type }: Event): boolean => type === "node.completed" || type === "node.failed";
const missing = await machine.processes.sandbox();

describe.skipIf(missing)("an autonomous worker", () => {
  test("is given its task, what is known and its mail, and is heard when it writes", async () => {
    const program = `grep -q 'try it out' _task.md && grep -q '"n1-try"' _context.json || exit 9
      while ! grep -q 'mind the gap' _inbox.md; do sleep 0.05; done
      printf 'TO: nobody\\nhello?\\n---\\nTO: coordinator\\nI saw it.\\n---\\n' > _outbox.md
      while ! grep -q 'Not sent to nobody' _inbox.md; do sleep 0.05; done
      echo made > made.txt
      printf 'TO: human\\nlast words, without a line after them' >> _outbox.md
      echo 'It is in made.txt.' > _result.md`;
    const { all, read } = await played(program, over);
    expect(of(all, "node.completed")[0]?.data).toMatchObject({ summary: "It is in made.txt.", partial: false });
    expect(read("published/made.txt")).toBe("made\n");
    expect(of(all, "node.completed")[0]?.data.files.map(({ path }) => path)).toEqual(["made.txt"]);
    const said = of(all, "message.posted").filter(({ data }) => data.from === "clive");
    expect(said.map(({ data }) => `${data.to}: ${data.text}`)).toEqual([
      "coordinator: I saw it.",
      "human: last words, without a line after them",
    ]);
  });

  test("loses nothing of what it writes: a rule within a message, a message to nobody", async () => {
    const program = `printf 'Hello all\\n---\\nTO: coordinator\\nAbove the rule.\\n---\\nBelow it.\\n---\\nTO: human\\n\\n---\\n' > _outbox.md
      while ! grep -q 'does not start with TO: and a name: Hello all' _inbox.md; do sleep 0.05; done
      echo done > _result.md`;
    const { all } = await played(program, over);
    expect(of(all, "node.completed")).toHaveLength(1);
    const said = of(all, "message.posted").filter(({ data }) => data.from === "clive");
    expect(said.map(({ data }) => `${data.to}: ${data.text}`)).toEqual([
      "coordinator: Above the rule.",
      "coordinator: Below it.",
    ]);
  });

  test("that leads ends the run with its result", async () => {
    const home = newHome();
    homes.push(home);
    const model = `command:grep -q 'Lead it' _task.md && echo made > made.txt && echo 'It is in made.txt.' > _result.md`;
    const { run } = await told([], {
      home,
      given: { model, goal: "Lead it" },
      until: ({ type }) => type === "run.completed",
    });
    expect(of(events(home, "a1"), "run.completed")[0]?.data.summary).toBe("It is in made.txt.");
    expect(readFileSync(join(run, "published/made.txt"), "utf8")).toBe("made\n");
    expect(readdirSync(join(run, "published")).filter((name) => name.startsWith("_"))).toEqual([]);
  });

  test("without a result fails its node with what it said last", async () => {
    const { all } = await played("echo first; echo 'no licence' >&2; exit 3", over);
    const { reason } = of(all, "node.failed")[0]!.data;
    expect(reason.next_mover).toBe("coordinator");
    expect(reason.message).toMatch(
      /^the program of Clive ended \(exit code 3\) without a _result\.md; .*\nno licence$/s,
    );
  });

  test("that left a checkpoint stands at it", async () => {
    const { all } = await played("echo 'half of it' > _checkpoint.md", ({ type }) => type === "node.checkpointed");
    expect(of(all, "node.checkpointed")[0]?.data).toMatchObject({ summary: "half of it" });
    expect(of(all, "node.completed")).toEqual([]);
  });

  test("writes only its own folder and knows nothing of this process", async () => {
    const program = `env > made.txt; touch ../../stray ../stray 2>/dev/null; ls ~ >> made.txt; echo done > _result.md`;
    const { all, read, run } = await played(program, over);
    expect(of(all, "node.completed")).toHaveLength(1);
    expect(read("published/made.txt")).not.toMatch(/KEY|TOKEN|SECRET/);
    expect(() => readFileSync(join(run, "stray"))).toThrow("ENOENT");
  });
});

test("a program is not started where bash would not be allowed", async () => {
  const policy = [{ do: "deny" as const, tool: "bash", why: "not on this machine" }];
  const { all } = await played("echo done > _result.md", over, { policy });
  expect(of(all, "node.failed")[0]?.data.reason.message).toBe(
    "the program of Clive was not started: not on this machine",
  );
});
