/** Logs of agents, written before the daemon starts: a long talk, and one in which every text would do harm if anybody took it for more than text. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { start, t0, type World } from "../../src/core/core.test-help.ts";
import { agentRoot } from "../../src/home/layout.ts";
import type { Event } from "../../src/schema/event.ts";
import { encode } from "../../src/store/log-line.ts";

/** The human and the coordinator have talked for long; nobody works in it. */
export function writeTalk(home: string, name: string, messages: number, words: (nth: number) => string): void {
  const world = start();
  for (let nth = 0; nth < messages; nth++) {
    world.now = t0 + nth * 60_000;
    const [from, to] = nth % 4 === 0 ? ["human", "coordinator"] : ["coordinator", "human"];
    const said = { message: `m${nth + 1}`, from, to: [to], text: words(nth), priority: "normal" as const };
    world.append({ type: "message.posted", data: said }, from);
  }
  write(home, name, world, "a test");
}

/** Each text has a number of its own, so that one sees where it is shown. */
const harm = (n: number) =>
  `<img src=https://evil.example/${n}.png onerror=alert(${n})><script>alert(${n})</script> ![p](https://evil.example/${n}.gif) [l](javascript:alert(${n}))`;
const shortHarm = (n: number) => `<img src=x onerror=alert(${n})>`;

/** What is in a log, by the number in its text. Names of agents and workers are letters and digits, whoever gives them. */
export const surfaces: Record<number, string> = {
  1: "goal",
  3: "role of a worker",
  4: "name of a stage",
  5: "name of a node",
  6: "task of a node",
  7: "headline of a node",
  8: "name of a published file",
  9: "why a node failed",
  10: "message to the human",
  11: "message between workers",
  12: "words of a turn",
  13: "argument of a tool",
  14: "result of a tool",
  15: "error of a model",
  16: "question",
  17: "option",
  18: "suggestion",
  19: "begin of a resource",
  20: "why it is paused",
  21: "name of a tool",
  22: "what a node must meet",
  23: "error that was tried again",
  24: "what a check runs",
  25: "output of a check",
  26: "what a reviewer found",
  27: "what is put to a vote",
  28: "option of a vote",
  29: "reason of a vote",
};

export function writeHostile(home: string, name: string): void {
  const world = start();
  const no = { usd: 0, tokens: 0 };
  const reason = (n: number) => ({ code: "provider", message: harm(n), next_mover: "human" });
  world.append(
    { type: "worker.spawned", data: { worker: "eve", name: "Eve", role: harm(3), kind: "harnessed" } },
    "coordinator",
  );
  world.tell({ type: "stage.start", name: shortHarm(4) }, "coordinator");
  const checks = [{ run: shortHarm(24) }, { review: true as const }];
  const done = world.node({ name: shortHarm(5), task: harm(6), acceptance: harm(22), checks });
  const failed = world.node({ name: "Fails", task: "Fail" });
  for (const node of [done, failed]) {
    world.append({ type: "node.assigned", data: { node, worker: "eve" } });
    world.append({ type: "node.started", data: { node, worker: "eve" } });
    if (node === failed) world.append({ type: "node.failed", data: { node, reason: reason(9) } });
    else {
      const files = [{ path: `${shortHarm(8)}.md`, size: 3, sha256: "a".repeat(64) }];
      const ended = { node, on: "a".repeat(64), outcome: "failed" as const, output: harm(25), seconds: 1 };
      const findings = [{ text: harm(26) }];
      world.append({ type: "check.ended", data: { ...ended, check: 1, what: checks[0]!, by: "runtime" } });
      world.append({ type: "check.ended", data: { ...ended, check: 2, what: checks[1]!, by: "bob", findings } });
      const data = { node, worker: "eve", summary: harm(7), partial: false, files };
      world.append({ type: "node.completed", data });
    }
  }
  const post = (message: string, from: string, to: string, text: string, resource?: string) =>
    world.append(
      {
        type: "message.posted",
        data: { message, from, to: [to], text, priority: "normal", ...(resource ? { resource } : {}) },
      },
      from,
    );
  post("m1", "coordinator", "human", harm(10));
  post("m2", "eve", "bob", harm(11));
  post("m3", "coordinator", "human", harm(19), "b".repeat(64));
  const calls = [{ id: "c1", tool: shortHarm(21), input: { [shortHarm(13)]: harm(13) } }];
  const turn = world.begin("coordinator", no);
  world.tell({ type: "turn.answer", ...turn, text: harm(12), calls, cost: no }, "coordinator");
  world.tell({ type: "tool.end", ...turn, call: "c1", outcome: "error", result: harm(14) }, "coordinator");
  world.tell({ type: "turn.end", ...turn }, "coordinator");
  const asking = { question: "q1", by: "eve", text: harm(16), options: [shortHarm(17), "no"] };
  world.append({ type: "question.asked", data: asking }, "eve");
  const voting = { text: harm(27), options: [shortHarm(28), "no"], voters: ["human", "eve"] };
  world.tell({ type: "proposal.create", ...voting, rule: "unanimous" }, "eve");
  const ballot = { proposal: "p1", voter: "eve", option: shortHarm(28), reason: harm(29) };
  world.tell({ type: "proposal.vote", ...ballot }, "eve");
  world.append({ type: "suggestion.made", data: { suggestion: "sg1", by: "eve", text: harm(18) } }, "eve");
  const again = world.begin("eve", no);
  const not_before = new Date(world.now).toISOString();
  world.append({ type: "turn.retried", data: { ...again, error: harm(23), not_before, lost: no } }, "eve");
  world.append({ type: "turn.failed", data: { ...again, reason: reason(15), lost: no } }, "eve");
  write(home, name, world, harm(20), harm(1));
}

/** Paused at its end, so that nobody works in it. */
function write(home: string, name: string, world: World, why: string, goal = "Know chips"): void {
  world.tell({ type: "agent.pause", reason: { code: "asked", message: why, next_mover: "human" } });
  writeLog(home, name, world, goal);
}

/** As it is; who has something to do begins with it when the daemon is up. */
export function writeLog(home: string, name: string, world: Pick<World, "log">, goal?: string): void {
  const path = join(agentRoot(home, name), "events.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, world.log.map((event) => encode(named(event, name, goal))).join(""));
}

/** The small world's agent has a name and a goal of its own. */
function named(event: Event, name: string, given: string | undefined): Event {
  const { seq, cause, type } = event;
  const goal = given === undefined ? {} : { goal: given };
  const data =
    type === "agent.created"
      ? { ...event.data, agent: name, ...goal }
      : type === "run.started"
        ? { ...event.data, ...goal }
        : event.data;
  const follows = cause === undefined ? {} : { cause: cause.replace(/^\w+/, name) };
  return { ...event, id: `${name}/${seq}`, ...follows, data } as Event;
}
