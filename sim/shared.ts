/**
 * The store that several hosts share, as each of them reaches it: over a way that takes time and sometimes fails, before or after the deed.
 * While a host is stalled nothing of it arrives; all of it arrives later, when the host may have lost its agents long ago.
 *
 * Always holds: what one host appends arrives in order, and after a refusal nothing more of that log arrives. It keeps its own book of who
 * may write, so a mistake in the store's fences cannot hide itself (I11).
 */
import { Problem } from "../src/schema/problem.ts";
import { encode } from "../src/store/log-line.ts";
import { createMemoryStore } from "../src/store/memory-store.ts";
import type { Log, Store } from "../src/store/store.ts";
import type { SimRandom } from "./random.ts";
import type { Witness } from "./witness.ts";
import type { Incarnation } from "./world.ts";

export interface Shared {
  /** The store as one incarnation of a host sees it. `reachable` is pending while the host is stalled. */
  mount(host: string, world: Incarnation, reachable: () => Promise<void> | undefined): Store;
  /** The highest fence that ever opened the agent's log. */
  fence(agent: string): number;
  /** The log's lines. Shuts out whoever has it open. */
  lines(agent: string): Promise<Buffer | null>;
  blob(agent: string, sha256: string): Promise<Buffer | null>;
  calm(): void;
}

export function createShared(random: SimRandom, witness: Witness, failures: number): Shared {
  const store = createMemoryStore();
  const openers = new Map<string, { host: string; fence: number }>();
  let chance = failures;

  function mount(host: string, world: Incarnation, reachable: () => Promise<void> | undefined): Store {
    const { life, point } = world;

    /** There and back again: the deed itself happens at one moment. */
    async function reach<T>(deed: () => Promise<T>): Promise<T> {
      await new Promise<void>((resolve) => life.later(100 + random.int(2_000), resolve));
      await reachable();
      if (random.chance(chance)) throw broken(`${host} could not ask the store`);
      const result = await deed();
      if (random.chance(chance)) throw broken(`${host} did not hear what the store said`);
      return result;
    }

    function broken(what: string): Problem {
      witness.count("store_failed");
      return new Problem("storage_failed", what);
    }

    function reachLog(agent: string, fence: number, log: Log): Log {
      let waiting: { events: Parameters<Log["append"]>[0]; resolve(): void; reject(error: unknown): void }[] = [];
      let flushing = false;
      let over: unknown;

      async function flush(): Promise<void> {
        flushing = true;
        while (waiting.length > 0) {
          await point("log.appended");
          let batch: typeof waiting = [];
          try {
            await reach(async () => {
              [batch, waiting] = [waiting, []];
              await log.append(batch.flatMap(({ events }) => events));
              const { fence: highest } = openers.get(agent)!;
              if (fence < highest)
                witness.violated("I11", `${agent}: ${host} wrote with fence ${fence} after ${highest} was given`);
            });
            await point("log.synced");
            for (const { resolve } of batch) resolve();
          } catch (error) {
            if (error instanceof Problem && error.code === "fenced") witness.count("fenced");
            over = error;
            for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
          }
        }
        flushing = false;
      }

      return {
        get seq() {
          return log.seq;
        },
        repaired: log.repaired,
        append(events) {
          if (over) return Promise.reject(over);
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          waiting.push({ events, resolve, reject });
          if (!flushing) void flush();
          return promise;
        },
        async *read(after) {
          await reach(async () => undefined);
          yield* log.read(after);
        },
        close: () => log.close(),
      };
    }

    return {
      agents: () => reach(() => store.agents()),
      open: (agent, options) =>
        reach(async () => {
          const log = await store.open(agent, options);
          const { fence } = options;
          const before = openers.get(agent);
          if (before && fence <= before.fence)
            witness.violated("I11", `${agent}: ${host} opened with fence ${fence} after ${before.fence}`);
          if (before && before.host !== host) witness.count("takeover");
          openers.set(agent, { host, fence });
          return reachLog(agent, fence, log);
        }),
      snapshot: (...given) => reach(() => store.snapshot(...given)),
      async saveSnapshot(...given) {
        await reach(() => store.saveSnapshot(...given));
        await point("snapshot.written");
      },
      putBlob: (...given) => reach(() => store.putBlob(...given)),
      getBlob: (...given) => reach(() => store.getBlob(...given)),
      close: () => store.close(),
    };
  }

  return {
    mount,
    fence: (agent) => openers.get(agent)?.fence ?? 0,
    async lines(agent) {
      if (!(await store.agents()).includes(agent)) return null;
      const log = await store.open(agent, { fence: Number.MAX_SAFE_INTEGER });
      const lines: Buffer[] = [];
      for await (const events of log.read(0)) for (const event of events) lines.push(Buffer.from(encode(event)));
      return Buffer.concat(lines);
    },
    blob: store.getBlob,
    calm() {
      chance = 0;
    },
  };
}
