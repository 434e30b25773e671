import { expect, test } from "vitest";
import { emptyState, type State } from "../../core/state.ts";
import { groupOf, needsOf } from "./queue.ts";

const at = (minute: number) => `2026-01-01T10:${String(minute).padStart(2, "0")}:00.000Z`;

/** An agent with an open run, put together by hand. */
function stateOf(id: string, given: Partial<State> = {}): State {
  const agent = { id, goal: "g", mode: "finite", model: "m", start: true, created_at: at(0), status: "active" };
  const run = { id: "r1", goal: "g", started_at: at(0), first_seq: 1, answers: 0, status: "open" };
  return { ...emptyState(), at: at(30), agent, run, ...given } as State;
}

const asking = (id: string, minute: number, more: object = {}) => [
  id,
  { id, by: "ada", text: `${id}?\nmore`, status: "open", seq: minute, asked_at: at(minute), ...more },
];
const node = (id: string, more: object = {}) => [
  id,
  {
    id,
    name: id,
    task: id,
    status: "pending",
    depends_on: [],
    refs: {},
    creator: "coordinator",
    created_at: at(1),
    ...more,
  },
];
const worker = {
  id: "ada",
  name: "Ada",
  kind: "harnessed",
  role: "",
  read: 0,
  unread: [],
  turns: 0,
  next: "rest",
  done: [],
  conversation: [],
  stall: { alone: 0, nudges: 0, repeats: [], fruitless: 0, fruitful: false, compactions: 0 },
  retired: false,
  node: "n1",
};
const maps = (parts: Record<string, unknown[]>) =>
  Object.fromEntries(
    Object.entries(parts).map(([name, entries]) => [name, new Map(entries as never)]),
  ) as Partial<State>;

test("a deadline comes first, then what holds up most, then what waits longest", () => {
  const urgent = stateOf("a", maps({ questions: [asking("q1", 9, { deadline: at(40) })] }));
  const old = stateOf("b", maps({ questions: [asking("q1", 2)] }));
  const holding = stateOf(
    "c",
    maps({
      questions: [asking("q1", 8)],
      participants: [["ada", worker]],
      nodes: [node("n1"), node("n2", { depends_on: ["n1"] }), node("n3", { depends_on: ["n2"] })],
    }),
  );
  const needs = needsOf(
    [],
    [
      ["b", old],
      ["c", holding],
      ["a", urgent],
    ],
  );
  expect(needs.map(({ agent, kind }) => `${agent} ${kind}`)).toEqual(["a question", "c question", "b question"]);
  expect(needs[1]!.holds).toEqual(["n2", "n3"]);
  expect(needs[0]!.title).toBe("q1?");
});

test("a call is named by what it would do and stands apart; what can wait and what was put off come later", () => {
  const turn = {
    status: "acting",
    id: "t1",
    calls: [{ id: "c1", tool: "bash", input: { command: "rm x" }, status: "asked" }],
  };
  const approves = { turn: "t1", call: "c1", tool: "bash" };
  const state = stateOf(
    "a",
    maps({ questions: [asking("q1", 1, { approves })], participants: [["ada", { ...worker, turn }]] }),
  );
  const [call] = needsOf([], [["a", state]]);
  expect(call).toMatchObject({ kind: "approval", title: "Run rm x", input: { command: "rm x" } });
  expect([groupOf(call!, false), groupOf(call!, true)]).toEqual(["Approve", "Snoozed"]);
  const stopped = (code: string) => {
    const reason = { code, message: "why", next_mover: "human" };
    const state = stateOf("a");
    return needsOf(
      [],
      [["a", { ...state, agent: { ...state.agent, status: "paused", reason, since: at(3) } } as State]],
    )[0]!;
  };
  expect(groupOf(stopped("budget"), false)).toBe("Decide now");
  expect(groupOf(stopped("human"), false)).toBe("Can wait");
});

test("a node that nobody takes up is told when nobody is at work, and an agent that cannot be opened as well", () => {
  const stuck = needsOf([], [["a", stateOf("a", maps({ nodes: [node("n1"), node("n2", { depends_on: ["n1"] })] }))]]);
  expect(stuck.map(({ kind, node: of }) => [kind, of])).toEqual([["stuck", "n1"]]);
  const lost = { id: "z", status: "quarantined", reason: { message: "torn" } };
  expect(needsOf([lost as never], [])).toMatchObject([{ kind: "lost", agent: "z", message: "torn" }]);
});

test("a question also holds up what waits for its asker, though the asker has no node", () => {
  const turn = { status: "acting", id: "ada.1", asking: ["q1"], calls: [] };
  const state = stateOf(
    "a",
    maps({
      questions: [asking("q1", 9)],
      participants: [["ada", { ...worker, node: undefined, turn }]],
      nodes: [node("n1", { wanted_worker: "ada" }), node("n2", { depends_on: ["n1"] })],
    }),
  );
  expect(needsOf([], [["a", state]])).toMatchObject([{ kind: "question", holds: ["n1", "n2"] }]);
});
