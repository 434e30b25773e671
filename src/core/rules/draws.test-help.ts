/** Values for wishes, right and wrong, drawn by chance from a number, so that the same steps give the same log. */
import type { BudgetLimit } from "../../schema/budget.ts";
import type { State } from "../state.ts";
import { callKey } from "../turn/call-key.ts";

const over = new Set(["completed", "failed", "cancelled"]);

export const t0 = Date.parse("2026-01-01T23:00:00.000Z");
export const hash = (n: number) => String(n % 10).repeat(64);
export const spellings = (name: string) => [name, name.toUpperCase(), `@${name}`, ` ${name}`, name.replace("a", "ａ")];
export const junk = [
  "",
  "nobody",
  "__proto__",
  "constructor",
  "../x",
  "n999",
  "q99",
  "p99",
  "t99",
  "*",
  "a\u0000b",
  "\ud800",
];
export const names =
  "Carol CAROL Ｃarol Straße STRASSE ΟΔΟΣ οδοσ Анна Борис 日本 X x-2 a.b a-b Human System __proto__".split(" ");
export const titles = [
  "plan.md",
  "Plan.md",
  "PLAN.MD",
  "Straße.txt",
  "STRASSE.txt",
  "__proto__.json",
  "../x.md",
  "x.exe",
];
export const wishes = [
  ["hook", "webhook"],
  ["mail", "email"],
] as const;
export const patterns = [
  "node.*",
  "message.posted",
  "question.*",
  "turn.*",
  "nonsense",
  "trigger.*",
  "agent.*",
  "worker.spawned",
];

/** Chance from a number, so that a failing sequence can be shrunk step by step. */
export function draws(seed: number, state: State, now: number) {
  let at = seed >>> 0;
  const chance = () => {
    at = (at + 0x6d2b79f5) >>> 0;
    let x = Math.imul(at ^ (at >>> 15), at | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (n: number) => Math.floor(chance() * n);
  const pick = <T>(...list: T[]): T => list[int(list.length)]!;
  const some = <T>(p: number, value: T): T | undefined => (chance() < p ? value : undefined);
  const known = (ids: Iterable<string>): string => {
    const list = [...ids];
    return list.length && chance() < 0.95 ? pick(...list) : pick(...junk);
  };
  const maybe = (p: number, ids: Iterable<string>): string | undefined => {
    const list = [...ids];
    return list.length && chance() < p ? known(list) : undefined;
  };
  const people = [...state.participants.values()];
  const thinkers = people.filter((one) => one.kind !== "human");
  const workers = thinkers.filter((one) => one.kind !== "coordinator");
  const busy = thinkers.filter((one) => one.turn);
  const live = () => [...state.nodes.values()].filter(({ status }) => !over.has(status)).map(({ id }) => id);
  const who = () =>
    chance() < 0.9 ? known(state.participants.keys()) : pick(...spellings(pick("alice", "bob", "carol")));
  const text = () =>
    chance() < 0.96
      ? pick("x", "hello", "é日", "__proto__")
      : pick("", "x".repeat(3_000), "\ud800", chance() < 0.05 ? "x".repeat(100_001) : "y");
  const amount = () => ({ usd: pick(0, 1, 7, 1_000_003, 5_000_000) / 1e8, tokens: pick(0, 1, 10, 333) });
  const limit = (): BudgetLimit =>
    pick({}, {}, { usd: pick(0.2, 1) }, { tokens: pick(2_000, 9_000) }, { usd: 0.4, tokens: 5_000 }, { usd: 0 });
  const wait = () =>
    pick(
      { for: "mail" } as const,
      { for: "mail", deadline: new Date(now + int(1e6)).toISOString() } as const,
      { for: "question", question: known(state.questions.keys()) } as const,
      { for: "nodes", nodes: [known(state.nodes.keys()), known(state.nodes.keys())], deadline: undefined } as const,
    );
  const of = () => {
    const one = busy.length && chance() < 0.95 ? pick(...busy) : undefined;
    return one
      ? { turn: one.turn!.id, participant: one.id }
      : { turn: pick("alice.1", "x.9", "bad"), participant: who() };
  };
  const call = ({ participant }: { participant: string }) => {
    const one = state.participants.get(participant);
    const turn = one && "turn" in one ? one.turn : undefined;
    const calls = turn?.status === "acting" ? turn.calls : (turn?.own?.open ?? []);
    return known(calls.map(({ id }) => id));
  };
  const use = ({ participant }: { participant: string }) => {
    const one = state.participants.get(participant);
    const turn = one && "turn" in one ? one.turn : undefined;
    return known(turn?.status === "calling" ? (turn.uses ?? []).map((open) => open.call) : []);
  };
  const reason = () => ({
    code: pick("backend", "provider", "budget", "interrupted", "fault"),
    message: "m",
    next_mover: "human",
  });
  const actor = () =>
    people.length && chance() < 0.7 ? pick(...people).id : pick("human", "coordinator", "system", "nobody");
  const voter = actor();
  /** Sometimes a program of its own does the thinking. */
  const program = () =>
    chance() < 0.3 ? pick<Wish>({ kind: "autonomous", agent_command: "x" }, { model: "claude-code/m" }) : {};
  const hostWish = () => {
    const { turn, participant } = of();
    const host = pick("pypi.org", "registry.npmjs.org", "a.example", "b.example", `h${int(90)}.example`);
    const subject = host.endsWith(".org") ? "packages" : host;
    return { participant, call: callKey(state, turn, pick("c0", "c1")), host, subject };
  };
  return {
    hostWish,
    program,
    actor,
    voter,
    chance,
    int,
    pick,
    some,
    known,
    maybe,
    who,
    text,
    amount,
    limit,
    wait,
    of,
    call,
    use,
    reason,
    thinkers,
    workers,
    live,
  };
}
export type Draws = ReturnType<typeof draws>;
export type Wish = Record<string, unknown>;
