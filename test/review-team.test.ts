/**
 * The review team of the first specification, byte for byte: reviewer and coder, nobody leads. Through the real command line, on a real repository, with a
 * model over HTTP that answers by what it is shown, so that a call that a crash has lost gets the same answer again.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterThisTest } from "../src/lib/cleanup.test-help.ts";
import { machine } from "../src/lib/machine/index.ts";
import { ask, clearLater, type Running, start, upAndReady } from "./daemon.ts";
import { type Asked, type Step, startModelServer } from "./model-server.ts";
import { newFolder, put, root } from "./program.ts";
import { until } from "./until.ts";

const missing = await machine.processes.sandbox();
const review = readFileSync(join(root, "test/workflows/review.yaml"), "utf8");

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=u", "-c", "user.email=u@example.com", ...args], {
    env: { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
  }).toString();

/** Its last commit has a mistake: the sum of nothing. */
function repository(): string {
  const folder = newFolder({ "sum.js": "export const sum = (list) => list.reduce((a, b) => a + b, 0);\n" });
  chmodSync(folder, 0o755); // git in the sandbox of root asks for it
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "first");
  put(folder, { "sum.js": "export const sum = (list) => list.reduce((a, b) => a + b);\n", "review.yaml": review });
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "shorter");
  return folder;
}

const call = (tool: string, input: object) => ({ tool, input });
const mended = "export const sum = (list) => list.reduce((total, one) => total + one, 0);\n";

/** What each does when a new message says this. On any other one it has nothing to do. */
const play: Record<string, [words: string, Step][]> = {
  reviewer: [
    [
      "please review",
      { calls: [call("create_work_node", { name: "sum", task: "sum([]) throws: mend sum.js.", worker: "coder" })] },
    ],
    [
      "n1-sum completed",
      {
        calls: [
          call("proposal_create", {
            question: "Merge n1-sum?",
            kind: "approval",
            rule: "majority",
            binding: { effect: "merge", of: "n1-sum" },
          }),
          call("merge", { node: "n1-sum" }),
          call("vote", { proposal_id: "p1", choice: "approve", reason: "sum([]) is 0 again." }),
        ],
      },
    ],
    ["p1 is settled", { calls: [call("merge", { node: "n1-sum", message: "The sum of nothing is 0." })] }],
  ],
  coder: [
    [
      "n1-sum: sum([]) throws",
      {
        calls: [call("write_file", { path: "sum.js", content: mended }), call("publish", { summary: "sum([]) is 0." })],
      },
    ],
    ["p1: Merge n1-sum?", { calls: [call("vote", { proposal_id: "p1", choice: "approve", reason: "It is mended." })] }],
  ],
};

const whoIs = ({ system }: Asked) => /You are (reviewer|coder)/.exec(JSON.stringify(system))?.[1] ?? "";
const newMail = ({ messages }: Asked) =>
  [...JSON.stringify(messages.at(-1)).matchAll(/<message id=.*?<\/message>/g)].join("\n");

/** `hold`: before a participant answers to its new messages. */
async function place(hold?: (mail: string) => Promise<void> | undefined) {
  const server = await startModelServer(async (request) => {
    const mail = newMail(request);
    await hold?.(mail);
    return play[whoIs(request)]?.find(([words]) => mail.includes(words))?.[1] ?? { text: "That is all." };
  });
  afterThisTest(() => server.close());
  const home = clearLater(newFolder({ "config.yaml": 'embeddings: "off"\n' }));
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-ant-none", OLLAMA_HOST: "127.0.0.1:1" };
  const folder = repository();
  const run = ["workflow", "run", join(folder, "review.yaml"), "--folder", folder];
  return { home, env, folder, run };
}

function eventsIn(home: string) {
  const lines = readFileSync(join(home, "agents/review/events.jsonl"), "utf8").trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
  return { all: events, of: (type: string) => events.filter((event) => event.type === type).map(({ data }) => data) };
}

/** Reviewed, mended, approved and merged, each once; nothing of it is in the user's repository before the user takes it. */
async function expectMerged({ home, env, folder }: { home: string; env: Record<string, string>; folder: string }) {
  const { all, of } = eventsIn(home);
  expect(of("run.started")).toMatchObject([
    { team: { workflow: "review", lead: false }, setup: [{ as: "diff", output: expect.stringContaining("+export") }] },
  ]);
  expect(of("node.completed")).toHaveLength(1);
  expect(of("proposal.voted")).toMatchObject([{ voter: "reviewer" }, { voter: "coder" }]);
  expect(of("proposal.settled")).toMatchObject([{ verdict: { result: "won", option: "approve" }, expired: false }]);
  expect(of("proposal.applied")).toHaveLength(1);
  expect(of("workspace.merged")).toMatchObject([{ workspace: "n1-sum" }]);
  const order = ["node.completed", "proposal.settled", "workspace.merged", "agent.completed"];
  expect(all.map(({ type }) => type).filter((type) => order.includes(type))).toEqual(order);

  const show = () => readFileSync(join(folder, "sum.js"), "utf8");
  expect(show()).not.toBe(mended);
  const taken = await start(home, ["--alone", "merge", "review"], env).ended;
  expect([taken.code, show()]).toEqual([0, mended]);
  expect(git(folder, "status", "--porcelain")).toBe("");
}

test("the review of the first specification is here as it was written", () => {
  expect(review).toBe(`# review.yaml
agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: Review code, @coder to fix.
  coder:
    model: anthropic/claude-sonnet-4-5
    system_prompt: Fix issues from reviewer.

setup:
  - shell: git diff HEAD~1
    as: diff

kickoff: |
  \${{ diff }}
  @reviewer please review.
`);
});

test.skipIf(missing)(
  "a team that nobody leads: from the kickoff to a fix that is merged after a vote, exit code 0",
  async () => {
    const team = await place();
    const { code, err } = await start(team.home, ["--alone", ...team.run], team.env).ended;
    expect([code, err]).toEqual([0, ""]);
    await expectMerged(team);
  },
);

test.skipIf(missing)("the same with kill -9 before the last vote, and again before the merge", async () => {
  const moments = ["p1: Merge n1-sum?", "p1 is settled"];
  let daemon: Running | undefined;
  const never = Promise.withResolvers<void>().promise;
  const team = await place((mail) => {
    if (!moments[0] || !mail.includes(moments[0])) return undefined;
    moments.shift();
    daemon!.child.kill("SIGKILL");
    return never;
  });
  daemon = await upAndReady(team.home, team.env);
  const follower = start(team.home, team.run, team.env);
  await daemon.ended;
  follower.child.kill("SIGKILL");
  daemon = await upAndReady(team.home, team.env);
  await daemon.ended;
  expect(moments).toEqual([]);
  daemon = await upAndReady(team.home, team.env);
  await until(async () => expect((await ask(team.home, "GET /agents/review")).body.status).toBe("completed"));
  daemon.child.kill("SIGTERM");
  await daemon.ended;
  await expectMerged(team);
});
