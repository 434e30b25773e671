/**
 * Programs of the user that we know nothing of, in a folder that no sandbox shows by itself: `command:` by files, `acp:` by its protocol, with our
 * tools and with a model through the gateway. Real processes in our sandbox.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createScripted } from "../../src/backend/scripted.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { type House, openHouse } from "../../src/main/house/house.ts";
import { events as eventsIn, of } from "../scenarios/log.ts";
import { until } from "../until.ts";
import { type FakeModel, script, startModel } from "./model.ts";

const noSandbox = await machine.processes.sandbox(true);
/** Not in /tmp: a sandbox has one of its own. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
const key = "sk-key-of-the-user-4b1e";

const byFiles = `#!/bin/sh
. "$(dirname "$0")/words.sh"
env > env.txt
printf 'TO: human\\nI begin.\\n---\\n' >> _outbox.md
touch .of-its-own
echo "$words" > _result.md
`;
const byAcp = `import json, os, subprocess, sys, time, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def post(url, headers, body):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
    answer = opener.open(urllib.request.Request(url, json.dumps(body).encode(), headers)).read().decode()
    return json.loads(answer.split("data: ", 1)[1] if "data: " in answer else answer)
def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {})
    result = {}
    if method == "session/new":
        [server] = params["mcpServers"]
        result = {"sessionId": "s1"}
    if method == "session/prompt":
        headers = {one["name"]: one["value"] for one in server["headers"]}
        def mcp(method, params): return post(server["url"], headers, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        mcp("tools/list", {})
        if sys.argv[1] == "reach":
            subprocess.Popen("while true; do curl -sS http://stats.example.com; sleep 0.1; done", shell=True, stdout=2)
            while not os.path.exists("go"): time.sleep(0.02)
            mcp("tools/call", {"name": "publish", "arguments": {"summary": "made"}})
            time.sleep(1000)
        prompt = "\\n".join(part["text"] for part in params["prompt"])
        body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": [{"role": "user", "content": prompt}]}
        asked = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
        answer = post(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", asked, body)["content"][0]["text"]
        content = {"type": "text", "text": answer}
        say(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk", "content": content}})
        mcp("tools/call", {"name": "finish", "arguments": {"summary": answer + " Argument: " + sys.argv[1]}})
        result = {"stopReason": "end_turn"}
    say(id=message["id"], result=result)
`;

describe.skipIf(noSandbox)(
  noSandbox ? `programs of the user are left out: ${noSandbox}` : "a program of the user",
  () => {
    const root = mkdtempSync(join(base, "agiraph-own-"));
    const [home, user] = [join(root, "home"), join(root, "user")];
    let house: House;
    let model: FakeModel;
    beforeAll(async () => {
      for (const folder of ["home", "user", "user/agents"]) mkdirSync(join(root, folder), { mode: 0o755 });
      const programs = { curious: "acp:python3 ~/agents/by-acp.py reach" };
      writeFileSync(join(home, "config.yaml"), JSON.stringify({ embeddings: "off", programs }));
      for (const [name, text] of Object.entries({
        "by-files": byFiles,
        "words.sh": 'words="Made by files."\n',
        "by-acp.py": byAcp,
      }))
        writeFileSync(join(user, "agents", name), text, { mode: 0o755 });
      model = await startModel();
      const env = {
        PATH: `${join(user, "agents")}:/usr/bin:/bin`,
        HOME: user,
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_BASE_URL: model.url,
      };
      const calls = [
        { tool: "spawn_worker", input: { name: "Ann", agent_command: "curious" } },
        { tool: "create_work_node", input: { name: "a", task: "Make a.", worker: "Ann" } },
        { tool: "wait_for_nodes" },
      ];
      const end = { calls: [{ tool: "finish", input: { summary: "as far as it went" } }] };
      const lead = createScripted({ participants: { coordinator: [{ calls }, end] } }, machine.clock);
      house = await openHouse({ path: home, env, notice: () => undefined, scripted: { "scripted/lead": lead } });
      await house.runtime.start();
    });
    afterAll(async () => {
      await house?.close();
      await model?.close();
      rmSync(root, { recursive: true, force: true });
    });

    async function played(name: string, driver: string, goal: string) {
      await house.runtime.create({ name, goal, model: driver }, { actor: "human" });
      await until(() => {
        const all = eventsIn(home, name);
        expect(of(all, "agent.paused")).toEqual([]);
        expect(of(all, "run.completed")).toHaveLength(1);
      });
      return eventsIn(home, name);
    }

    test.each([
      ["by its path", "files1", "command:~/agents/by-files"],
      ["by its name on the PATH", "files2", "command:by-files --quietly"],
      ["as the script of an interpreter", "files3", "command:sh ~/agents/by-files"],
    ])("that works through files is found %s, and leads", async (_, name, driver) => {
      const all = await played(name, driver, "Make it.");
      expect(of(all, "run.completed")[0]?.data.summary).toBe("Made by files.");
      expect(of(all, "message.posted").map(({ data }) => `${data.from}: ${data.text}`)).toContain(
        "coordinator: I begin.",
      );
      const published = join(home, "agents", name, "runs/r1/published");
      expect(existsSync(join(published, ".of-its-own"))).toBe(false);
      expect(readFileSync(join(published, "env.txt"), "utf8")).not.toContain(key);
    });

    test("is not in a sandbox where the user turned it off and allows it, and else is not started", async () => {
      const other = join(root, "other");
      const config = (policy: object[]) =>
        writeFileSync(
          join(other, "config.yaml"),
          JSON.stringify({ embeddings: "off", sandbox: { bash: "off" }, policy }),
        );
      mkdirSync(other);
      const driver = `command:test -e ${home}/config.yaml && echo "I see it." > _result.md`;
      const play = async (name: string, check: () => void) => {
        const free = await openHouse({
          path: other,
          env: { PATH: "/usr/bin:/bin", HOME: user },
          notice: () => undefined,
        });
        try {
          await free.runtime.start();
          await free.runtime.create({ name, goal: "Look.", model: driver }, { actor: "human" });
          await until(check);
        } finally {
          await free.close();
        }
      };
      config([]);
      await play("asks", () =>
        expect(of(eventsIn(other, "asks"), "agent.paused")[0]?.data.reason).toMatchObject({
          code: "backend",
          message: expect.stringMatching(/without a sandbox.*policy: \[\{ do: allow, tool: bash \}\]/),
        }),
      );
      config([{ do: "allow", tool: "bash" }]);
      await play("free", () => expect(of(eventsIn(other, "free"), "run.completed")).toHaveLength(1));
    });

    test("that speaks ACP leads with our tools, and pays for its model through the gateway", async () => {
      const goal = `Say it. ${script({ say: "The model said so." })}`;
      const all = await played("acp1", `acp:python3 ~/agents/by-acp.py "two words"`, goal);
      expect(of(all, "run.completed")[0]?.data.summary).toBe("The model said so. Argument: two words");
      expect(of(all, "program.settled")).toMatchObject([{ data: { cost: { usd: expect.any(Number) } } }]);
      expect(of(all, "program.settled")[0]!.data.cost.usd).toBeGreaterThan(0);
      expect(model.asked.map(({ headers }) => headers["x-api-key"])).toEqual([key]);
    });

    test("that still wants to reach a host when its node is over is not asked about again", async () => {
      const scratch = join(home, "agents/curious/runs/r1/nodes/n1-a/scratch");
      await house.runtime.create({ name: "curious", goal: "Make a.", model: "scripted/lead" }, { actor: "human" });
      await until(() => expect(of(eventsIn(home, "curious"), "question.asked")).toHaveLength(1));
      writeFileSync(join(scratch, "go"), "");
      await until(() => expect(of(eventsIn(home, "curious"), "agent.completed")).toHaveLength(1));
      const all = eventsIn(home, "curious");
      expect(of(all, "question.asked")).toMatchObject([{ data: { host: { host: "stats.example.com" } } }]);
      expect(of(all, "question.expired")).toHaveLength(1);
    });
  },
);
