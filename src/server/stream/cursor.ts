/**
 * Cursors in the stream of all agents: text that means "this far in each log", opaque to callers, valid across restarts.
 *
 * There is no log of all agents, so a cursor is a seq for each of them (a vector clock). To keep it short whatever their number, a **base** (a seq
 * for each agent) is stored on disk under a name, and a cursor is a base and the differences from it: `7-c0ffee~news.12`. A reader that is far
 * behind walks agent by agent to a base, and its cursors on the way are `from>base>agent.seq`. An agent that could not be read on the way is named
 * with the position that the reader has there: `7-c0ffee~news.0`. A name is random, so that a cursor of another home means nothing here. Old
 * bases are forgotten; a cursor that rests on one is `stale`.
 */
import type { Random } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";

/** Small texts by name, persistent. Losing them makes cursors stale and nothing worse. */
export interface Keep {
  list(): Promise<string[]>;
  read(name: string): Promise<string | null>;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export type Vector = ReadonlyMap<string, number>;
export interface Base {
  /** Of a place on the way: with the agents that are not where the base has them. */
  name: string;
  vector: Vector;
}
export interface Place {
  text: string;
  from: Vector;
  /** On the way to a base: agents before this one are there already, this one is at `seq`. */
  way?: { text: string; to: Base; agent: string; seq: number };
}

export interface Places {
  /** The base of new cursors, made from the given vector if there is none near enough. */
  base(now: () => Vector): Promise<Base>;
  /** Makes a new base when cursors have become long; until it is there they rest on the old one. */
  shorten(differing: number, now: () => Vector): void;
  current(): Base | undefined;
  /** Throws `invalid` or `stale`. */
  read(text: string): Promise<Place>;
}

const mostBases = 64;
const mostDiffering = 32;

export function createPlaces({ keep, random }: { keep: Keep; random: Random }): Places {
  let current: Base | undefined;
  let making: Promise<Base> | undefined;

  async function make(now: () => Vector): Promise<Base> {
    const names = (await keep.list()).filter((name) => isName.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
    const last = names.at(-1);
    // Agents that are not known since this start keep their position.
    const vector = new Map([...((current ?? (await load(last)))?.vector ?? []), ...now()]);
    const name = `${(last ? numberOf(last) : 0) + 1}-${random.hex(4)}`;
    await keep.write(name, JSON.stringify(Object.fromEntries(vector)));
    for (const old of names.slice(0, Math.max(0, names.length - mostBases))) await keep.remove(old);
    current = { name, vector };
    return current;
  }

  function makeOnce(now: () => Vector): Promise<Base> {
    making ??= make(now)
      .catch((cause) => {
        throw new Problem("storage_failed", "the stream's cursor cannot be stored", undefined, { cause });
      })
      .finally(() => {
        making = undefined;
      });
    return making;
  }

  async function load(name: string | undefined): Promise<Base | undefined> {
    if (name === undefined || !isName.test(name)) return undefined;
    if (current?.name === name) return current;
    const text = await keep.read(name);
    try {
      return text === null ? undefined : { name, vector: new Map(Object.entries(JSON.parse(text))) };
    } catch {
      return undefined; // a torn write: as if it were forgotten
    }
  }

  async function baseOf(name: string): Promise<Base> {
    const base = await load(name);
    if (base) return base;
    throw new Problem("stale", "unknown cursor: it is from another home, or too old; omit `after`, or use after=now");
  }

  async function plain(text: string): Promise<Map<string, number>> {
    const [name = "", ...pairs] = text.split("~");
    const vector = new Map(name === "0" ? [] : (await baseOf(name)).vector);
    for (const pair of pairs) vector.set(...pairOf(pair));
    return vector;
  }

  return {
    async base(now) {
      if (making) await making.catch(() => undefined);
      const { vector } = current ?? {};
      const differing = vector && [...now()].filter(([agent, seq]) => seq !== (vector.get(agent) ?? 0)).length;
      if (current && differing! <= mostDiffering) return current;
      return await makeOnce(now);
    },
    shorten(differing, now) {
      if (differing > mostDiffering) makeOnce(now).catch(() => undefined); // the old one is still valid
    },
    current: () => current,
    async read(text) {
      if (!isPlace.test(text))
        throw new Problem("invalid", "invalid cursor in `after`; use the id of an event from this stream");
      const [from = "0", to, pair] = text.split(">");
      if (to === undefined || pair === undefined) return { text, from: await plain(from) };
      const [agent, seq] = pairOf(pair);
      return {
        text,
        from: await plain(from),
        way: { text: from, to: { name: to, vector: await plain(to) }, agent, seq },
      };
    },
  };
}

/** The cursor of a vector, given where it differs from the base. */
export function placeOf({ name, vector: based }: Base, vector: Iterable<[string, number]>): string {
  let text = name;
  for (const [agent, seq] of vector) if (seq !== (based.get(agent) ?? 0)) text += pairText(agent, seq);
  return text;
}

/** A position that takes precedence over those before it in a cursor. */
export const pairText = (agent: string, seq: number): string => `~${agent}.${seq}`;

const isName = /^\d+-[0-9a-f]{8}$/;
const isPlace = /^(0|\d+-[0-9a-f]{8})(~[a-z0-9-]+\.\d+)*(>\d+-[0-9a-f]{8}(~[a-z0-9-]+\.\d+)*>[a-z0-9-]+\.\d+)?$/;
const numberOf = (name: string): number => Number.parseInt(name, 10);

function pairOf(pair: string): [string, number] {
  const at = pair.lastIndexOf(".");
  return [pair.slice(0, at), Number(pair.slice(at + 1))];
}
