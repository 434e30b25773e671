/** Agent CLIs whose own shells want to reach a host that nobody has allowed: the human is asked as for any other command. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installedCli } from "../../scripts/clis.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { openHouse } from "../../src/main/house/house.ts";
import type { Event } from "../../src/schema/event.ts";
import { internet } from "../internet.ts";
import { of } from "../scenarios/log.ts";
import { type FakeModel, script, startModel } from "./model.ts";

const noSandbox = await machine.processes.sandbox(true);
const programs = { claude: "claude-code/claude-sonnet-4-5", codex: "codex/gpt-5.1-codex" };
const installed = { claude: installedCli("claude"), codex: installedCli("codex") };
/** Not in /tmp: a sandbox has one of its own. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();

describe.skipIf(noSandbox)("a host that an agent CLI wants to reach", () => {
  let model: FakeModel;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.close());

  /** The events until the agent is completed; questions about hosts are answered as the test says. */
  async function play(name: keyof typeof programs, goal: string, answer: (host: string) => string): Promise<Event[]> {
    const home = mkdtempSync(join(base, "agiraph-hosts-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, "user"));
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ programs, embeddings: "off" }));
    const echo = createServer((request, response) => response.end(`${request.headers.host}${request.url}\n`));
    const { world } = await internet({ 80: echo });
    const house = await openHouse({
      path: home,
      env: {
        PATH: `${dirname(installed[name]!)}:${process.env.PATH}`,
        HOME: join(home, "user"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: model.url,
        OPENAI_API_KEY: "key",
        OPENAI_BASE_URL: model.url,
      },
      processes: world.processes,
      notice: () => undefined,
    });
    const all: Event[] = [];
    try {
      await house.runtime.start();
      await house.runtime.recover();
      await house.runtime.create({ name: "a1", goal, model: programs[name] }, { actor: "human" });
      for await (const events of house.runtime.follow("a1", 0)) {
        all.push(...events);
        for (const { data } of of(events, "question.asked")) {
          const said = answer(data.host!.host);
          await house.runtime.send(
            "a1",
            { type: "question.answer", question: data.question, answer: said },
            { actor: "human" },
          );
        }
        if (of(events, "agent.completed").length) return all;
      }
      return all;
    } finally {
      await house.close();
    }
  }

  test.each(Object.keys(programs) as (keyof typeof programs)[])(
    "of %s: the human is asked about the command, which goes on or is told no",
    async (name) => {
      if (!installed[name]) return console.warn(`${name} is left out: it is not installed (npm run clis)`);
      const commands = ["price.example.com/today", "price.example.com/tomorrow", "elsewhere.example.net/"].map(
        (url) => `curl -sS http://${url}`,
      );
      const said: Record<string, string[]> = {
        "price.example.com": ["this time", "this run"],
        "elsewhere.example.net": ["no, we have our own"],
      };
      const all = await play(
        name,
        `Find out the price. ${script(
          ...[...commands, "curl -sS http://price.example.com/again"].map((run) => ({ run })),
          { call: "finish", input: { summary: "Found." } },
        )}`,
        (host) => said[host]!.shift()!,
      );
      const asked = of(all, "question.asked").map(({ data }) => data);
      expect(asked.map(({ host }) => host?.host)).toEqual([
        "price.example.com",
        "price.example.com", // this time was for one command, not for the turn of the program
        "elsewhere.example.net",
      ]);
      const title = { claude: "Claude Code, Bash: ", codex: "Codex, shell: " }[name];
      for (const [at, { by, host, text }] of asked.entries()) {
        expect(by).toBe("coordinator");
        expect(host?.command).toMatch(new RegExp(`^${title}.*${commands[at]}`, "s"));
        expect(text).toMatch(/^May a command of Coordinator reach /);
      }
      const results = of(all, "tool.ended").filter(({ data }) => data.call.startsWith("act"));
      expect(results.map(({ data }) => data.result.trim())).toEqual([
        "price.example.com/today",
        "price.example.com/tomorrow",
        "elsewhere.example.net may not be reached: the human said no: we have our own",
        "price.example.com/again",
      ]);
    },
  );
});
