/**
 * Two teams that share the agent alice: a real daemon, models over real HTTP that answer by what they are shown, and `kill -9` while her messages are on
 * their way. What one agent writes to another stands in the other log once, whatever died in between.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterThisTest } from "../src/lib/cleanup.test-help.ts";
import type { Event } from "../src/schema/event.ts";
import { ask, clearLater, type Running, start } from "./daemon.ts";
import { type Asked, type Step, startModelServer } from "./model-server.ts";
import { newFolder } from "./program.ts";
import { until } from "./until.ts";

type Request = Asked & { model: string };
const call = (tool: string, input: object): Step => ({ calls: [{ tool, input }] });
const say = (team: string, content: string) => call("send_message", { to: `agent:${team}`, content });
const newMail = ({ messages }: Asked) =>
  [...JSON.stringify(messages.at(-1)).matchAll(/<message id=.*?<\/message>/g)].join("\n");

const workflow = (name: string) => `agents:
  alice: { ref: alice, prompt: { append: Focus on ${name}. } }
  cody: { model: anthropic/cody-${name}, system_prompt: Fix issues. }
kickoff: "@alice please look at ${name}."
`;

/** What alice does when a new message says this. */
const hers: [words: string, Step][] = [
  [
    "please look at review",
    {
      calls: [
        {
          tool: "memory_write",
          input: { path: "knowledge/token.md", content: "# Token\n\nThe token is printed at start.\n" },
        },
        {
          tool: "send_message",
          input: { to: "agent:review", content: "@cody, the token is printed. Secret of review: pear." },
        },
      ],
    },
  ],
  ["please look at deploy", say("deploy", "@cody, wait for review.")],
  ["mended in review", say("review", "@cody, thanks, that is it.")],
  ["waiting in deploy", say("deploy", "@cody, go on: the token is no longer printed.")],
  // By a call: last words are posted only if a turn has no calls, and a team's message may come with the question.
  ["What do you do?", call("send_message", { to: "human", content: "I look at two teams." })],
];

/** Several messages may come at once, after a crash in particular. */
const together = (steps: Step[]): Step => ({
  text: steps.flatMap(({ text }) => text ?? []).join(" ") || ".",
  calls: steps.flatMap(({ calls }) => calls ?? []),
});

