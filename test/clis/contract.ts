/**
 * What every agent CLI must do, played by the real program in our sandbox against a model and an MCP server on loopback. A CLI that passes can be a
 * member of a team.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Activity, Cli, Counted, End, LaunchOptions, McpAccess, Session } from "../../src/driver/driver.ts";
import { startCli } from "../../src/driver/session/start.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { type FakeMcp, startMcp } from "./mcp.ts";
import { type FakeModel, script, startModel } from "./model.ts";
import { used } from "./wire/wire.ts";

export interface Subject {
  cli: Cli;
  /** The program; undefined leaves it all out. */
  file: string | undefined;
  model: string;
  /** What it says of money. */
  cost: boolean;
  /** What it says of tokens; of all calls unless told. */
  tokens?: "last call" | "nothing";
  /** It does not show what a command wrote. */
  mute?: true;
  /** Its commands see the token of the gateway. */
  showsToken?: true;
  /** It takes long, so it is driven only if AGIRAPH_ALL_CLIS is set. */
  long?: true;
}

/** Not in /tmp: a sandbox has one of its own. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
const token = "gateway-token-51f0c2";

interface Place {
  root: string;
  workspace: string;
  home: string;
}

interface Opened extends Place {
  session: Session;
  kill: AbortController;
}

const noSandbox = await machine.processes.sandbox(true);

export function describeCli(subject: Subject): void {
  const { cli, file, model: modelName, cost, tokens, mute, showsToken, long } = subject;
  const missing =
    long && !process.env.AGIRAPH_ALL_CLIS
      ? "it is in the long form (npm run clis -- --all, AGIRAPH_ALL_CLIS=1)"
      : file
        ? noSandbox
        : "it is not installed (npm run clis)";
  describe.skipIf(missing)(missing ? `${cli.title} is left out: ${missing}` : cli.title, () => {
    const open: Opened[] = [];
    const places: Place[] = [];
    let model: FakeModel;
    let mcp: FakeMcp;
    /** A start takes long: one program for all that does not need another. */
    let one: Opened;

    beforeAll(async () => {
      model = await startModel();
      mcp = await startMcp();
      one = await start();
    });
    beforeEach(() => {
      model.asked.length = 0;
      mcp.messages.length = 0;
    });
    afterAll(async () => {
      for (const { session, kill } of open) {
        kill.abort();
        await session.close();
      }
      for (const { root } of places) rmSync(root, { recursive: true, force: true });
      await model.close();
      await mcp.close();
    });

    async function start(given: Partial<LaunchOptions> = {}, again?: Place, counted?: Counted): Promise<Opened> {
      const place = again ?? newPlace();
      const kill = new AbortController();
      const session = await startCli(cli, {
        launch: {
          file: file!,
          model: modelName,
          system: "You are Ada. The password is swordfish.",
          workspace: place.workspace,
          home: place.home,
          path: process.env.PATH!,
          mcp: accessTo(mcp.url),
          gateway: { url: model.url, token },
          asks: false,
          ...given,
        },
        tag: `cli-contract-${process.pid}/${place.root}`,
        world: machine,
        signal: kill.signal,
        counted,
        sandbox: { programs: [file!], ports: [model.port, mcp.port], hosts: [] },
      });
      const opened = { ...place, session, kill };
      open.push(opened);
      return opened;
    }

    function accessTo(url: string): McpAccess {
      return { name: "team", url, secret: mcp.secret, listings: () => mcp.listings };
    }

    function newPlace(): Place {
      const root = mkdtempSync(join(base, "agiraph-cli-"));
      const place = { root, workspace: join(root, "work"), home: join(root, "home") };
      mkdirSync(place.workspace);
      mkdirSync(place.home);
      places.push(place);
      return place;
    }

    test("it gets the system prompt and the task, shows what it does, reaches MCP, and says what each turn used", async () => {
      const { session, workspace } = one;
      const first = await play(
        session,
        `Write a file. ${script(
          { run: "echo hello > made.txt; env | tee env.txt", say: "I write." },
          { call: "send_message", input: { to: "lead", text: "written" } },
          { say: "All done." },
        )}`,
      );
      expect(endOf(first)).toEqual({ type: "end", how: "done", text: "All done." });
      const isTask = ({ text }: { text: string }) => text.includes("Write a file.");
      const asked = model.asked.find(({ turns, tools }) => tools.length && turns.some(isTask));
      expect(asked!.system).toContain("The password is swordfish.");
      expect(JSON.stringify(asked!.headers)).toContain(token);
      expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("hello\n");
      expect(mcp.messages).toEqual([{ to: "lead", text: "written" }]);

      expect(textOf(first)).toContain("I write.");
      const tools = first.filter(({ type }) => type === "tool" || type === "result");
      expect(tools).toMatchObject([
        { type: "tool" },
        { type: "result", outcome: "ok", text: expect.stringMatching(mute ? /^/ : /^PATH=/m) },
        { type: "tool", name: expect.stringMatching(/send_message$/) },
        { type: "result", outcome: "ok", text: expect.stringContaining("delivered to lead") },
      ]);
      const [ran, result, sent, delivered] = tools as Extract<Activity, { type: "tool" | "result" }>[];
      expect(JSON.stringify(ran)).toContain("echo hello");
      expect([result!.id, delivered!.id]).toEqual([ran!.id, sent!.id]);
      expect(readFileSync(join(workspace, "env.txt"), "utf8").includes(token)).toBe(showsToken === true);

      const counted = (calls: number) => times(tokens === "nothing" ? 0 : tokens ? 1 : calls);
      expect(usedIn(first)).toMatchObject(counted(3));
      const second = await play(session, `Again. ${script({ say: "Yes." })}`);
      expect(endOf(second)).toMatchObject({ how: "done", text: "Yes." });
      expect(usedIn(second)).toMatchObject(counted(1));
      if (cost) expect(usedIn(second).usd / usedIn(first).usd).toBeCloseTo(1 / 3, 2);
      expect(conversationOf(second)).toBe(conversationOf(first));
    });

    test("a message while it works reaches it in this turn, or is refused and given with the next", async () => {
      const { session } = one;
      const words = "The wind has changed.";
      let heard: boolean | undefined;
      const steps = script({ run: "sleep 1" }, { run: "true" }, { say: "End." });
      const all = await play(session, `Go. ${steps}`, ({ type }) => {
        if (type === "tool") heard ??= session.say(words);
      });
      expect(endOf(all)).toMatchObject({ how: "done" });
      expect(heard).toBe(cli.hears === "now");
      if (!heard) await play(session, `${words} ${script({ say: "I see." })}`);
      expect(JSON.stringify(model.asked.at(-1)!.raw).split(words)).toHaveLength(2);

      if (!heard) return;
      let said = false;
      const late = await play(session, `Go. ${script({ say: "First.", waitMs: 1_000 })}`, ({ type }) => {
        if (type === "conversation") said ||= session.say("Late words.");
      });
      expect(said).toBe(true);
      expect(endOf(late)).toMatchObject({ how: "done" });
      expect(JSON.stringify(model.asked.at(-1)!.raw)).toContain("Late words.");
    });

    test("an interrupt ends the turn at once, and the conversation goes on", async () => {
      const { session } = one;
      const mark = markOf(1);
      let since = 0;
      const all = await play(session, `Wait. ${script({ run: lasting(mark) }, { say: "No." })}`, ({ type }) => {
        if (type !== "tool") return;
        void until(() => survivors(mark).length >= 2).then(() => {
          since = performance.now();
          session.interrupt();
        });
      });
      expect(endOf(all)).toEqual({ type: "end", how: "aborted" });
      expect(since && performance.now() - since).toBeLessThan(30_000);
      const after = await play(session, `Go on. ${script({ say: "Here." })}`);
      expect(endOf(after)).toMatchObject({ how: "done", text: "Here." });
    });

    test("a failure is recognised whatever the exit code says, and it can be prompted again", async () => {
      const { session } = one;
      const refused = await play(session, `Go. ${script({ status: 400 })}`);
      expect(endOf(refused)).toMatchObject({ how: "failed", kind: "permanent", reason: "refused" });
      expect(endOf(refused)).toMatchObject({ why: expect.stringContaining("scripted 400") });
      const error = { type: "invalid_request_error", message: "the budget of this run is used up" };
      const stopped = await play(session, `Go. ${script({ status: 400, body: { type: "error", error } })}`);
      expect(endOf(stopped)).toMatchObject({ how: "failed", kind: "provider", reason: "quota" });
      const well = await play(session, `Go. ${script({ say: "Well." })}`);
      expect(endOf(well)).toMatchObject({ how: "done", text: "Well." });
    });

    test("killed in the middle nothing of it survives, it resumes its conversation, and nothing is counted twice", async () => {
      const mark = markOf(2);
      const before = await play(one.session, `Remember the number 4711. ${script({ say: "I do." })}`);
      const killed = await play(one.session, `Work. ${script({ run: lasting(mark) }, { say: "No." })}`, ({ type }) => {
        if (type === "tool") void until(() => survivors(mark).length >= 2).then(() => one.kill.abort());
      });
      expect(endOf(killed)).toMatchObject({ how: "failed", kind: "transient", reason: "killed" });
      expect([...survivors(mark), ...survivors(markOf(1))]).toEqual([]);

      const id = conversationOf(before);
      const counts = [...before, ...killed].filter((activity) => activity.type === "usage");
      one = await start({ resume: id }, one, counts.at(-1)?.counted);
      const all = await play(one.session, `What was it? ${script({ say: "4711." })}`);
      expect(endOf(all)).toEqual({ type: "end", how: "done", text: "4711." });
      expect(conversationOf(all)).toBe(id);
      // What was said and done before is not reported again.
      expect([textOf(all), all.filter(({ type }) => type === "tool")]).toEqual(["4711.", []]);
      expect(JSON.stringify(model.asked.at(-1)!.raw)).toContain("Remember the number 4711.");
      expect(usedIn(all).output).toBeLessThanOrEqual(2 * used.output);
      if (cost) expect(usedIn(all).usd).toBeLessThanOrEqual(2.1 * usedIn(before).usd);
    });

    test.skipIf(cli.staysPut)("its conversation goes on in another workspace", async () => {
      const before = await play(one.session, `Remember the word heron. ${script({ say: "I do." })}`);
      await one.session.close();
      const workspace = join(one.root, "next");
      mkdirSync(workspace);
      one = await start({ resume: conversationOf(before) }, { ...one, workspace });
      const all = await play(one.session, `Which word? ${script({ run: "pwd > where.txt" }, { say: "Heron." })}`);
      expect(endOf(all)).toEqual({ type: "end", how: "done", text: "Heron." });
      expect(JSON.stringify(model.asked.at(-1)!.raw)).toContain("Remember the word heron.");
      expect(readFileSync(join(workspace, "where.txt"), "utf8").trim()).toBe(workspace);
    });

    test("a workspace that is deleted under it and a program that is not there are named", async () => {
      const all = await play(one.session, `Go. ${script({ run: "true" }, { say: "End." })}`, ({ type }) => {
        if (type === "tool") rmSync(one.workspace, { recursive: true });
      });
      expect(endOf(all)).toMatchObject({ how: "failed", reason: "workspace" });
      const missing = await start({ file: join(one.root, "nothing") });
      expect(endOf(await play(missing.session, "Go."))).toMatchObject({ how: "failed", reason: "missing" });
    });

    test.runIf(cli.cannotAsk)("where it would have to ask, which it cannot, it is not started", async () => {
      const { session, workspace } = await start({ asks: true });
      const all = await play(session, `Go. ${script({ run: "touch done.txt" }, { say: "End." })}`);
      expect(all).toMatchObject([{ type: "end", how: "failed", reason: "version" }]);
      expect(endOf(all)).toMatchObject({ why: expect.stringContaining("cannot ask for permission") });
      expect([readdirSync(workspace), model.asked]).toEqual([[], []]);
    });

    test.skipIf(cli.cannotAsk)(
      "a permission request is allowed or denied, and the words of a refusal reach it",
      async () => {
        const { session, workspace } = await start({ asks: true });
        const asked: string[] = [];
        const steps = script({ run: "touch allowed.txt" }, { run: "touch denied.txt" }, { say: "End." });
        const all = await play(session, `Two commands. ${steps}`, (activity) => {
          if (activity.type !== "permission") return;
          const name = /\w+\.txt/.exec(JSON.stringify(activity.input))![0];
          asked.push(name);
          session.permit(
            activity.id,
            name === "denied.txt" ? { allow: false, why: "Not on a Monday." } : { allow: true },
          );
        });
        expect(endOf(all)).toMatchObject({ how: "done" });
        expect(asked).toEqual(["allowed.txt", "denied.txt"]);
        expect(readdirSync(workspace).filter((name) => name.endsWith(".txt"))).toEqual(["allowed.txt"]);
        expect(all.filter(({ type }) => type === "result")).toMatchObject([{ outcome: "ok" }, { outcome: "denied" }]);
        if (cli.hears === "next") await play(session, `Go on. ${script({ say: "Yes." })}`);
        expect(JSON.stringify(model.asked.at(-1)!.raw)).toContain("Not on a Monday.");
      },
    );

    test("an MCP server that cannot be reached is a failure", async () => {
      const down = await start({ mcp: accessTo("http://127.0.0.1:9/mcp") });
      const all = await play(down.session, `Go. ${script({ say: "Never." })}`);
      expect(endOf(all)).toMatchObject({ how: "failed", kind: "transient", reason: "mcp" });
    });
  });
}

