import { expect, test } from "vitest";
import { emptyState, type State } from "../../core/state.ts";
import { whatHappens } from "./stop-words.ts";

const one = (id: string, more: object = {}) => [
  id,
  {
    ...{ id, name: id, kind: "harnessed", role: "", read: 0, unread: [], turns: 0, alone: 0, next: "rest", done: [] },
    ...{ conversation: [], nudged: false, retired: false, ...more },
  },
];

test("each one's work is told as it would be: cut off, ended with what runs, left open; who does nothing is left out", () => {
  const state = {
    ...emptyState(),
    participants: new Map([
      one("ada", { turn: { status: "calling" }, node: "n1" }),
      one("bob", {
        turn: {
          status: "acting",
          calls: [
            { tool: "bash", status: "started" },
            { tool: "x", status: "ended" },
          ],
        },
      }),
      one("cleo"),
      one("dan"),
      one("eve", { retired: true, turn: { status: "calling" } }),
    ] as never),
    questions: new Map([["q1", { by: "cleo", status: "open" }]] as never),
  } as State;
  expect(whatHappens(state)).toEqual([
    { id: "ada", node: "n1", text: "The answer under way is cut off: it is paid for and lost." },
    { id: "bob", text: "The turn under way ends now; bash is ended." },
    { id: "cleo", text: "The question stays open." },
  ]);
});
