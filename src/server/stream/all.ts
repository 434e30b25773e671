/**
 * The stream of all agents. Readers that are up to date share one cursor, which moves with every event; the others catch up first (catch-up.ts). A
 * new agent is simply one more.
 */
import type { Runtime } from "../../runtime/runtime.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import { createWalk, damageOf, type Walk } from "./catch-up.ts";
import { type Base, type Place, type Places, pairText, placeOf } from "./cursor.ts";
import type { Form, Line } from "./frame.ts";
import { lineOf } from "./frame.ts";
import type { Outlet } from "./outlet.ts";

export interface AllFeed {
  /** Where a reader begins: by default at the start of everything. Throws `invalid` or `stale`. */
  find(after: string | undefined): Promise<Place>;
  serve(start: Place, outlet: Outlet): void;
  /** For a page: up to the present. */
  walk(start: Place, signal?: AbortSignal): Walk;
  readers(): number;
  /** The shared cursor after this event. */
  placeAfter(agent: string, seq: number): string;
  take(lines: readonly Line[]): void;
  delta(frame: (form: Form) => Uint8Array): void;
  /** Ends all readers. */
  end(): void;
}

export interface AllOptions {
  runtime: Runtime;
  places: Places;
  headOf(agent: string): number | undefined;
  serving(outlet: Outlet, work: () => Promise<void>): void;
}

interface AllReader {
  outlet: Outlet;
  /** Agents at which it is not where the others are: those that could not be opened when it joined. Its cursors name them. */
  odd: Map<string, number>;
  /** Agents whose log could not be read when it joined. It is given nothing of them: the events between would be missing. Its cursors stay before those. */
  damaged: ReadonlySet<string>;
}

export function createAll({ runtime, places, headOf, serving }: AllOptions): AllFeed {
  const readers = new Set<AllReader>();
  /** Where the shared cursor differs from its base. At an agent that was not opened since the start it is at 0, as nobody was given its events. */
  let base: Base | undefined;
  let apart = new Map<string, number>();

  const heads = () => new Map(runtime.agents().flatMap((agent): [string, number][] => pairOf(agent, headOf(agent))));

  /** Recomputes `apart` for the current base. */
  function rebase(): void {
    base = places.current()!;
    const { vector } = base;
    const unopened = [...vector.keys()].map((agent): [string, number] => [agent, 0]);
    apart = new Map([...new Map([...unopened, ...heads()])].filter(([agent, seq]) => seq !== (vector.get(agent) ?? 0)));
  }

  const walk: AllFeed["walk"] = (start, signal) =>
    createWalk(start, { runtime, base: () => places.current()!, headOf, signal });

  async function serveAll(start: Place, outlet: Outlet): Promise<void> {
    const walking = walk(start, outlet.signal);
    for (let idle = 0; !walking.there(); ) {
      // Twice without a step: there will never be one, the runtime was stopped.
      if (idle > 1) outlet.end();
      if (outlet.over()) return;
      const before = walking.place();
      for await (const { agent, event, place } of walking.steps()) {
        await outlet.feed(lineOf(agent, event, place));
        if (outlet.over()) return;
      }
      idle = walking.place() === before ? idle + 1 : 0;
    }
    const odd = new Map<string, number>();
    for (const agent of new Set([...runtime.agents(), ...places.current()!.vector.keys()]))
      if (walking.at(agent) !== (headOf(agent) ?? 0)) odd.set(agent, walking.at(agent));
    const damage = [...walking.damage()];
    for (const [agent, problem] of damage) outlet.damage(damageOf(agent, problem));
    if (outlet.over()) return;
    // One that may recover is read again with its next event (takeOne).
    const damaged = new Set(damage.flatMap(([agent, { code }]) => (isLasting(code) ? [agent] : [])));
    const reader = { outlet, odd, damaged };
    if (readers.size === 0) rebase();
    readers.add(reader);
    outlet.signal.addEventListener("abort", () => readers.delete(reader));
  }

  function takeOne({ outlet, odd, damaged }: AllReader, lines: readonly Line[]): void {
    if (damaged.has(lines[0]!.agent)) return;
    const own = odd.get(lines[0]!.agent);
    const fresh = own === undefined ? lines : lines.filter((line) => line.seq > own);
    // The events between are in the log: it starts over, and then catches up.
    if (own !== undefined && fresh[0] && fresh[0].seq > own + 1) outlet.end();
    if (own !== undefined && lines.at(-1)!.seq >= own) odd.delete(lines[0]!.agent);
    const exceptions = [...odd].map(([agent, seq]) => pairText(agent, seq)).join("");
    outlet.take(exceptions ? fresh.map((line) => ({ ...line, place: line.place + exceptions, forms: {} })) : fresh);
  }

  return {
    async find(after) {
      await places.base(heads);
      if (after === undefined) return { text: "0", from: new Map() };
      if (after !== "now") return await places.read(after);
      const { name, vector } = places.current()!;
      const from = new Map([...vector, ...heads()]);
      return { text: placeOf({ name, vector }, from), from };
    },
    serve: (start, outlet) => serving(outlet, () => serveAll(start, outlet)),
    walk,
    readers: () => readers.size,
    placeAfter(agent, seq) {
      if (readers.size === 0) return "";
      if (base !== places.current()) rebase();
      apart.set(agent, seq);
      places.shorten([...apart.values()].filter(Boolean).length, heads); // a new base would not help the unopened
      return placeOf(base!, apart);
    },
    take(lines) {
      if (lines.length > 0) for (const reader of readers) takeOne(reader, lines);
    },
    delta(frame) {
      for (const { outlet } of readers) outlet.delta(frame);
    },
    end() {
      for (const { outlet } of readers) outlet.end();
    },
  };
}

/** Reading it again does not help. */
const isLasting = (code: ProblemCode): boolean => code === "log_corrupt" || code === "newer_version";

const pairOf = (agent: string, seq: number | undefined): [string, number][] =>
  seq === undefined ? [] : [[agent, seq]];

/** While agents are still being opened, the position of each is unknown. */
export function assertReady(ready: boolean): void {
  if (!ready) throw new Problem("closed", "the agents are still being opened; try again in a moment");
}
