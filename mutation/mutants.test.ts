import { expect, test } from "vitest";
import { readAccepted } from "./accepted.ts";
import { instrument } from "./instrument.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { readTargets } from "./targets.ts";

const source = `
function price(order, day) {
  if (!order?.items.length) throw new Problem("empty", "there is nothing" + " to pay");
  let sum = order.fee ?? 0;
  for (const { amount, each } of order.items.filter(({ gift }) => gift !== true)) {
    sum += amount * each;
  }
  switch (day) {
    case "friday":
      sum = sum - 1;
      sum--;
  }
  const note = { ...order.note, text: \`to pay: \${sum}\`, key: \`\${day}/\${sum}\` };
  return { note, due: sum > 10 && order.member ? [sum / 2] : [sum] };
}
`;
const changes = (mutants: readonly Mutant[]) =>
  mutants.map(({ line, original, replacement }) => `${line}: ${original} → ${replacement}`);

test("every operator has its mutants, and prose has none", () => {
  const body = expect.stringMatching(/^2: if .* → \{\}$/);
  const update = `{ ...order.note, text: \`to pay: \${sum}\`, key: \`\${day}/\${sum}\` }`;
  expect(changes(mutantsOf("price.ts", source))).toEqual([
    body,
    "3: !order?.items.length → true",
    "3: !order?.items.length → false",
    "3: order?.items.length → order.items.length",
    '3: "empty" → ""',
    "4: order.fee ?? 0 → order.fee",
    "4: order.fee ?? 0 → 0",
    "4: 0 → 1",
    "5: order.items.filter(({ gift }) => gift !== true) → order.items",
    "5: gift !== true → gift === true",
    "5: true → false",
    "5: sum += amount * each; → {}",
    "6: sum += amount * each → sum -= amount * each",
    "6: amount * each → amount / each",
    "10: sum = sum - 1; sum--; → break",
    "10: sum = sum - 1 → undefined",
    "10: sum - 1 → sum + 1",
    "10: 1 → 2",
    "11: sum-- → undefined",
    "11: sum-- → sum++",
    `13: ${update} → without ...order.note`,
    `13: ${update} → without text: \`to pay: \${sum}\``,
    `13: ${update} → without key: \`\${day}/\${sum}\``,
    `13: \`\${day}/\${sum}\` → ""`,
    "14: { note, due: sum > 10 && order.member ? [sum / 2] : [sum] } → undefined",
    "14: sum > 10 && order.member → false",
    "14: sum > 10 && order.member → sum > 10",
    "14: sum > 10 && order.member → order.member",
    "14: sum > 10 → sum >= 10",
    "14: 10 → 11",
    "14: [sum / 2] → []",
    "14: sum / 2 → sum * 2",
    "14: 2 → 3",
    "14: [sum] → []",
  ]);
});

const item = { amount: 3, each: 4 };
const orders = [
  [undefined, "monday"],
  [{ items: [] }, "monday"],
  [{ items: [item], note: { text: "by hand", from: "us" } }, "friday"],
  [{ items: [item, { ...item, gift: true }], fee: 3, member: true }, "friday"],
  [{ items: [{ amount: 1, each: 10 }], member: true }, "monday"],
  [{ items: [{ amount: 1, each: 11 }], member: true }, "monday"],
  [{ items: [{ amount: 1, each: 12 }] }, "monday"],
  [{ items: [{ amount: 1, each: 9 }], member: true }, "monday"],
];

/** What the function makes of every order, errors included. */
function play(code: string, active: number): string {
  const given = {
    Problem: class extends Error {},
    __mutant: (number: number) => number === active,
    __differs: (_: number, __: boolean, ___: () => unknown, value: unknown) => value,
  };
  const price = new Function(...Object.keys(given), `${code}; return price;`)(...Object.values(given));
  const results = orders.map((order) => {
    try {
      return price(...order) ?? "undefined";
    } catch (error) {
      return String(error);
    }
  });
  return JSON.stringify(results);
}

test("a mutant that is switched on does what the changed text does; none, what the original does", () => {
  const mutants = mutantsOf("price.ts", source);
  const text = instrument(source, mutants, 100, "run");
  const original = play(source, -1);
  expect(play(text, -1)).toBe(original);
  expect(play(instrument(source, mutants, 100, "cover"), -1)).toBe(original);
  for (const [index, { kind, start, end, code, original: old, replacement }] of mutants.entries()) {
    const now = play(text, 100 + index);
    expect(now, `${old} → ${replacement} changes nothing`).not.toBe(original);
    if (kind === "replace") expect(now).toBe(play(`${source.slice(0, start)}(${code})${source.slice(end)}`, -1));
  }
});

test("a place is covered only where the mutant would have given another value", () => {
  const differed = new Set<number>();
  const mutants = mutantsOf("f.ts", "const f = (a) => (a > 10 ? 1 : 2);");
  const code = instrument("const f = (a) => (a > 10 ? 1 : 2);", mutants, 0, "cover");
  const differs = (number: number, truth: boolean, other: () => unknown, value: unknown) => {
    if (truth ? !other() !== !value : other() !== value) differed.add(number);
    return value;
  };
  const f = new Function("__differs", "__mutant", `${code}; return f;`)(differs, () => false);
  expect(f(9)).toBe(2);
  expect(changes(mutants.filter((_, index) => differed.has(index)))).toEqual([
    "1: a > 10 ? 1 : 2 → undefined",
    "1: a > 10 → true",
    "1: 10 → 11",
    "1: 2 → 3",
  ]);
});

test("every accepted survivor is a mutant of today's code, has a reason, and stands there once", () => {
  const mutants = readTargets().flatMap((target) => target.mutants);
  expect(readAccepted().stale(mutants)).toEqual([]);
});

test("an entry goes with its line wherever it moves, and is stale once the line is another", () => {
  const entry = { file: "f.ts", line: "return a > 1;", changes: ["a > 1 → a >= 1"], reason: "a is never 1" };
  const accepted = readAccepted([entry]);
  const moved = mutantsOf("f.ts", "\n\nfunction f(a) {\n  return a > 1;\n}");
  const changed = mutantsOf("f.ts", "function f(a) {\n  return a > 2;\n}");
  expect(moved.map(accepted.reason).filter(Boolean)).toEqual(["a is never 1"]);
  expect(accepted.stale(moved)).toEqual([]);
  expect(accepted.stale(changed)).toEqual(["f.ts: return a > 1;: a > 1 → a >= 1"]);
});
