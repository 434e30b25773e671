/** Whoever sees what happens outside the log: calls of the model, effects, faults. At the end the log must agree with it. */
import type { FaultName } from "./faults.ts";
import type { Violation } from "./history.ts";
import type { Watch } from "./model.ts";
import type { SimWorld } from "./world.ts";

/** Told what happens to an agent, for `--trace`. */
export type Tell = (agent: string, what: string) => void;

export interface Witness extends Watch {
  /** A fault happened. */
  count(name: string, times?: number): void;
  /** The effect of a call happened. */
  poked(key: string): void;
  /** Somebody outside was told; how often they were. */
  took(delivery: string): void;
  taken(delivery: string): number;
  /** A function is asked only if somebody listens. */
  tell(agent: string, what: string | (() => string)): void;
  /** What the turns that the log says were answered (`agent turn run`) must have in common with what was seen. */
  compare(answered: ReadonlySet<string>, runOf: (agent: string, seq: number) => string): void;
  violations(): Violation[];
  /** What the model's provider counted for an agent. */
  bill(agent: string): number;
  /** Faults and points that happened, by name. */
  injected(): Record<string, number>;
}

export function createWitness({ time, disks, points, processes }: SimWorld, tell: Tell | undefined): Witness {
  /** The first violation of each kind. */
  const found = new Map<string, Violation>();
  const counts = new Map<string, number>();
  const pokes = new Map<string, number>();
  const taken = new Map<string, number>();
  const bills = new Map<string, number>();
  /** The turns in which a piece of mail was shown. */
  const shown = new Map<string, Set<string>>();
  /** The turns whose answer came to its end. */
  const heard = new Set<string>();
  /** The calls under way, by life and participant. */
  const calls = new Map<string, AbortSignal>();
  const agentOf = (model: string) => model.split("/")[1]!;

  const violated = (invariant: string, what: string) => {
    if (!found.has(invariant)) found.set(invariant, { invariant, what });
  };
  const count = (name: string, times = 1) => {
    counts.set(name, (counts.get(name) ?? 0) + times);
  };

  return {
    violated,
    tell: (agent, what) => tell?.(agent, `${time.mono().toFixed(0)} ${typeof what === "string" ? what : what()}`),
    count,
    poked: (key) => void pokes.set(key, (pokes.get(key) ?? 0) + 1),
    took: (key) => void taken.set(key, (taken.get(key) ?? 0) + 1),
    taken: (key) => taken.get(key) ?? 0,
    billed: (agent, usd) => void bills.set(agent, (bills.get(agent) ?? 0) + usd),
    bill: (agent) => bills.get(agent) ?? 0,
    heard: ({ model, participant, turns }) => void heard.add(`${agentOf(model)} ${participant}.${turns}`),
    calling({ participant, turns, lines, model, node }, life, signal) {
      const agent = agentOf(model);
      // Whoever reviews is nobody in the run; one review of a node is under way at a time.
      const who = participant === "reviewer" ? `${agent} reviewer-${node}` : `${agent} ${participant}`;
      const live = `${life} ${who}`;
      if (calls.get(live)?.aborted === false) violated("I11", `${who} is asked twice at once`);
      calls.set(live, signal);
      tell?.(agent, `${time.mono().toFixed(0)} life ${life} calls ${participant}.${turns}`);
      const last = lines.at(-1);
      for (const { seq } of last?.role === "inbox" ? last.entries : []) {
        const turnsOf = shown.get(`${who} ${seq}`) ?? new Set();
        turnsOf.add(`${who}.${turns}`);
        shown.set(`${who} ${seq}`, turnsOf);
      }
      return () => {
        if (calls.get(live) === signal) calls.delete(live);
      };
    },
    compare(answered, runOf) {
      for (const turn of answered)
        if (!heard.has(turn.slice(0, turn.lastIndexOf(" "))))
          violated("cut", `${turn} acts on an answer that was cut off`);
      for (const [mail, turns] of shown) {
        const [agent, , seq] = mail.split(" ") as [string, string, string];
        const consumed = [...turns].filter((turn) => answered.has(`${turn} ${runOf(agent, Number(seq))}`));
        if (consumed.length > 1) violated("I2", `${mail} was consumed by the turns ${consumed.join(", ")}`);
      }
      for (const [key, times] of pokes) if (times > 1) violated("I10", `${key} was done ${times} times`);
      const orphans = processes.running();
      if (orphans.length) violated("I20", `still running at the end: ${orphans.map((one) => one.tag).join(", ")}`);
    },
    violations: () => [...found.values()],
    injected() {
      const all: Record<string, number> = Object.fromEntries(counts);
      for (const disk of disks())
        for (const [name, times] of Object.entries(disk.injected) as [FaultName, number][])
          if (times) all[name] = (all[name] ?? 0) + times;
      for (const [name, times] of points) all[`point ${name}`] = times;
      return all;
    },
  };
}
