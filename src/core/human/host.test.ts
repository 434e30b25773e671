import { expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";
import { permissionFor } from "./host.ts";

const host = "api.example.com";
const callOf = (nth: number, who = "coordinator") => `chips/r1/${who}.${nth}/c1`;

const ask = (
  world: World,
  given: Partial<Record<"participant" | "call" | "host" | "subject" | "command", string>> = {},
) =>
  world.tell(
    {
      type: "host.ask",
      participant: "coordinator",
      call: callOf(1),
      host: given.host ?? host,
      subject: given.host ?? host,
      command: "curl it",
      ...given,
    },
    given.participant ?? "coordinator",
  );
const answer = (world: World, question: string, said: string, more: object = {}) =>
  world.tell({ type: "question.answer", question, answer: said, ...more });
const permission = (world: World, participant = "coordinator", call = callOf(1), subject = host) =>
  permissionFor(world.state, { participant, call, subject });
const open = (world: World, given: object = {}, participant = "coordinator") => {
  const wish = { participant, call: callOf(1), host, subject: host, allowed: false, ...given };
  return world.tell({ type: "host.open", ...wish }, participant);
};

test("the human is asked once about a host, with what, who and the four answers", () => {
  const world = start();
  expect(permission(world)).toEqual({ is: "unknown" });
  const [asked, ...more] = ask(world);
  expect(more).toEqual([]);
  expect(asked).toMatchObject({
    type: "question.asked",
    data: {
      question: "q1",
      by: "coordinator",
      text: "May a command of Coordinator reach api.example.com?\ncurl it",
      options: ["this time", "this run", "always", "no"],
      host: { host, subject: host, call: callOf(1), command: "curl it" },
    },
  });
  expect(asked?.data).not.toHaveProperty("host.node");
  expect(asked?.data).not.toHaveProperty("host.tainted");
  expect(permission(world)).toEqual({ is: "asked", question: "q1" });
  expect(ask(world, { call: callOf(2) })).toEqual([]);
  expect(ask(world, { participant: "alice" })).toEqual([]);
  expect(
    world.refused({ type: "host.ask", participant: "nobody", call: "c", host, subject: host, command: "x" }),
  ).toMatch(/nobody/);
});

test("the question says for which node it is, that an answer is about all registries, and that strangers may stand behind it", () => {
  const world = start();
  const node = world.node({ name: "Prices\nof all", worker: "alice" });
  world.begin("alice");
  ask(world, { participant: "alice", host: "pypi.org", subject: "packages" });
  expect(world.state.questions.get("q1")?.text).toBe(
    `May a command of Alice reach pypi.org?\nIt is a package registry; your answer counts for all the usual ones (docs/safety.md).\nFor ${node}: Prices\ncurl it`,
  );
  expect(world.state.questions.get("q1")?.host).toMatchObject({ node, subject: "packages" });
  open(world, { allowed: true });
  ask(world, { host: "other.example.com" });
  expect(world.state.questions.get("q2")).toMatchObject({
    text: "May a command of Coordinator reach other.example.com?\nThis run has read what api.example.com says: the host may be a stranger's idea.\ncurl it",
    host: { tainted: true },
  });
  open(world, { host: "rates.example.com", allowed: true });
  ask(world, { host: "third.example.com" });
  expect(world.state.questions.get("q3")?.text).toContain("has read what api.example.com and 1 other say: the host");
});

test.each([
  ["this time", "this time"],
  [" This Run ", "this run"],
  ["always", "always"],
  ["ALWAYS!", "always"],
  ["yes", "this time"],
  ["y", "this time"],
  ["ok, go on", "this time"],
  ["once", "this time"],
  ["allow", "this time"],
  ["no", "no"],
  ["n", "no"],
  ["deny", "no"],
  ["No, not that one", "no: not that one"],
  ["no:  because ", "no: because"],
  ["deny. never", "no: never"],
])("the answer %j means %j", (said, meant) => {
  const world = start();
  ask(world);
  answer(world, "q1", said);
  expect(world.state.questions.get("q1")).toMatchObject({ status: "answered", answer: meant });
});

test("an answer that is none of these is refused; yes for good means for the run", () => {
  const world = start();
  ask(world);
  for (const said of ["perhaps", "nobody knows", "yesterday", "", "alwaysnot"])
    expect(world.refused({ type: "question.answer", question: "q1", answer: said || " " })).toBe(
      "invalid: q1 asks whether api.example.com may be reached; answer this time, this run, always, no",
    );
  answer(world, "q1", "yes", { remember: true });
  expect(world.state.questions.get("q1")).toMatchObject({ answer: "this run" });
});

test("no holds for everyone in the run, with its reason; this run and always open it to everyone", () => {
  for (const [said, is] of [
    ["no, not now", { is: "refused", why: "the human said no: not now" }],
    ["this run", { is: "given", question: "q1" }],
    ["always", { is: "given", question: "q1" }],
  ] as const) {
    const world = start();
    ask(world);
    answer(world, "q1", said);
    expect([permission(world), permission(world, "alice", callOf(7, "alice"))]).toEqual([is, is]);
    expect(permission(world, "coordinator", callOf(1), "other.example.com")).toEqual({ is: "unknown" });
    expect(ask(world, { call: callOf(9) })).toEqual([]);
  }
});

test("this time is for the command that asked, or the asker's next one, and for one only", () => {
  const world = start();
  ask(world);
  answer(world, "q1", "this time");
  const given = { is: "given", question: "q1" };
  expect(permission(world)).toEqual(given);
  expect(permission(world, "coordinator", callOf(2))).toEqual(given); // the command that asked had ended
  expect(permission(world, "alice", callOf(2, "alice"))).toEqual({ is: "unknown" });
  expect(open(world, { call: callOf(2) })).toMatchObject([{ type: "host.opened", data: { host, question: "q1" } }]);
  expect(world.state.hosts.used).toEqual({ q1: callOf(2) });
  expect(permission(world, "coordinator", callOf(2))).toEqual(given); // its further connections
  expect(permission(world)).toEqual({ is: "unknown" });
  expect(ask(world, { call: callOf(3) })).toHaveLength(1);
  expect(permission(world, "coordinator", callOf(2))).toEqual({ is: "asked", question: "q2" });
  answer(world, "q2", "this run");
  open(world, { call: callOf(3) });
  expect(world.state.hosts.used).toEqual({ q1: callOf(2) }); // what holds for the run is not used up
});

test("a question that nobody answered in time says nothing", () => {
  const world = start();
  ask(world);
  world.append({ type: "question.expired", data: { question: "q1" } });
  expect(permission(world)).toEqual({ is: "unknown" });
});

test("a host is opened only by the config or an answer, and the log says by which", () => {
  const world = start();
  const wish = { type: "host.open" as const, participant: "coordinator", call: callOf(1), host, subject: host };
  expect(world.refused({ ...wish, allowed: false }, "coordinator")).toBe(
    "forbidden: nobody has allowed api.example.com",
  );
  ask(world);
  expect(world.refused({ ...wish, allowed: false }, "coordinator")).toMatch(/^forbidden/);
  const [opened] = open(world, { allowed: true });
  expect(opened?.data).toEqual({ participant: "coordinator", call: callOf(1), host });
  answer(world, "q1", "no");
  expect(world.refused({ ...wish, allowed: false }, "coordinator")).toMatch(/^forbidden/);
});

test("open questions about hosts are bounded, and so are those of a run", () => {
  const world = start({ host_questions: 2, host_questions_per_run: 3 });
  const wish = (nth: number) => ({
    ...{ type: "host.ask" as const, participant: "coordinator", call: callOf(1), command: "x" },
    ...{ host: `h${nth}.example.com`, subject: `h${nth}.example.com` },
  });
  world.tell({ type: "question.ask", by: "coordinator", text: "Which colour?" }, "coordinator"); // counts for nothing here
  world.tell(wish(1), "coordinator");
  world.tell(wish(2), "coordinator");
  expect(world.refused(wish(3), "coordinator")).toBe(
    "limit_reached: the human was not asked about h3.example.com: 2 questions about hosts are waiting for an answer already",
  );
  answer(world, "q2", "no");
  world.tell(wish(3), "coordinator");
  answer(world, "q3", "no");
  expect(world.refused(wish(4), "coordinator")).toBe(
    "limit_reached: the human was not asked about h4.example.com: they were asked about 3 hosts in this run, the maximum",
  );
});

test("what is allowed always is kept once, and stays to be kept in the next run", () => {
  const world = start();
  ask(world);
  answer(world, "q1", "always");
  expect(world.state.hosts.unkept).toEqual([host]);
  ask(world, { host: "other.example.com" });
  answer(world, "q2", "this run");
  expect(world.state.hosts.unkept).toEqual([host]);
  open(world, { allowed: true });
  world.state.hosts = { ...world.state.hosts, used: { q9: "x" } };
  world.tell({ type: "run.finish", summary: "done" }, "coordinator");
  world.tell({ type: "run.start" });
  expect(world.state.hosts).toEqual({ used: {}, unkept: [host] });
  ask(world, { call: "chips/r2/coordinator.1/c1" });
  answer(world, "q1", "always");
  expect(world.state.hosts.unkept).toEqual([host]); // once
  expect(world.tell({ type: "host.keep", subject: "other.example.com" }, "system")).toEqual([]);
  expect(world.tell({ type: "host.keep", subject: host }, "system")).toMatchObject([
    { type: "host.kept", data: { subject: host } },
  ]);
  expect(world.state.hosts.unkept).toEqual([]);
  expect(world.tell({ type: "host.keep", subject: host }, "system")).toEqual([]);
});

test("in another home no answer about a host holds, and nothing is written to its config", () => {
  const world = start();
  ask(world);
  answer(world, "q1", "always");
  world.append({ type: "agent.moved", data: { from: "elsewhere", inert: false } as never });
  expect(world.state.hosts.unkept).toEqual([host]);
  world.append({ type: "agent.moved", data: { from: "elsewhere", inert: true } as never });
  expect(world.state.hosts).toEqual({ used: {}, unkept: [] });
  expect(permission(world)).toEqual({ is: "unknown" });
});

test("nobody is asked any longer for a worker whose node is over; the coordinator's question stays", () => {
  const world = start();
  const node = world.node({ worker: "alice" });
  world.begin("alice");
  ask(world, { participant: "alice", call: callOf(1, "alice") });
  ask(world, { host: "other.example.com" });
  expect(world.state.questions.get("q1")).toMatchObject({ status: "open", host: { node } });
  world.tell({ type: "node.cancel", node, reason: "not needed" } as never, "coordinator");
  expect(world.all("question.expired").map(({ data }) => data)).toEqual([{ question: "q1", over: `${node} is over` }]);
  expect(world.state.questions.get("q2")).toMatchObject({ status: "open" });
});
