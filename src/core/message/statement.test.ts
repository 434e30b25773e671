import { describe, expect, test } from "vitest";
import type { Statement } from "../../schema/statement.ts";
import { statementsIn, withStatements } from "./statement.ts";

const said = (from: string, text: string, seq = 1): Statement[] => statementsIn({ from, text, seq, run: "r1" });
const texts = (list: readonly Statement[]): string[] => list.map(({ text }) => text);

describe("a sentence stays if it is", () => {
  test.each([
    ["promise", "I will send the draft to Maria."],
    ["promise", "The report is due on Friday."],
    ["decision", "We decided to drop the second vendor."],
    ["decision", "Never write to the production database."],
    ["number", "The contract is worth 41,250 euros."],
    ["number", "Costs ~12 % more than before."],
  ] as const)("a %s: %s", (kind, text) => {
    expect(said("coordinator", text)).toMatchObject([{ kind, text, from: "coordinator", seq: 1, run: "r1" }]);
  });

  test("not small talk of an agent, nor names that have a digit in them; but whatever the human says", () => {
    expect(said("coordinator", "The sky over the harbour looks fine. See n1 and r2-final.")).toEqual([]);
    expect(texts(said("human", "The sky over the harbour looks fine."))).toEqual([
      "The sky over the harbour looks fine.",
    ]);
    expect(said("human", "ok thanks")).toEqual([]);
  });

  test("promises, decisions and numbers in other words than the first that come to mind", () => {
    // Written before there were rules for them; the rules were then written with these in sight.
    const other = [
      ["promise", "Leave the visa papers to me.", "Count on me for the translation.", "You'll have the contract then."],
      ["promise", "The hotel is on my list.", "Expect the figures from me later.", "Consider the chairs ordered."],
      ["decision", "Right, the attic is off the table.", "We're dropping the paper edition.", "I ruled out the bus."],
      ["decision", "Let's use the small hall.", "We opt for leasing.", "Everyone is fine with the later start."],
      ["number", "The roof costs about twelve thousand.", "Three quarters of them answered."],
    ];
    for (const [kind, ...sentences] of other)
      for (const sentence of sentences)
        expect([sentence, ...said("coordinator", sentence).map((one) => one.kind)]).toEqual([sentence, kind]);
  });

  test("with all, every sentence, the least important of them those that are nothing else", () => {
    // No rule knows these.
    const unseen = ["Trust me with the tax form.", "Paris wins over Rome.", "The old supplier in Ghent is out."];
    const all = statementsIn({ from: "coordinator", text: unseen.join(" "), seq: 0 }, { all: true });
    expect(all.map(({ kind, text }) => [kind, text])).toEqual(unseen.map((text) => ["word", text]));
    const promises = Array.from({ length: 70 }, (_, n) => said("human", `I will send letter ${n}.`)[0]!);
    expect(withStatements(all, promises).some(({ kind }) => kind === "word")).toBe(false);
  });

  test("one of several in a text, and no abbreviation cuts it in two", () => {
    expect(texts(said("ann", "Hello there.\n- Invoice no. 4711 is open. It rains. Dr. Kim owes us a reply!"))).toEqual([
      "Invoice no. 4711 is open.",
      "Dr. Kim owes us a reply!",
    ]);
  });
});

describe("a list of statements", () => {
  const promise = said("coordinator", "I will send the quarterly report to Maria.", 1);

  test("loses a promise when its author says that it is done, and not when a stranger does", () => {
    const done = "The quarterly report is sent to Maria, all 12 pages.";
    expect(texts(withStatements(promise, said("coordinator", done, 2)))).toEqual([done]);
    expect(texts(withStatements(promise, said("mallory", done, 2)))).toContain(promise[0]!.text);
  });

  test("loses what the human decided only when the human decides otherwise", () => {
    const first = said("human", "Always deploy the billing service on Tuesday.", 1);
    const next = "From now on deploy the billing service on Thursday instead of Tuesday.";
    expect(texts(withStatements(first, said("human", next, 2)))).toEqual([next]);
    expect(withStatements(first, said("web", next, 2))).toHaveLength(2);
  });

  test("says the same thing once", () => {
    expect(withStatements(promise, promise)).toHaveLength(1);
  });

  test("is bounded: what the human decided outlives a flood of an agent's numbers", () => {
    const decided = said("human", "Never pay more than 900 dollars for a flight.", 1);
    const flood = Array.from({ length: 500 }, (_, n) => said("ann", `Row ${n} has the value ${n * 7}.`, n + 2)).flat();
    const list = withStatements(decided, flood);
    expect(list.length).toBeLessThanOrEqual(60);
    expect(list[0]).toEqual(decided[0]);
    expect(list.at(-1)!.text).toBe("Row 499 has the value 3493.");
  });
});
