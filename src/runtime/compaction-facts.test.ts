/**
 * What was promised, decided or counted at the beginning of a long conversation is still there after three compactions: in what the model is shown, or
 * found by one search for what somebody who has forgotten it would search for.
 */
import { describe, expect, test } from "vitest";
import { conversations, type Fact } from "./compaction-facts.test-help.ts";
import { type Answer, results, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;

/** Talk that is not to the point, and numbers that nobody needs again. */
const chat = (n: number): string =>
  `Reading on in part ${n}. The weather over the harbour is fine and the coffee is hot. Row ${n * 7} of the list has the value ${n * 113}. Nothing else stands out here, and the rest looks much like before.`;

function played(facts: readonly Fact[]): Answer[] {
  const own = facts.filter(({ by }) => by === "coordinator").map(({ said }) => said);
  const work = (n: number, tokens: number): Answer => ({
    ...use("write_file", { path: `${n}.md`, content: `note ${n}` }),
    say: chat(n),
    tokens,
  });
  const untilFull = (from: number): Answer[] =>
    Array.from({ length: 7 }, (_, n) => work(from + n, n === 5 ? 80_000 : 100));
  const opening = use("send_message", {
    to: "human",
    content: `Thank you, I have read it. ${own.join(" ")} ${chat(1)}`,
  });
  const searches = facts.map(({ query }) => ({ tool: "conversation_search", input: { query, limit: 3 } }));
  return [
    { ...opening, tokens: 100 },
    ...[10, 20, 30].flatMap(untilFull),
    { calls: searches.map((call, n) => ({ ...call, id: `s${n}` })), tokens: 100 },
    { say: "done" },
  ];
}

async function after(facts: readonly Fact[]) {
  const world = start({ play: { coordinator: played(facts) }, window: 100_000 });
  await world.begin();
  await world.create();
  const told = facts.filter(({ by }) => by === "human").map(({ said }) => said);
  const text = `Good morning. ${told.join(" ")} ${chat(2)} Tell me if anything is unclear.`;
  await world.send("a1", { type: "message.post", text }, { actor: "human" });
  await world.pass(hour);
  const last = world.asked.at(-1)!;
  expect(world.state().participants.get("coordinator")).toMatchObject({ shortened: { times: 3 } });
  expect(
    last.lines.some((line) => line.role === "inbox"),
    "the mail itself is no longer shown",
  ).toBe(false);
  const found = results(last).filter(({ call }) => /^s\d/.test(call));
  return facts.map((fact, n) => ({
    fact,
    shown: (last.data ?? "").includes(fact.must),
    found: found[n]!.result.includes(fact.must),
  }));
}

describe("after three compactions", () => {
  test(`each of ${conversations.length * 3} facts of ${conversations.length} conversations is shown or found by one search`, async () => {
    const all = (await Promise.all(conversations.map(({ facts }) => after(facts)))).flat();
    expect(all.length).toBeGreaterThanOrEqual(120);
    expect(all.filter(({ shown, found }) => !shown && !found).map(({ fact }) => fact.said)).toEqual([]);
    const count = (what: "shown" | "found") => all.filter((one) => one[what]).length;
    // Nearly all need no search, and nearly all are found by one.
    expect(count("shown") / all.length).toBeGreaterThan(0.95);
    expect(count("found") / all.length).toBeGreaterThan(0.9);
  });
});