/** Waits, and so does a child of it that has left its group and its session twice. */
const lasting = (mark: string): string => `(setsid sh -c '(setsid sleep ${mark} &)' &) ; sleep ${mark}`;

const markOf = (nth: number): string => `7${process.pid}.${nth}`;

/** All that happens in a turn. */
async function play(
  session: Session,
  prompt: string,
  act: (activity: Activity) => unknown = () => undefined,
): Promise<Activity[]> {
  const all: Activity[] = [];
  for await (const activity of session.prompt(prompt)) {
    all.push(activity);
    await act(activity);
  }
  expect(all.filter(({ type }) => type === "end")).toHaveLength(1);
  return all;
}

const endOf = (all: Activity[]): End => all.at(-1) as End;

const textOf = (all: Activity[]): string =>
  all.map((activity) => (activity.type === "text" ? activity.text : "")).join("");

const conversationOf = (all: Activity[]): string =>
  (all.find(({ type }) => type === "conversation") as { id: string } | undefined)?.id ?? "none";

function usedIn(all: Activity[]) {
  const sum = { input: 0, output: 0, cacheRead: 0, usd: 0 };
  for (const activity of all) {
    if (activity.type !== "usage") continue;
    sum.input += activity.input;
    sum.output += activity.output;
    sum.cacheRead += activity.cacheRead;
    sum.usd += activity.usd ?? 0;
  }
  return sum;
}

const times = (calls: number) => ({
  input: calls * (used.input + used.cached),
  output: calls * used.output,
  cacheRead: calls * used.cached,
});

/** Processes whose arguments have this. */
function survivors(mark: string): string[] {
  return execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`sleep ${mark}`) && !/\b(sh|bash|bwrap|node)\b/.test(line));
}

async function until(is: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !is(); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
}