function events(home: string, agent: string): Event[] {
  const text = readFileSync(join(home, "agents", agent, "events.jsonl"), "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line));
}
const posts = (home: string, agent: string) =>
  events(home, agent).flatMap((event) => (event.type === "message.posted" ? [event.data] : []));

/** `moments`: words in new mail at which the daemon is killed, each once. */
async function place(moments: string[]) {
  let daemon: Running | undefined;
  const never = Promise.withResolvers<never>().promise;
  const asked: Request[] = [];
  const server = await startModelServer(async (given) => {
    const request = given as Request;
    asked.push(request);
    const mail = newMail(request);
    if (daemon!.child.killed) return await never; // asked by one that is dead already: its next life asks again
    const at = moments.findIndex((words) => mail.includes(words));
    if (at >= 0) {
      moments.splice(at, 1);
      daemon!.child.kill("SIGKILL");
      return await never;
    }
    if (request.model === "alice")
      return together(hers.filter(([words]) => mail.includes(words)).map(([, step]) => step));
    const team = request.model.slice("cody-".length);
    if (team === "review" && mail.includes("the token is printed")) return { text: "@alice, mended in review." };
    if (team === "deploy" && mail.includes("wait for review")) return { text: "@alice, waiting in deploy." };
    return { text: "Good." };
  });
  afterThisTest(() => server.close());
  const home = clearLater(
    newFolder({
      "config.yaml": 'embeddings: "off"\n',
      "workflows/review.yaml": workflow("review"),
      "workflows/deploy.yaml": workflow("deploy"),
    }),
  );
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-ant-none" };
  const up = async () => {
    daemon = start(home, ["up", "--port", "0"], env); // it asks models, and may be killed, before it is ready
    await Promise.race([daemon.until("ready in").catch(() => undefined), daemon.ended]);
    return daemon;
  };
  const soul = "You explain trade-offs.";
  const begin = async () => {
    const make = (name: string, given: object) =>
      ask(home, "POST /agents", { name, ...given }, { "idempotency-key": `make-${name}` });
    await make("alice", { goal: "Review what you are given.", model: "anthropic/alice", soul, start: false });
    const team = (name: string) => make(name, { workflow: name, model: "anthropic/none" });
    return await Promise.all([team("review"), team("deploy")]);
  };
  return { home, asked, up, begin };
}

const isDone = async (home: string, agent: string) =>
  expect((await ask(home, `GET /agents/${agent}`)).body.status).toBe("completed");

/** Each message of alice stands once in her team's channel, in her order, and each of theirs once in her log. */
function expectOnce(home: string) {
  for (const [team, texts] of [
    ["review", ["@cody, the token is printed. Secret of review: pear.", "@cody, thanks, that is it."]],
    ["deploy", ["@cody, wait for review.", "@cody, go on: the token is no longer printed."]],
  ] as const) {
    const heard = posts(home, team).filter(({ from }) => from === "alice");
    expect(heard.map(({ text }) => text)).toEqual(texts);
    expect(heard.every(({ to }) => to.join() === "cody")).toBe(true);
    const received = posts(home, "alice").filter(({ from }) => from === `agent:${team}`);
    expect(received.filter(({ text }) => text.includes(`please look at ${team}`))).toHaveLength(1);
    expect(received.filter(({ text }) => /mended in review|waiting in deploy/.test(text))).toHaveLength(1);
    expect(posts(home, team).filter(({ text }) => text.includes("please look at"))).toHaveLength(1);
  }
}

test("two teams at once share alice: one conversation, one memory, one turn at a time; private talk of one team is not in the other", async () => {
  const { home, asked, up, begin } = await place([]);
  const daemon = await up();
  expect((await begin()).map(({ status }) => status)).toEqual([201, 201]);
  const direct = await ask(home, "POST /agents/alice/send", { message: "What do you do?", wait: 60 });
  expect(direct.body.reply).toMatchObject({ from: "coordinator", text: "I look at two teams." });
  await until(() => isDone(home, "review"));
  await until(() => isDone(home, "deploy"));
  expectOnce(home);

  // Her turns are one after the other.
  let open = 0;
  for (const { type } of events(home, "alice")) {
    if (type === "turn.started") expect(++open).toBe(1);
    if (type === "turn.ended") open--;
  }
  // Her soul is hers in both teams; what each adds comes with its mail.
  const alices = asked.filter(({ model }) => model === "alice").map((one) => JSON.stringify(one));
  expect(alices.every((one) => one.includes("You explain trade-offs."))).toBe(true);
  expect(alices.at(-1)).toContain("Focus on review.");
  expect(alices.at(-1)).toContain("Focus on deploy.");
  // What was said in one team stays there; the other has only what she said to it.
  expect(posts(home, "deploy").some(({ text }) => text.includes("pear"))).toBe(false);
  expect(asked.filter(({ model }) => model === "cody-deploy").some((one) => JSON.stringify(one).includes("pear"))).toBe(
    false,
  );

  // What she learned is there in her next team.
  const again = await ask(home, "POST /agents", { name: "deploy-2", workflow: "deploy", model: "anthropic/none" });
  expect(again.status).toBe(201);
  await until(() => isDone(home, "deploy-2"));
  expect(JSON.stringify(asked.findLast(({ model }) => model === "alice"))).toContain("token.md");
  daemon.child.kill("SIGTERM");
  await daemon.ended;
});

test("the same with kill -9 while alice reads a team's message, and while a team reads hers", async () => {
  const moments = ["please look at review", "wait for review", "mended in review", "thanks, that is it"];
  const kills = moments.length;
  const { home, up, begin } = await place(moments);
  let daemon = await up();
  await begin().catch(() => undefined);
  for (let kill = 0; kill < kills; kill++) {
    await daemon.ended;
    daemon = await up();
    await begin().catch(() => undefined); // what the daemon died over may not have been made
  }
  expect(moments).toEqual([]);
  await until(() => isDone(home, "review"));
  await until(() => isDone(home, "deploy"));
  expectOnce(home);
  daemon.child.kill("SIGTERM");
  await daemon.ended;
});
